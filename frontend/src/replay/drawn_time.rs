//! Where a session's time lies on its timeline: long rests are drawn short, everything else to scale.

use domain::lanes::Span;

/// No rest is drawn longer than this, in milliseconds of a time that is drawn to scale.
const LONGEST: f64 = 30_000.0;

/// Nor shorter, unless it is shorter itself.
const SHORTEST: f64 = 2_000.0;

/// Share of the rest of the session that one rest may take.
const ONE: f64 = 0.04;

/// Share of the rest of the session that all of them may take together.
const ALL: f64 = 0.5;

/// A session's time, drawn. Session time is in milliseconds since the start. Drawn time is too, but rests are shorter in it.
#[derive(Debug, Clone, PartialEq)]
pub struct DrawnTime {
    /// Moments of the session and where they are drawn; between two of them to scale. The first is (0, 0).
    knots: Vec<(f64, f64)>,
}

impl DrawnTime {
    /// The time until `end_ms` with its long rests, in order and apart from each other. Events of `afterwards` lie
    /// behind a last rest, however long that is.
    #[must_use]
    pub fn new(rests: &[Span], afterwards: Option<Span>, end_ms: u64) -> Self {
        let rests = rests.iter().filter(|rest| rest.to_ms <= end_ms);
        // While a log is read, its end may be known before what came after it.
        let afterwards = afterwards.filter(|after| after.from_ms >= end_ms);
        let end = afterwards.map_or(end_ms, |after| after.to_ms) as f64;
        let rests = rests.chain(&afterwards);
        let rests: Vec<(f64, f64)> = rests
            .map(|rest| (rest.from_ms as f64, rest.to_ms as f64))
            .collect();
        let resting: f64 = rests.iter().map(|(from, to)| to - from).sum();
        let busy = (end - resting).max(0.0);
        let most = (busy * ALL / rests.len().max(1) as f64).min(busy * ONE);
        let most = most.clamp(SHORTEST, LONGEST);
        let mut knots = vec![(0.0, 0.0)];
        for (from, to) in rests {
            let drawn = drawn_to_scale(&knots, from);
            knots.push((from, drawn));
            knots.push((to, drawn + (to - from).min(most)));
        }
        let drawn = drawn_to_scale(&knots, end);
        knots.push((end, drawn));
        knots.dedup_by(|later, earlier| later.0 <= earlier.0);
        Self { knots }
    }

    /// Where a moment is drawn. A moment after the end lies at the end.
    #[must_use]
    pub fn drawn(&self, ms: u64) -> f64 {
        let ms = ms as f64;
        let after = self.knots.partition_point(|(at, _)| *at <= ms);
        self.between(after, |(at, drawn)| (at, drawn), ms)
    }

    /// The moment that is drawn at a place. A place outside gives the beginning or the end.
    #[must_use]
    pub fn moment(&self, drawn: f64) -> u64 {
        let drawn = if drawn.is_nan() { 0.0 } else { drawn.max(0.0) };
        let after = self.knots.partition_point(|(_, at)| *at <= drawn);
        let ms = self.between(after, |(at, drawn)| (drawn, at), drawn);
        ms.round() as u64
    }

    /// How long all of it is, drawn.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.knots.last().map_or(0.0, |last| last.1)
    }

    /// The value between the knots before and at index `after`; `side` says which of a knot's numbers is looked up,
    /// and which is wanted.
    fn between(&self, after: usize, side: impl Fn((f64, f64)) -> (f64, f64), at: f64) -> f64 {
        let before = side(self.knots[after.saturating_sub(1).min(self.knots.len() - 1)]);
        let Some(next) = self.knots.get(after).map(|knot| side(*knot)) else {
            return before.1;
        };
        if next.0 <= before.0 {
            return before.1;
        }
        before.1 + (at - before.0) / (next.0 - before.0) * (next.1 - before.1)
    }
}

/// Where a moment after the last knot is drawn.
fn drawn_to_scale(knots: &[(f64, f64)], ms: f64) -> f64 {
    knots
        .last()
        .map_or(ms, |(at, drawn)| drawn + (ms - at).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rest(from_ms: u64, to_ms: u64) -> Span {
        Span { from_ms, to_ms }
    }

    /// Twenty minutes, with an hour's rest and one at the end.
    fn session() -> DrawnTime {
        let rests = [rest(300_000, 3_900_000), rest(4_780_000, 4_800_000)];
        DrawnTime::new(&rests, None, 4_800_000)
    }

    #[test]
    fn what_is_no_rest_is_drawn_to_scale() {
        let drawn = session();
        assert!((drawn.drawn(300_000) - 300_000.0).abs() < 1e-6);
        let later = drawn.drawn(4_780_000) - drawn.drawn(3_900_000);
        assert!((later - 880_000.0).abs() < 1e-6);
    }

    #[test]
    fn a_long_rest_is_short() {
        let drawn = session();
        let hour = drawn.drawn(3_900_000) - drawn.drawn(300_000);
        assert!((hour - LONGEST).abs() < 1e-6, "{hour}");
        // One that is short anyway keeps its length.
        let end = drawn.length() - drawn.drawn(4_780_000);
        assert!((end - 20_000.0).abs() < 1e-6, "{end}");
    }

    #[test]
    fn many_rests_leave_room_for_the_rest() {
        let rests: Vec<Span> = (0..60)
            .map(|n| rest(n * 60_000, n * 60_000 + 50_000))
            .collect();
        let drawn = DrawnTime::new(&rests, None, 3_600_000);
        assert!(
            drawn.length() <= 600_000.0 * 1.5 + 1.0,
            "{}",
            drawn.length()
        );
    }

    #[test]
    fn a_week_afterwards_leaves_the_session_its_room() {
        let (end_ms, week_ms) = (178_000, 7 * 24 * 3_600_000);
        let after = rest(end_ms, end_ms + week_ms);
        let drawn = DrawnTime::new(&[], Some(after), end_ms);
        assert!((drawn.drawn(end_ms) - 178_000.0).abs() < 1e-6);
        let share = drawn.drawn(end_ms) / drawn.length();
        assert!(share > 0.95, "{share}");
        // It can be reached all the same.
        assert_eq!(drawn.moment(drawn.length()), end_ms + week_ms);
    }

    #[test]
    fn it_never_goes_back() {
        let drawn = session();
        let mut last = -1.0;
        for ms in (0..=4_800_000).step_by(1_000) {
            let here = drawn.drawn(ms);
            assert!(here > last, "{ms}");
            last = here;
        }
    }

    #[test]
    fn a_place_is_its_moment() {
        let drawn = session();
        for ms in [
            0, 1, 299_999, 300_000, 300_001, 2_000_000, 3_900_000, 4_780_001, 4_800_000,
        ] {
            assert_eq!(drawn.moment(drawn.drawn(ms)), ms);
        }
        assert_eq!(drawn.moment(-5.0), 0);
        assert_eq!(drawn.moment(f64::NAN), 0);
        assert_eq!(drawn.moment(1e12), 4_800_000);
        assert!((drawn.drawn(u64::MAX) - drawn.length()).abs() < 1e-6);
    }

    #[test]
    fn nothing_has_no_length() {
        let drawn = DrawnTime::new(&[], None, 0);
        assert_eq!(
            (drawn.length(), drawn.drawn(5), drawn.moment(7.0)),
            (0.0, 0.0, 0)
        );
        // A session that begins with a rest, and is nothing else.
        let drawn = DrawnTime::new(&[rest(0, 60_000)], None, 60_000);
        assert_eq!(drawn.moment(drawn.length()), 60_000);
        assert_eq!(drawn.moment(drawn.length() / 2.0), 30_000);
    }
}
