//! The table of frames: what is seen in each, and when.

use frontend::replay::slide::{Card, Slide};

/// Most frames in one file.
pub const MOST_FRAMES: usize = 1_500;

/// The head of the table.
pub const HEAD: &str = "frame,file,clock_ms,session,ordinal,session_ms,question_ms,seq,outcome,alignment,squared_error,z\r\n";

/// Of many moments as many as fit, evenly; the first and the last are among them.
pub fn thinned(moments: &[u64], most: usize) -> Vec<u64> {
    if moments.len() <= most || most < 2 {
        return moments.iter().copied().take(most.max(1)).collect();
    }
    let last = moments.len() - 1;
    (0..most)
        .map(|place| moments[place * last / (most - 1)])
        .collect()
}

/// Name of a frame's file; frames count from 1.
pub fn file_name(frame: usize) -> String {
    format!("frame-{frame:04}.png")
}

/// The rows of a frame: one for each session in it. A session that has no picture then has no numbers.
pub fn rows(frame: usize, clock_ms: u64, slide: &Slide) -> String {
    let row = |card: &Card| {
        let start = format!(
            "{frame},{},{clock_ms},{},{}",
            file_name(frame),
            card.session,
            card.ordinal
        );
        let Ok(still) = &card.still else {
            return format!("{start},,,,,,,\r\n");
        };
        let number = |value: Option<f64>| value.map(|it| it.to_string()).unwrap_or_default();
        let z: Vec<String> = still.z.iter().map(ToString::to_string).collect();
        format!(
            "{start},{},{},{},{},{},{},\"[{}]\"\r\n",
            still.at_ms,
            still.elapsed_ms,
            still.seq.map(|it| it.to_string()).unwrap_or_default(),
            still.outcome.map_or("", |it| it.name()),
            number(still.alignment),
            number(still.squared_error),
            z.join(",")
        )
    };
    slide.cards.iter().map(row).collect()
}

#[cfg(test)]
mod tests {
    use frontend::replay::still::NoStill;

    use super::*;

    #[test]
    fn of_many_moments_the_first_and_the_last_stay() {
        let moments: Vec<u64> = (0..1_000).collect();
        assert_eq!(thinned(&moments, 4), [0, 333, 666, 999]);
        assert_eq!(thinned(&moments, 1_000), moments);
        assert_eq!(thinned(&[], 10), Vec::<u64>::new());
        assert_eq!(thinned(&moments, 1), [0]);
    }

    #[test]
    fn each_row_has_all_columns() {
        let slide = Slide {
            caption: String::new(),
            cards: vec![Card {
                session: "s1".to_owned(),
                ordinal: 4,
                cell: String::new(),
                still: Err(NoStill::NoQuestion),
            }],
        };
        let rows = rows(2, 350, &slide);
        assert_eq!(rows, "2,frame-0002.png,350,s1,4,,,,,,,\r\n");
        assert_eq!(rows.matches(',').count(), HEAD.matches(',').count());
    }
}
