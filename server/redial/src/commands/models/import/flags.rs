//! What people write after the flags of `redial models import`.

use domain::model::InstanceShape;
use domain::model::distance::{Distance, PerChannel};
use import::suggestion::DistanceChoice;

/// `MIN:MAX`.
pub fn ends(text: &str) -> Result<(f64, f64), String> {
    text.split_once(':')
        .and_then(|(low, high)| Some((number(low)?, number(high)?)))
        .ok_or_else(|| "write two numbers with a colon between them, as -3:3".to_owned())
}

/// `bray-curtis`, `iou:CUT`, `ssim[:SCALES[,RANGE]]`, `jaccard` or `mean-absolute`; the numbers of the last two may
/// follow, one for all curves or colours or one for each, or are taken from the values.
pub fn distance(text: &str) -> Result<DistanceChoice, String> {
    let (kind, numbers) = match text.split_once(':') {
        Some((kind, numbers)) => {
            let numbers: Option<Vec<f64>> = numbers.split(',').map(number).collect();
            let numbers = numbers.and_then(PerChannel::of_each);
            (
                kind.trim(),
                Some(numbers.ok_or_else(|| DISTANCES.to_owned())?),
            )
        }
        None => (text.trim(), None),
    };
    let distance = match (kind, numbers) {
        ("bray-curtis", None) => Distance::BrayCurtis,
        ("jaccard", None) => return Ok(DistanceChoice::Jaccard),
        ("mean-absolute", None) => return Ok(DistanceChoice::MeanAbsolute),
        ("ssim", None) => return Ok(DistanceChoice::Ssim(1)),
        ("ssim", Some(numbers)) => {
            return ssim(numbers.numbers()).ok_or_else(|| DISTANCES.to_owned());
        }
        ("jaccard", Some(tolerance)) => Distance::Jaccard { tolerance },
        ("mean-absolute", Some(range)) => Distance::MeanAbsolute { range },
        ("iou", Some(cut)) if cut.numbers().len() == 1 => Distance::Iou {
            binarise_at: cut.of(0),
        },
        _ => return Err(DISTANCES.to_owned()),
    };
    let channels = numbers_of(&distance).map_or(1, |numbers| numbers.numbers().len());
    match distance.problem(InstanceShape::series(1, channels)) {
        Some(problem) => Err(format!("{problem}; write {DISTANCES}")),
        None => Ok(DistanceChoice::Given(distance)),
    }
}

/// SSIM with a number of scales and, if it is told, a range.
fn ssim(numbers: &[f64]) -> Option<DistanceChoice> {
    let scales = (1..=5u8).find(|scales| numbers.first() == Some(&f64::from(*scales)))?;
    match numbers {
        [_] => Some(DistanceChoice::Ssim(scales)),
        &[_, range] if range > 0.0 => Some(DistanceChoice::Given(Distance::Ssim { range, scales })),
        _ => None,
    }
}

/// The distances there are.
pub const DISTANCES: &str = "bray-curtis (pictures from black to white: share of what differs), iou:CUT (shapes: overlap of what is above CUT, as iou:0.5), ssim or ssim:SCALES (pictures of at least 11 × 11 pixels: likeness as people see it, at 1 to 5 scales), jaccard or jaccard:TOLERANCE (curves: share of points further apart than TOLERANCE), or mean-absolute or mean-absolute:RANGE (values of any sign: mean difference as a share of RANGE)";

fn numbers_of(distance: &Distance) -> Option<&PerChannel> {
    match distance {
        Distance::Jaccard { tolerance } => Some(tolerance),
        Distance::MeanAbsolute { range } => Some(range),
        Distance::BrayCurtis | Distance::Iou { .. } | Distance::Ssim { .. } => None,
    }
}

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
pub fn distance_text(distance: &Distance) -> String {
    let name = match distance {
        Distance::BrayCurtis => return "bray-curtis".to_owned(),
        Distance::Iou { binarise_at } => return format!("iou:{binarise_at}"),
        Distance::Ssim { range, scales } => return format!("ssim:{scales},{range}"),
        Distance::Jaccard { .. } => "jaccard",
        Distance::MeanAbsolute { .. } => "mean-absolute",
    };
    let numbers = numbers_of(distance).map_or(&[][..], PerChannel::numbers);
    let numbers: Vec<String> = numbers.iter().map(f64::to_string).collect();
    format!("{name}:{}", numbers.join(","))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn distances_are_read_as_they_are_written() {
        for text in [
            "bray-curtis",
            "jaccard:0.5",
            "jaccard:0.5,20",
            "mean-absolute:2",
            "mean-absolute:1,2,3",
            "iou:0.25",
            "ssim:1,1",
            "ssim:3,2.5",
        ] {
            let DistanceChoice::Given(told) = distance(text).unwrap() else {
                panic!("{text}");
            };
            assert_eq!(distance_text(&told), text);
        }
        assert_eq!(distance("jaccard"), Ok(DistanceChoice::Jaccard));
        assert_eq!(distance("ssim"), Ok(DistanceChoice::Ssim(1)));
        assert_eq!(distance("ssim:2"), Ok(DistanceChoice::Ssim(2)));
        for bad in [
            "jaccard:-1",
            "jaccard:",
            "mean-absolute:0",
            "iou",
            "iou:nan",
            "iou:1,2",
            "bray-curtis:1",
            "ssim:6",
            "ssim:1.5",
            "ssim:1,0",
            "ssim:1,1,1",
            "cosine",
        ] {
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
