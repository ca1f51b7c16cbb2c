//! Playing a session: which moment is shown as time goes by.

/// Speeds that a session is played at, as multiples of its own.
pub const SPEEDS: [f64; 7] = [0.25, 0.5, 1.0, 2.0, 4.0, 8.0, 16.0];

/// A rest that is longer than this can be jumped over, in milliseconds.
pub const LONG_REST_MS: u64 = 10_000;

/// The moment that is shown, and whether it moves.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Player {
    at_ms: f64,
    speed: f64,
    playing: bool,
}

impl Default for Player {
    fn default() -> Self {
        Self {
            at_ms: 0.0,
            speed: 1.0,
            playing: false,
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
    pub fn pass(&mut self, elapsed_ms: f64, end_ms: u64) {
        if !self.playing || elapsed_ms.is_nan() {
            return;
        }
        self.at_ms += elapsed_ms.max(0.0) * self.speed;
        if self.at_ms >= end_ms as f64 {
            self.at_ms = end_ms as f64;
            self.playing = false;
        }
    }
}

/// The end of the rest that a moment lies in, if it is a long one: the time of the next event. Times are those of the
/// events, in order.
#[must_use]
pub fn end_of_rest(times_ms: impl Iterator<Item = u64>, at_ms: u64) -> Option<u64> {
    let mut before = 0;
    for time_ms in times_ms {
        if time_ms > at_ms {
            return (time_ms - before > LONG_REST_MS).then_some(time_ms);
        }
        before = time_ms;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_plays_at_its_speed_and_stops_at_the_end() {
        let mut player = Player::default();
        player.pass(1_000.0, 5_000);
        assert_eq!(player.at_ms(), 0, "it stands still at first");
        player.toggle(5_000);
        player.set_speed(4.0);
        player.pass(500.0, 5_000);
        assert_eq!(player.at_ms(), 2_000);
        player.set_speed(3.0);
        assert!((player.speed() - 4.0).abs() < f64::EPSILON, "no such speed");
        player.pass(f64::NAN, 5_000);
        player.pass(-3.0, 5_000);
        assert_eq!(player.at_ms(), 2_000);
        player.pass(10_000.0, 5_000);
        assert_eq!((player.at_ms(), player.is_playing()), (5_000, false));
        player.toggle(5_000);
        assert_eq!(player.at_ms(), 0, "from the end it begins again");
        player.seek(9_000, 5_000);
        assert_eq!(player.at_ms(), 5_000);
    }

    #[test]
    fn only_long_rests_are_jumped_over() {
        let times = [1_000, 4_000, 20_000, 21_000];
        let end = |at_ms| end_of_rest(times.into_iter(), at_ms);
        assert_eq!(end(4_000), Some(20_000));
        assert_eq!(end(12_345), Some(20_000));
        assert_eq!(end(1_000), None);
        assert_eq!(end(20_500), None);
        assert_eq!(end(30_000), None);
        assert_eq!(end_of_rest(std::iter::empty(), 0), None);
    }
}
