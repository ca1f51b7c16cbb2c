//! How often somebody may try to sign in.

use std::collections::HashMap;
use std::hash::Hash;

use super::{AccessError, HOUR_MS, MINUTE_MS, Result};
use crate::limits::Origin;

/// Wrong passwords within this time count, in milliseconds.
const WINDOW_MS: u64 = 15 * MINUTE_MS;
/// So many for one account, then it has to wait.
const OF_ACCOUNT: usize = 5;
/// So many from one address.
const OF_ADDRESS: usize = 20;
/// The first wait, in milliseconds. Each further wrong password doubles it.
const FIRST_WAIT_MS: u64 = MINUTE_MS;
/// The longest wait, in milliseconds.
const LONGEST_WAIT_MS: u64 = HOUR_MS;
/// Most accounts and most addresses that are kept. A person who makes names up to be forgotten is stopped by their
/// address before.
const MOST: usize = 20_000;

/// Tries to sign in, by account and by address. Every try counts as wrong from its beginning on, so that many at once
/// do not slip through; a right one takes that back. Names are counted whether there is somebody of that name or not.
#[derive(Debug, Default)]
pub(super) struct Throttle {
    accounts: Tries<String>,
    addresses: Tries<Origin>,
}

impl Throttle {
    /// Somebody tries, at a time in milliseconds since 1970. Gives whether it is the last try before a wait.
    ///
    /// # Errors
    /// When they have to wait.
    pub(super) fn begin(&mut self, name: &str, origin: Origin, now: u64) -> Result<bool> {
        let waits = [
            self.accounts.wait(&name.to_owned(), now),
            self.addresses.wait(&origin, now),
        ];
        if let Some(wait_ms) = waits.into_iter().max().filter(|&wait| wait > 0) {
            return Err(AccessError::Wait { wait_ms });
        }
        let of_account = self.accounts.add(name.to_owned(), OF_ACCOUNT, now);
        let of_address = self.addresses.add(origin, OF_ADDRESS, now);
        Ok(of_account || of_address)
    }

    /// Somebody tries without a name, at a time in milliseconds since 1970.
    ///
    /// # Errors
    /// When their address has to wait.
    pub(super) fn begin_nameless(&mut self, origin: Origin, now: u64) -> Result<()> {
        match self.addresses.wait(&origin, now) {
            0 => {
                self.addresses.add(origin, OF_ADDRESS, now);
                Ok(())
            }
            wait_ms => Err(AccessError::Wait { wait_ms }),
        }
    }

    /// The try was right.
    pub(super) fn succeeded(&mut self, name: &str, origin: Origin) {
        self.accounts.0.remove(name);
        self.take_back(origin);
    }

    /// The last try from an address was none that counts.
    pub(super) fn take_back(&mut self, origin: Origin) {
        // Others behind the address may go on guessing: only this one is taken back.
        if let Some(tries) = self.addresses.0.get_mut(&origin) {
            tries.at.pop();
            if tries.at.len() < OF_ADDRESS {
                tries.waits_until = 0;
                tries.wait = 0;
            }
        }
    }
}

#[derive(Debug)]
struct Tries<K>(HashMap<K, TriesOfOne>);

impl<K> Default for Tries<K> {
    fn default() -> Self {
        Self(HashMap::new())
    }
}

#[derive(Debug, Default)]
struct TriesOfOne {
    /// When, the oldest first.
    at: Vec<u64>,
    waits_until: u64,
    /// The last wait.
    wait: u64,
}

impl TriesOfOne {
    fn is_over(&self, now: u64) -> bool {
        let last = self.at.last().copied().unwrap_or(0).max(self.waits_until);
        now >= last.saturating_add(WINDOW_MS)
    }
}

impl<K: Eq + Hash + Clone> Tries<K> {
    fn wait(&self, who: &K, now: u64) -> u64 {
        let until = self.0.get(who).map_or(0, |tries| tries.waits_until);
        // A clock that was set back keeps nobody out for longer than the longest wait.
        until.saturating_sub(now).min(LONGEST_WAIT_MS)
    }

    /// Whether it is the last one before a wait.
    fn add(&mut self, who: K, most: usize, now: u64) -> bool {
        if self.0.len() >= MOST && !self.0.contains_key(&who) {
            self.0.retain(|_, tries| !tries.is_over(now));
            let oldest = self.0.iter().min_by_key(|(_, tries)| tries.at.last());
            if let (true, Some(oldest)) = (self.0.len() >= MOST, oldest.map(|(who, _)| who.clone()))
            {
                self.0.remove(&oldest);
            }
        }
        let tries = self.0.entry(who).or_default();
        if tries.is_over(now) {
            *tries = TriesOfOne::default();
        }
        // Once there was a wait, every further try leads to the next one.
        let again = tries.wait > 0;
        tries
            .at
            .retain(|&at| again || at.saturating_add(WINDOW_MS) > now);
        tries.at.push(now);
        let last = again || tries.at.len() >= most;
        if last {
            tries.wait = (2 * tries.wait).clamp(FIRST_WAIT_MS, LONGEST_WAIT_MS);
            tries.waits_until = now.saturating_add(tries.wait);
            let surplus = tries.at.len().saturating_sub(most);
            tries.at.drain(..surplus);
        }
        last
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;
    use std::net::{IpAddr, Ipv4Addr};

    fn origin(last: u8) -> Origin {
        IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)).into()
    }

    fn waits(throttle: &mut Throttle, name: &str, last: u8, now: u64) -> u64 {
        match throttle.begin(name, origin(last), now) {
            Ok(_) => 0,
            Err(AccessError::Wait { wait_ms }) => wait_ms,
            Err(other) => panic!("{other}"),
        }
    }

    #[test]
    fn five_wrong_ones_make_an_account_wait_and_waits_double_to_an_hour() {
        let mut throttle = Throttle::default();
        for second in 0..5 {
            assert_eq!(waits(&mut throttle, "ada", 1, second * 1_000), 0);
        }
        // From other addresses, too; other accounts do not wait.
        assert_eq!(waits(&mut throttle, "ada", 2, 5_000), 59_000);
        assert_eq!(waits(&mut throttle, "bob", 2, 5_000), 0);
        let mut now = 64_000;
        for minutes in [2, 4, 8, 16, 32, 60, 60] {
            assert_eq!(waits(&mut throttle, "ada", 2, now), 0);
            assert_eq!(waits(&mut throttle, "ada", 3, now), minutes * MINUTE_MS);
            now += minutes * MINUTE_MS;
        }
        // A quarter of an hour after the last wait has ended all is forgotten.
        now += WINDOW_MS;
        for _ in 0..5 {
            assert_eq!(waits(&mut throttle, "ada", 4, now), 0);
        }
        assert_eq!(waits(&mut throttle, "ada", 4, now), MINUTE_MS);
    }

    #[test]
    fn four_in_each_quarter_of_an_hour_wait_for_nothing() {
        let mut throttle = Throttle::default();
        for quarter in 0..10 {
            for n in 0..4 {
                assert_eq!(waits(&mut throttle, "ada", 1, quarter * WINDOW_MS + n), 0);
            }
        }
    }

    #[test]
    fn twenty_wrong_ones_make_an_address_wait() {
        let mut throttle = Throttle::default();
        for n in 0..20 {
            assert_eq!(waits(&mut throttle, &format!("name-{n}"), 1, n), 0);
        }
        assert!(waits(&mut throttle, "another", 1, 20) > 0);
        assert_eq!(waits(&mut throttle, "another", 2, 20), 0);
    }

    #[test]
    fn a_right_one_takes_its_try_back() {
        let mut throttle = Throttle::default();
        for n in 0..100 {
            assert_eq!(waits(&mut throttle, "ada", 1, n), 0);
            throttle.succeeded("ada", origin(1));
        }
        // Those who guess beside her are not let off.
        for n in 0..20 {
            assert_eq!(waits(&mut throttle, &format!("name-{n}"), 1, 200), 0);
        }
        assert!(waits(&mut throttle, "ada", 1, 200) > 0);
    }

    #[test]
    fn names_that_are_made_up_take_no_more_room_than_there_is() {
        let mut throttle = Throttle::default();
        for n in 0..3 * MOST as u64 {
            let _ = throttle.begin(&format!("name-{n}"), origin((n % 250) as u8), n);
        }
        assert!(throttle.accounts.0.len() <= MOST);
    }
}
