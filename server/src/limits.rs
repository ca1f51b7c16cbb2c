//! What one client, and all of them together, may take of the server.
//!
//! Limits keep out who takes everything: they never stand in the way of a participant who is in a
//! session. Requests that show a session's token are not counted; what is limited is the number of
//! connections, the time that a connection may be idle or stall, and the rate of *Start*.

use std::collections::HashMap;
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use axum::http::HeaderMap;
use governor::clock::{Clock as _, DefaultClock};
use governor::{DefaultKeyedRateLimiter, Quota, RateLimiter};
use ipnet::IpNet;

/// The limits of a server.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Connections in all. A browser opens up to seven.
    pub connections: usize,
    /// Connections from one address: a classroom or a company can stand behind one.
    pub connections_of_one: usize,
    /// How long a connection may take for the head of a request, and wait for the next one.
    pub head: Duration,
    /// How long a body may take; each KiB that arrives gives it another second.
    pub body: Duration,
    /// How long an answer may stall: the other side takes nothing of it.
    pub stalled: Duration,
    /// Sessions that one address may start at once; they become possible again at
    /// [`starts_per_minute`](Self::starts_per_minute).
    pub starts_at_once: NonZeroU32,
    /// Sessions that one address may start in a minute, in the long run.
    pub starts_per_minute: NonZeroU32,
    /// Proxies whose `X-Forwarded-For` is believed.
    pub trusted_proxies: Vec<IpNet>,
}

/// 300 at once lets in two classrooms and a half of 120 behind one address.
const STARTS_AT_ONCE: NonZeroU32 = NonZeroU32::new(300).expect("it is not zero");
const STARTS_PER_MINUTE: NonZeroU32 = NonZeroU32::new(60).expect("it is not zero");

impl Default for Limits {
    fn default() -> Self {
        Self {
            connections: 8_192,
            connections_of_one: 2_048,
            head: Duration::from_secs(30),
            body: Duration::from_secs(30),
            stalled: Duration::from_secs(30),
            starts_at_once: STARTS_AT_ONCE,
            starts_per_minute: STARTS_PER_MINUTE,
            trusted_proxies: Vec::new(),
        }
    }
}

/// Who a request or a connection comes from, as far as limits go: an IPv4 address, or the /64 of
/// an IPv6 address, since one customer has all of it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub struct Origin(IpAddr);

impl From<IpAddr> for Origin {
    fn from(address: IpAddr) -> Self {
        Self(match address.to_canonical() {
            v4 @ IpAddr::V4(_) => v4,
            IpAddr::V6(v6) => {
                let network = v6.to_bits() >> 64 << 64;
                Ipv6Addr::from_bits(network).into()
            }
        })
    }
}

impl Limits {
    /// Whether the other side of a connection is one of our proxies.
    #[must_use]
    pub fn trusts(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.trusted_proxies.iter().any(|net| net.contains(&peer))
    }

    /// Who sent a request: the other side of the connection or, if that is a trusted proxy, the
    /// last address in `X-Forwarded-For` that is none. What stands further left there anyone can
    /// have written.
    #[must_use]
    pub fn origin(&self, peer: IpAddr, headers: &HeaderMap) -> Origin {
        if !self.trusts(peer) {
            return peer.into();
        }
        let forwarded = headers.get_all("x-forwarded-for").into_iter();
        let lines: Vec<&str> = forwarded.filter_map(|line| line.to_str().ok()).collect();
        let mut last = peer;
        for entry in lines.iter().rev().flat_map(|line| line.rsplit(',')) {
            let Ok(address) = entry.trim().parse::<IpAddr>() else {
                break;
            };
            last = address;
            if !self.trusts(address) {
                break;
            }
        }
        last.into()
    }
}

/// The connections there are.
#[derive(Debug, Default)]
pub struct Connections(Mutex<HashMap<Origin, usize>>);

/// A place for one connection; given back when dropped.
pub struct Place {
    connections: Arc<Connections>,
    origin: Origin,
}

impl Connections {
    /// A place for a connection, if there is one. Trusted proxies may take all.
    #[must_use]
    pub fn place(self: &Arc<Self>, peer: IpAddr, limits: &Limits) -> Option<Place> {
        let origin = Origin::from(peer);
        let mut counts = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let own = counts.get(&origin).copied().unwrap_or_default();
        let of_one = if limits.trusts(peer) {
            limits.connections
        } else {
            limits.connections_of_one
        };
        if own >= of_one || counts.values().sum::<usize>() >= limits.connections {
            return None;
        }
        counts.insert(origin, own + 1);
        Some(Place {
            connections: self.clone(),
            origin,
        })
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let counts = self.connections.0.lock();
        let mut counts = counts.unwrap_or_else(PoisonError::into_inner);
        if let Some(own) = counts.get_mut(&self.origin) {
            *own -= 1;
            if *own == 0 {
                counts.remove(&self.origin);
            }
        }
    }
}

/// How often *Start* was asked for.
pub struct Starts(DefaultKeyedRateLimiter<Origin>);

impl Starts {
    /// Nobody has asked yet.
    #[must_use]
    pub fn new(limits: &Limits) -> Self {
        let quota = Quota::per_minute(limits.starts_per_minute);
        Self(RateLimiter::keyed(quota.allow_burst(limits.starts_at_once)))
    }

    /// Counts a start.
    ///
    /// # Errors
    /// How long to wait, when there were too many.
    pub fn count(&self, origin: Origin) -> Result<(), Duration> {
        // What is full again says no more than what was never asked.
        if self.0.len() > 10_000 {
            self.0.retain_recent();
        }
        let now = DefaultClock::default().now();
        self.0
            .check_key(&origin)
            .map_err(|until| until.wait_time_from(now))
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn limits() -> Limits {
        Limits {
            connections: 5,
            connections_of_one: 2,
            starts_at_once: NonZeroU32::new(3).unwrap(),
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            ..Limits::default()
        }
    }

    #[test]
    fn one_address_cannot_take_all_connections() {
        let (connections, limits) = (Arc::new(Connections::default()), limits());
        let place = |peer| connections.place(address(peer), &limits);
        let first = place("192.0.2.1");
        let _second = place("192.0.2.1");
        assert!(first.is_some() && place("192.0.2.1").is_none());
        // The same in IPv6's clothes.
        assert!(place("::ffff:192.0.2.1").is_none());
        let _other = place("192.0.2.2").unwrap();
        drop(first);
        let _again = place("192.0.2.1").unwrap();
        // All of a /64 are one.
        let _a = place("2001:db8::1").unwrap();
        let _b = place("2001:db8::2").unwrap();
        assert!(place("2001:db8::3").is_none(), "five in all, too");
        assert!(place("192.0.2.9").is_none(), "five in all");
    }

    #[test]
    fn a_forwarded_address_is_believed_from_trusted_proxies_only() {
        let limits = limits();
        let origin = |peer: &str, forwarded: &str| {
            let mut headers = HeaderMap::new();
            headers.insert("x-forwarded-for", forwarded.parse().unwrap());
            limits.origin(address(peer), &headers)
        };
        let is = |text: &str| Origin::from(address(text));
        assert_eq!(origin("192.0.2.1", "192.0.2.7"), is("192.0.2.1"));
        assert_eq!(origin("10.0.0.1", "192.0.2.7"), is("192.0.2.7"));
        // What a client wrote itself stands left of what the proxy saw.
        assert_eq!(
            origin("10.0.0.1", "198.51.100.1, 192.0.2.7"),
            is("192.0.2.7")
        );
        assert_eq!(origin("10.0.0.1", "192.0.2.7, 10.0.0.2"), is("192.0.2.7"));
        assert_eq!(origin("10.0.0.1", "nonsense"), is("10.0.0.1"));
        assert_eq!(
            limits.origin(address("10.0.0.1"), &HeaderMap::new()),
            is("10.0.0.1")
        );
    }

    #[test]
    fn starts_run_out_for_one_address_and_not_for_another() {
        let starts = Starts::new(&limits());
        let (one, other) = (address("192.0.2.1").into(), address("192.0.2.2").into());
        for _ in 0..3 {
            assert_eq!(starts.count(one), Ok(()));
        }
        let wait = starts.count(one).unwrap_err();
        assert!(wait <= Duration::from_secs(1), "{wait:?}");
        assert_eq!(starts.count(other), Ok(()));
    }
}
