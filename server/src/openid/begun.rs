//! Sign-ins that have begun and not come back. A restart forgets them: whoever is under way begins again.

use std::collections::HashMap;

use openidconnect::{Nonce, PkceCodeVerifier, RedirectUrl};

use super::LONGEST_MS;
use crate::limits::Origin;
use crate::secrets::TokenHash;

/// Most that are under way from one address. The oldest makes room: so many are of one who tries, not of a team.
const OF_ADDRESS: usize = 50;

/// Most that are under way.
const MOST: usize = 10_000;

/// A sign-in that has begun.
pub(super) struct Begun {
    /// Hash of what its browser shows.
    pub browser: TokenHash,
    /// The nonce that the provider has to sign, so that its answer was for this sign-in.
    pub nonce: Nonce,
    /// The secret that only we know, so that nobody else makes anything of the code.
    pub verifier: PkceCodeVerifier,
    /// The address to come back to.
    pub redirect: RedirectUrl,
    /// The page to show then.
    pub back: String,
    /// The origin of the person who began it.
    pub origin: Origin,
    /// When, in milliseconds since 1970.
    pub at_unix_ms: u64,
}

/// Those that are under way, by the hash of their state.
#[derive(Default)]
pub(super) struct BegunSignIns(HashMap<[u8; 32], Begun>);

impl BegunSignIns {
    pub(super) fn add(&mut self, state: TokenHash, begun: Begun) {
        let now = begun.at_unix_ms;
        self.0.retain(|_, it| is_under_way(it, now));
        let of_address = |it: &Begun| it.origin == begun.origin;
        if self.0.values().filter(|it| of_address(it)).count() >= OF_ADDRESS {
            self.remove_oldest(of_address);
        }
        if self.0.len() >= MOST {
            self.remove_oldest(|_| true);
        }
        self.0.insert(state.0, begun);
    }

    /// The one with a state, which is under way no more.
    pub(super) fn take(&mut self, state: &TokenHash, now: u64) -> Option<Begun> {
        self.0.remove(&state.0).filter(|it| is_under_way(it, now))
    }

    fn remove_oldest(&mut self, of: impl Fn(&Begun) -> bool) {
        let some = self.0.iter().filter(|(_, it)| of(it));
        let oldest = some
            .min_by_key(|(_, it)| it.at_unix_ms)
            .map(|(key, _)| *key);
        if let Some(oldest) = oldest {
            self.0.remove(&oldest);
        }
    }
}

/// A clock that was set back keeps none under way for longer.
fn is_under_way(begun: &Begun, now: u64) -> bool {
    now.abs_diff(begun.at_unix_ms) < LONGEST_MS
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};

    use super::*;

    fn begun(last: u8, at_unix_ms: u64) -> Begun {
        Begun {
            browser: TokenHash([0; 32]),
            nonce: Nonce::new(String::new()),
            verifier: PkceCodeVerifier::new(String::new()),
            redirect: RedirectUrl::new("http://localhost/".to_owned()).unwrap(),
            back: String::new(),
            origin: IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)).into(),
            at_unix_ms,
        }
    }

    fn state(number: u64) -> TokenHash {
        TokenHash::of(&number.to_string())
    }

    #[test]
    fn a_sign_in_comes_back_once_and_within_ten_minutes() {
        let mut all = BegunSignIns::default();
        all.add(state(1), begun(1, 5_000));
        assert!(all.take(&state(2), 5_000).is_none());
        assert!(all.take(&state(1), 5_000 + LONGEST_MS - 1).is_some());
        assert!(all.take(&state(1), 5_001).is_none(), "once");
        all.add(state(1), begun(1, 5_000));
        assert!(all.take(&state(1), 5_000 + LONGEST_MS).is_none());
    }

    #[test]
    fn whoever_begins_again_and_again_puts_nobody_else_out() {
        let mut all = BegunSignIns::default();
        all.add(state(0), begun(1, 0));
        for number in 1..=200 {
            all.add(state(number), begun(2, number));
        }
        assert!(all.take(&state(0), 200).is_some());
        assert!(all.take(&state(150), 200).is_none());
        assert!(all.take(&state(151), 200).is_some());
        // A sign-in that is over takes no room.
        all.add(state(300), begun(3, 2 * LONGEST_MS));
        assert_eq!(all.0.len(), 1);
    }
}
