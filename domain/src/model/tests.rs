//! Shapes and displays as cards have them.

use super::*;

fn series(channels: usize) -> InstanceShape {
    InstanceShape::series(64, channels)
}

fn display(series: Option<SeriesDisplay>) -> Display {
    Display {
        arrangement: Arrangement::Apart,
        binarise_at: None,
        value_range: None,
        series,
    }
}

fn axes() -> SeriesDisplay {
    SeriesDisplay {
        x_start: 0.0,
        x_step: 1.0,
        y_min: -1.0,
        y_max: 1.0,
        curve_ends: Vec::new(),
        guide_at: None,
        target_band: None,
    }
}

#[test]
fn a_series_of_one_curve_is_written_as_it_always_was() {
    let before = r#"{"kind":"series","points":64}"#;
    let read: InstanceShape = crate::json::from_text(before).unwrap();
    assert_eq!(read, series(1));
    assert_eq!(serde_json::to_string(&read).unwrap(), before);
    let three = r#"{"kind":"series","points":64,"channels":3}"#;
    let read: InstanceShape = crate::json::from_text(three).unwrap();
    assert_eq!((read, read.len(), read.channels()), (series(3), 192, 3));
    assert_eq!(serde_json::to_string(&read).unwrap(), three);

    let before = r#"{"arrangement":"overlaid","series":{"x_start":-3.2,"x_step":0.1,"y_min":-10.0,"y_max":10.0,"guide_at":0.0,"target_band":0.5}}"#;
    let read: Display = crate::json::from_text(before).unwrap();
    assert_eq!(serde_json::to_string(&read).unwrap(), before);
    let axes = read.series.unwrap();
    assert_eq!(axes.ends(0), [-10.0, 10.0]);
    assert_eq!(axes.target_band.unwrap().of(0), 0.5);
}

#[test]
fn up_to_four_curves_lie_below_each_other_and_more_in_two_columns() {
    let grids = [1, 3, 4, 5, 8].map(|curves| series(curves).plot_grid());
    assert_eq!(grids, [[1, 1], [1, 3], [1, 4], [2, 3], [2, 4]]);
}

#[test]
fn what_cannot_be_shown_is_said() {
    let said = |display: &Display, shape| display.problem(shape).unwrap_or_default();
    assert!(said(&display(None), series(1)).contains("needs the axes"));
    assert_eq!(said(&display(Some(axes())), series(3)), "");
    for (curve_ends, words) in [
        (vec![[0.0, 1.0]; 2], "2 for 3 curves"),
        (
            vec![[0.0, 1.0], [2.0, 1.0], [0.0, 1.0]],
            "2 to 1 is no range",
        ),
    ] {
        let axes = SeriesDisplay {
            curve_ends,
            ..axes()
        };
        let found = said(&display(Some(axes)), series(3));
        assert!(found.contains(words), "{found}");
    }
    let banded = SeriesDisplay {
        target_band: PerChannel::of_each(vec![0.1, 0.2]),
        ..axes()
    };
    assert!(said(&display(Some(banded)), series(3)).contains("2 for 3 curves"));

    let image = InstanceShape::image(2, 3, 1);
    let ranged = |value_range, binarise_at| Display {
        value_range,
        binarise_at,
        ..display(None)
    };
    assert_eq!(said(&ranged(Some([-2.0, 3.0]), None), image), "");
    assert!(said(&ranged(Some([3.0, 3.0]), None), image).contains("no range"));
    assert!(said(&ranged(Some([f64::NAN, 3.0]), None), image).contains("no range"));
    assert!(said(&ranged(Some([0.0, 3.0]), Some(0.5)), image).contains("black and white"));
}

#[test]
fn shades_lie_evenly_in_the_range_and_are_clipped_for_the_screen_alone() {
    let wide = Display {
        value_range: Some([-2.0, 2.0]),
        ..display(None)
    };
    let shown = [-5.0, -2.0, 0.0, 1.0, 9.0, f32::INFINITY].map(|v| wide.brightness(v));
    assert_eq!(shown, [0.0, 0.0, 0.5, 0.75, 1.0, 1.0]);
    let cut = Display {
        binarise_at: Some(0.5),
        ..display(None)
    };
    let shown = [0.5, 0.51, f32::NAN].map(|v| cut.brightness(v));
    assert_eq!(shown, [0.0, 1.0, 0.0]);
}
