//! What people write after the flags of `redial models import`.

use domain::distance::Distance;
use domain::model::InstanceShape;

/// `64`, `28x28` or `28x28x3`.
pub fn shape(text: &str) -> Result<InstanceShape, String> {
    let sides: Option<Vec<usize>> = text
        .split(['x', '×'])
        .map(|side| side.trim().parse().ok().filter(|&n| n > 0))
        .collect();
    match sides.as_deref() {
        Some(&[points]) => Ok(InstanceShape::Series { points }),
        Some(&[height, width]) => Ok(InstanceShape::Image {
            height,
            width,
            channels: 1,
        }),
        Some(&[height, width, channels @ (1 | 3)]) => Ok(InstanceShape::Image {
            height,
            width,
            channels,
        }),
        _ => Err(
            "write HEIGHTxWIDTH for a grey picture, HEIGHTxWIDTHx3 for one in colour, or a number of points for a series"
                .to_owned(),
        ),
    }
}

/// `MIN:MAX`.
pub fn ends(text: &str) -> Result<(f64, f64), String> {
    text.split_once(':')
        .and_then(|(low, high)| Some((number(low)?, number(high)?)))
        .ok_or_else(|| "write two numbers with a colon between them, as -3:3".to_owned())
}

/// `bray-curtis`, `jaccard:TOLERANCE` or `iou:CUT`.
pub fn distance(text: &str) -> Result<Distance, String> {
    let (kind, at) = match text.split_once(':') {
        Some((kind, at)) => (kind.trim(), Some(number(at))),
        None => (text.trim(), None),
    };
    match (kind, at) {
        ("bray-curtis", None) => Ok(Distance::BrayCurtis),
        ("jaccard", Some(Some(tolerance))) if tolerance >= 0.0 => {
            Ok(Distance::Jaccard { tolerance })
        }
        ("iou", Some(Some(binarise_at))) => Ok(Distance::Iou { binarise_at }),
        _ => Err(DISTANCES.to_owned()),
    }
}

/// The distances there are.
pub const DISTANCES: &str = "bray-curtis (grey or coloured pictures: share of what differs), iou:CUT (shapes: overlap of what is above CUT, as iou:0.5), or jaccard:TOLERANCE (curves: share of points further apart than TOLERANCE)";

/// A distance at which a question is solved, in [0, 1).
pub fn threshold(text: &str) -> Result<f64, String> {
    number(text)
        .filter(|at| (0.0..1.0).contains(at))
        .ok_or_else(|| "write a number from 0 to less than 1".to_owned())
}

/// A number above 0.
pub fn positive(text: &str) -> Result<f64, String> {
    number(text)
        .filter(|&n| n > 0.0)
        .ok_or_else(|| "write a number above 0".to_owned())
}

/// Seconds, 0 or more.
pub fn seconds(text: &str) -> Result<f64, String> {
    number(text)
        .filter(|n| (0.0..=86_400.0).contains(n))
        .ok_or_else(|| "write a number of seconds, from 0 to 86400 (a day)".to_owned())
}

/// A number that is one.
pub fn number(text: &str) -> Option<f64> {
    text.trim().parse().ok().filter(|v: &f64| v.is_finite())
}

/// A distance as it is written after `--distance`.
pub fn distance_text(distance: Distance) -> String {
    match distance {
        Distance::BrayCurtis => "bray-curtis".to_owned(),
        Distance::Jaccard { tolerance } => format!("jaccard:{tolerance}"),
        Distance::Iou { binarise_at } => format!("iou:{binarise_at}"),
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn shapes_have_one_to_three_sides() {
        assert_eq!(shape("64"), Ok(InstanceShape::Series { points: 64 }));
        let picture = |height, width, channels| InstanceShape::Image {
            height,
            width,
            channels,
        };
        assert_eq!(shape("20x12"), Ok(picture(20, 12, 1)));
        assert_eq!(shape("20×12×3"), Ok(picture(20, 12, 3)));
        for bad in ["", "x", "0x3", "2x3x4", "1x2x3x4", "-3"] {
            assert!(shape(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn distances_are_read_as_they_are_written() {
        for text in ["bray-curtis", "jaccard:0.5", "iou:0.25"] {
            assert_eq!(distance_text(distance(text).unwrap()), text);
        }
        for bad in ["jaccard", "iou", "iou:nan", "bray-curtis:1", "cosine"] {
            assert!(distance(bad).unwrap_err().contains("bray-curtis"), "{bad}");
        }
    }

    #[test]
    fn numbers_are_finite() {
        assert_eq!(ends("-3: 4.5"), Ok((-3.0, 4.5)));
        assert!(ends("3").is_err() && ends("0:inf").is_err());
        assert_eq!(threshold("0.1"), Ok(0.1));
        assert!(threshold("1").is_err() && threshold("-0.1").is_err());
        assert_eq!((positive("0.5"), seconds("0")), (Ok(0.5), Ok(0.0)));
        assert!(positive("0").is_err() && positive("nan").is_err() && positive("-1").is_err());
        assert!(seconds("nan").is_err() && seconds("-1").is_err() && seconds("inf").is_err());
    }
}
