//! Playing a session: which moment is shown as time goes by.

use domain::lanes::Span;

/// Speeds that a session is played at, as multiples of its own.
pub const SPEEDS: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// The moment that is shown, and whether it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Player {
    at_ms: f64,
    speed: f64,
    playing: bool,
    skips: bool,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            at_ms: 0.0,
            speed: 1.0,
            playing: false,
            skips: true,
        }
    }
}

impl Player {
    /// The moment, in milliseconds since the session's start.
    #[must_use]
    pub fn at_ms(&self) -> u64 {
        self.at_ms as u64
    }

    /// How many times as fast as the session it plays.
    #[must_use]
    pub fn speed(&self) -> f64 {
        self.speed
    }

    /// Whether it plays.
    #[must_use]
    pub fn is_playing(&self) -> bool {
        self.playing
    }

    /// Whether it jumps over long rests while it plays.
    #[must_use]
    pub fn skips(&self) -> bool {
        self.skips
    }

    /// Another moment, at most the end.
    pub fn seek(&mut self, at_ms: u64, end_ms: u64) {
        self.at_ms = at_ms.min(end_ms) as f64;
    }

    /// Another speed; one that it does not have stays without effect.
    pub fn set_speed(&mut self, speed: f64) {
        if SPEEDS.contains(&speed) {
            self.speed = speed;
        }
    }

    /// The next speed up or down, if there is one.
    pub fn change_speed(&mut self, faster: bool) {
        let here = SPEEDS.iter().position(|speed| *speed >= self.speed);
        let here = here.unwrap_or(SPEEDS.len() - 1);
        let there = if faster {
            (here + 1).min(SPEEDS.len() - 1)
        } else {
            here.saturating_sub(1)
        };
        self.speed = SPEEDS[there];
    }

    /// Whether long rests are jumped over.
    pub fn set_skips(&mut self, skips: bool) {
        self.skips = skips;
    }

    /// Plays or stops. From the end it plays from the beginning.
    pub fn toggle(&mut self, end_ms: u64) {
        self.playing = !self.playing;
        if self.playing && self.at_ms() >= end_ms {
            self.at_ms = 0.0;
        }
    }

    /// Stops.
    pub fn stop(&mut self) {
        self.playing = false;
    }

    /// So much time has gone by, in milliseconds. It stops at the end.
    pub fn pass(&mut self, elapsed_ms: f64, end_ms: u64, rests: &[Span]) {
        if !self.playing || elapsed_ms.is_nan() {
            return;
        }
        let by_ms = elapsed_ms.max(0.0) * self.speed;
        self.at_ms = if self.skips {
            skipping(self.at_ms, by_ms, rests)
        } else {
            self.at_ms + by_ms
        };
        if self.at_ms >= end_ms as f64 {
            self.at_ms = end_ms as f64;
            self.playing = false;
        }
    }
}

/// The moment `by_ms` after another, when rests take no time. They are in order.
fn skipping(mut at_ms: f64, mut by_ms: f64, rests: &[Span]) -> f64 {
    let first = rests.partition_point(|rest| rest.to_ms as f64 <= at_ms);
    for rest in &rests[first..] {
        let ahead_ms = rest.from_ms as f64 - at_ms;
        if ahead_ms > by_ms {
            break;
        }
        by_ms -= ahead_ms.max(0.0);
        at_ms = rest.to_ms as f64;
    }
    at_ms + by_ms
}

/// The end of the rest that a moment lies in, if it lies in one. Rests are in order.
#[must_use]
pub fn end_of_rest(rests: &[Span], at_ms: u64) -> Option<u64> {
    let next = rests.partition_point(|rest| rest.to_ms <= at_ms);
    let rest = rests.get(next)?;
    (rest.from_ms <= at_ms).then_some(rest.to_ms)
}

/// The nearest of some moments after one, or before it.
#[must_use]
pub fn nearest(moments: impl Iterator<Item = u64>, at_ms: u64, forward: bool) -> Option<u64> {
    if forward {
        moments.filter(|ms| *ms > at_ms).min()
    } else {
        moments.filter(|ms| *ms < at_ms).max()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RESTS: [Span; 2] = [
        Span {
            from_ms: 4_000,
            to_ms: 20_000,
        },
        Span {
            from_ms: 21_000,
            to_ms: 60_000,
        },
    ];

    fn playing(end_ms: u64) -> Player {
        let mut player = Player::default();
        player.toggle(end_ms);
        player
    }

    #[test]
    fn it_plays_at_its_speed_and_stops_at_the_end() {
        let mut player = Player::default();
        player.pass(1_000.0, 5_000, &[]);
        assert_eq!(player.at_ms(), 0, "it stands still at first");
        player.toggle(5_000);
        player.set_speed(4.0);
        player.pass(500.0, 5_000, &[]);
        assert_eq!(player.at_ms(), 2_000);
        player.set_speed(3.0);
        assert!((player.speed() - 4.0).abs() < f64::EPSILON, "no such speed");
        player.pass(f64::NAN, 5_000, &[]);
        player.pass(-3.0, 5_000, &[]);
        assert_eq!(player.at_ms(), 2_000);
        player.pass(10_000.0, 5_000, &[]);
        assert_eq!((player.at_ms(), player.is_playing()), (5_000, false));
        player.toggle(5_000);
        assert_eq!(player.at_ms(), 0, "from the end it begins again");
        player.seek(9_000, 5_000);
        assert_eq!(player.at_ms(), 5_000);
    }

    #[test]
    fn slow_frames_add_up() {
        let mut player = playing(10_000);
        player.set_speed(0.25);
        for _ in 0..1_000 {
            player.pass(3.3, 10_000, &[]);
        }
        assert!((824..=825).contains(&player.at_ms()), "{}", player.at_ms());
    }

    #[test]
    fn speeds_change_one_by_one() {
        let mut player = Player::default();
        let mut seen = Vec::new();
        for _ in 0..6 {
            player.change_speed(true);
            seen.push(player.speed());
        }
        assert_eq!(seen, [2.0, 4.0, 8.0, 16.0, 16.0, 16.0]);
        for _ in 0..9 {
            player.change_speed(false);
        }
        assert_eq!(player.speed(), 0.25);
    }

    #[test]
    fn rests_are_jumped_over_while_it_plays() {
        let mut player = playing(70_000);
        player.seek(3_000, 70_000);
        player.pass(500.0, 70_000, &RESTS);
        assert_eq!(player.at_ms(), 3_500);
        player.pass(600.0, 70_000, &RESTS);
        assert_eq!(
            player.at_ms(),
            20_100,
            "half a second before the rest, a tenth after it"
        );
        // Both the end of one and all of another within one long frame.
        player.pass(1_000.0, 70_000, &RESTS);
        assert_eq!(player.at_ms(), 60_100);
        player.seek(10_000, 70_000);
        player.pass(1.0, 70_000, &RESTS);
        assert_eq!(player.at_ms(), 20_001, "from within a rest, too");
        player.set_skips(false);
        player.seek(10_000, 70_000);
        player.pass(1_000.0, 70_000, &RESTS);
        assert_eq!(player.at_ms(), 11_000);
    }

    #[test]
    fn a_rest_ends_where_something_happens() {
        let end = |at_ms| end_of_rest(&RESTS, at_ms);
        assert_eq!(
            (end(3_999), end(4_000), end(19_999)),
            (None, Some(20_000), Some(20_000))
        );
        assert_eq!((end(20_000), end(60_000)), (None, None));
        assert_eq!(end_of_rest(&[], 5), None);
    }

    #[test]
    fn the_nearest_moment_is_another_one() {
        let near = |at_ms, forward| nearest([5, 9, 1].into_iter(), at_ms, forward);
        assert_eq!((near(5, true), near(5, false)), (Some(9), Some(1)));
        assert_eq!((near(9, true), near(1, false)), (None, None));
    }
}
