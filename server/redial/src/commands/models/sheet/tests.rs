//! Sheets of made-up instances, looked at from outside.

use domain::model::{Arrangement, Display, InstanceShape, SeriesDisplay};

use super::{
    Area, BLUE, InformationMatrix, Mark, PLOT, Sheet, Traversal, raster::raster, svg::svg,
};

fn display() -> Display {
    Display {
        arrangement: Arrangement::Apart,
        binarise_at: None,
        value_range: None,
        series: None,
    }
}

/// Two dials, a choice among `choices` and a slider, every instance the same.
fn sheet(shape: InstanceShape, display: Display, choices: usize, instance: &[f32]) -> Sheet {
    let rows = |steps| vec![vec![instance.to_vec(); steps]; 3];
    let dial = |label: &str, steps| Traversal {
        label: label.to_owned(),
        rows: rows(steps),
    };
    Sheet {
        title: "A <model> & more".to_owned(),
        subtitle: "under it".to_owned(),
        shape,
        display,
        traversals: vec![dial("Dial 1", choices), dial("Dial 2", 7)],
        samples: vec![instance.to_vec(); 48],
        matrix: None,
    }
}

fn grey(binarise_at: Option<f64>) -> Sheet {
    let shape = InstanceShape::image(2, 2, 1);
    let display = Display {
        binarise_at,
        ..display()
    };
    sheet(shape, display, 10, &[0.0, 1.0, 0.4, f32::NAN])
}

fn series() -> Sheet {
    let axes = SeriesDisplay {
        x_start: 0.0,
        x_step: 1.0,
        y_min: -1.0,
        y_max: 1.0,
        curve_ends: Vec::new(),
        guide_at: Some(0.5),
        target_band: None,
    };
    let display = Display {
        series: Some(axes),
        ..display()
    };
    sheet(InstanceShape::series(3, 1), display, 3, &[-1.0, 5.0, -1.0])
}

fn instances(sheet: &Sheet) -> Vec<Area> {
    let scene = sheet.scene();
    let areas = scene.marks.iter().filter_map(|mark| match mark {
        Mark::Instance { area, .. } => Some(*area),
        Mark::Text { .. } | Mark::Fill { .. } => None,
    });
    areas.collect()
}

/// Width, and bytes of four channels.
fn decoded(file: &[u8]) -> (usize, Vec<u8>) {
    let mut reader = png::Decoder::new(std::io::Cursor::new(file))
        .read_info()
        .unwrap();
    let mut bytes = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut bytes).unwrap();
    assert_eq!(info.color_type, png::ColorType::Rgba);
    (info.width as usize, bytes)
}

/// Colours of a sheet's PNG at places given as shares of its first instance.
fn colours<const N: usize>(sheet: &Sheet, places: [(f64, f64); N]) -> [[u8; 3]; N] {
    let area = instances(sheet)[0];
    let (width, bytes) = decoded(&raster(&sheet.scene()).unwrap());
    places.map(|(across, down)| {
        let column = ((area.x + area.w * across) * 2.0) as usize;
        let row = ((area.y + area.h * down) * 2.0) as usize;
        let at = 4 * (row * width + column);
        [bytes[at], bytes[at + 1], bytes[at + 2]]
    })
}

#[test]
fn everything_is_on_the_sheet_and_nothing_overlaps() {
    for sheet in [grey(None), series()] {
        let areas = instances(&sheet);
        let scene = sheet.scene();
        let steps: usize = sheet.traversals.iter().map(|t| t.rows[0].len()).sum();
        assert!(areas.len() > 3 * steps + 40, "{}", areas.len());
        for (index, a) in areas.iter().enumerate() {
            assert!(a.x >= 0.0 && a.x + a.w <= scene.width && a.y + a.h <= scene.height);
            for b in &areas[..index] {
                let apart =
                    a.x >= b.x + b.w || b.x >= a.x + a.w || a.y >= b.y + b.h || b.y >= a.y + a.h;
                assert!(apart, "{a:?} {b:?}");
            }
        }
    }
}

#[test]
fn a_choice_among_many_goes_on_below() {
    let mut wide = grey(None);
    wide.traversals.remove(1);
    wide.samples.clear();
    wide.traversals[0].rows = vec![vec![vec![0.0; 4]; 100]];
    let areas = instances(&wide);
    assert_eq!(areas.len(), 100);
    let rows: std::collections::BTreeSet<i64> = areas.iter().map(|a| a.y as i64).collect();
    assert!(rows.len() > 2, "{rows:?}");
}

#[test]
fn an_svg_has_labels_and_pictures_as_participants_see_them() {
    let file = svg(&grey(None).scene()).unwrap();
    assert!(file.starts_with("<svg ") && file.ends_with("</svg>\n"));
    assert!(file.contains("A &lt;model&gt; &amp; more"));
    assert!(file.contains(">Dial 2</text>"));
    assert_eq!(
        file.matches("<image ").count(),
        instances(&grey(None)).len()
    );

    let curves = svg(&series().scene()).unwrap();
    assert!(!curves.contains("<image "));
    let strokes = curves.matches("stroke-linejoin").count();
    assert_eq!(strokes, instances(&series()).len());
    assert_eq!(curves.matches("stroke-dasharray").count(), strokes);
}

#[test]
fn a_png_has_the_greys_colours_and_curves() {
    let quarters = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75), (0.75, 0.75)];
    // What is no number is black.
    let shades = [[0; 3], [255; 3], [102; 3], [0; 3]];
    assert_eq!(colours(&grey(None), quarters), shades);
    let below = colours(&grey(Some(0.3)), [(0.25, 0.75)]);
    assert_eq!(below, [[255; 3]]);
    let above = colours(&grey(Some(0.5)), [(0.25, 0.75)]);
    assert_eq!(above, [[0; 3]]);

    let shape = InstanceShape::image(1, 2, 3);
    let rgb = sheet(shape, display(), 2, &[1.0, 0.0, 0.2, 0.0, 0.4, 1.0]);
    let halves = colours(&rgb, [(0.25, 0.5), (0.75, 0.5)]);
    assert_eq!(halves, [[255, 0, 51], [0, 102, 255]]);

    // Up from the lower left, and down again from the upper edge where it leaves the plot.
    let places = [(0.25, 0.5), (0.75, 0.5), (0.5, 0.9), (0.05, 0.1)];
    assert_eq!(colours(&series(), places), [BLUE, BLUE, PLOT, PLOT]);
}

#[test]
fn the_matrix_is_as_dark_as_there_is_information() {
    let mut sheet = grey(None);
    sheet.matrix = Some(InformationMatrix {
        factors: vec![("shape".to_owned(), 2.0), ("scale".to_owned(), 1.0)],
        bits: vec![vec![2.0, 0.0], vec![0.5, 1.0]],
        notes: vec!["a note".to_owned()],
    });
    let scene = sheet.scene();
    let fills: Vec<[u8; 3]> = scene
        .marks
        .iter()
        .filter_map(|mark| match mark {
            Mark::Fill { colour, .. } => Some(*colour),
            Mark::Text { .. } | Mark::Instance { .. } => None,
        })
        .collect();
    assert_eq!(fills.len(), 4);
    assert_eq!(fills[0], BLUE);
    assert!(fills[1][0] > fills[2][0] && fills[2][0] > fills[3][0] && fills[3][0] > fills[0][0]);
    let file = svg(&scene).unwrap();
    for text in [">shape<", ">2.00<", ">0.50<", ">a note<", ">entropy<"] {
        assert!(file.contains(text), "{text}");
    }
}

#[test]
fn several_curves_have_a_plot_each() {
    let mut several = series();
    several.shape = InstanceShape::series(2, 2);
    if let Some(axes) = &mut several.display.series {
        axes.guide_at = None;
        axes.curve_ends = vec![[-1.0, 1.0], [0.0, 100.0]];
    }
    // Through the middle of both plots, by the ends that each has.
    let values = vec![0.0, 50.0, 0.0, 50.0];
    for traversal in &mut several.traversals {
        traversal.rows = vec![vec![values.clone(); 3]; 3];
    }
    let places = [(0.5, 0.05), (0.5, 0.24), (0.5, 0.55), (0.5, 0.74)];
    let inked = colours(&several, places).map(|[red, ..]| red < 128);
    assert_eq!(inked, [false, true, false, true]);
}

#[test]
fn values_beyond_zero_and_one_have_the_shades_of_their_range() {
    let mut wide = grey(None);
    wide.display.value_range = Some([-1.0, 3.0]);
    let quarters = [(0.25, 0.25), (0.75, 0.25), (0.25, 0.75)];
    // 0, 1 and 0.4 of -1 to 3, in 255 steps.
    assert_eq!(colours(&wide, quarters), [[64; 3], [128; 3], [89; 3]]);
}
