//! Limits on what one client, and all of them together, may take of the server.
//!
//! Limits keep out clients that take everything: they never stand in the way of a participant who is in a
//! session. Limits hold for the number of connections, the bytes of requests that are not answered
//! yet, the time that a connection may be idle or stall, and the rate of *Start*. Of what there is for
//! all, an address gets a quarter ([`FairQuota`]).

use std::collections::HashMap;
use std::fmt::{self, Display};
use std::net::{IpAddr, Ipv6Addr};
use std::num::NonZeroU32;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
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
    /// Bytes of requests and messages that are not answered yet, all together.
    pub bytes: usize,
    /// How long a connection may take for the head of a request, and wait for the next one.
    pub head: Duration,
    /// How long a body may take; each 8 KiB that arrive give it another second.
    pub body: Duration,
    /// How long an answer may stall: the other side takes nothing of it.
    pub stalled: Duration,
    /// How often it is looked whether somebody who watches the live stream still may.
    pub may_watch: Duration,
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
            bytes: 32 * 1024 * 1024,
            head: Duration::from_secs(30),
            body: Duration::from_secs(30),
            stalled: Duration::from_secs(30),
            may_watch: Duration::from_secs(30),
            starts_at_once: STARTS_AT_ONCE,
            starts_per_minute: STARTS_PER_MINUTE,
            trusted_proxies: Vec::new(),
        }
    }
}

/// The origin of a request or a connection, as far as limits go: an IPv4 address, or the /64 of
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

impl Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.0 {
            IpAddr::V4(address) => address.fmt(f),
            IpAddr::V6(network) => write!(f, "{network}/64"),
        }
    }
}

/// Descriptors that are kept for the database, files and logs, where there are enough.
const NOT_FOR_CONNECTIONS: u64 = 128;

impl Limits {
    /// How many descriptors these limits want.
    #[must_use]
    pub fn descriptors(&self) -> u64 {
        self.connections as u64 + NOT_FOR_CONNECTIONS
    }

    /// The same with as many connections as so many descriptors allow. Where there are few, half of
    /// them are kept for everything else.
    #[must_use]
    pub fn with_descriptors(self, descriptors: u64) -> Self {
        let kept = NOT_FOR_CONNECTIONS.min(descriptors / 2);
        let possible = usize::try_from(descriptors - kept).unwrap_or(usize::MAX);
        Self {
            connections: self.connections.min(possible).max(1),
            ..self
        }
    }

    /// Whether the other side of a connection is one of our proxies.
    #[must_use]
    pub fn trusts(&self, peer: IpAddr) -> bool {
        let peer = peer.to_canonical();
        self.trusted_proxies.iter().any(|net| net.contains(&peer))
    }

    /// The origin of a request: the other side of the connection or, if that is a trusted proxy, the
    /// last address in `X-Forwarded-For` that is none. Anyone can have written the addresses
    /// further left there.
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

/// Something that there is so much of for all, and a quarter of that for one origin: connections, or
/// bytes. So nobody takes all of it alone, and who comes newly finds some.
#[derive(Debug)]
pub struct FairQuota {
    all: usize,
    taken: Mutex<Taken>,
}

#[derive(Debug, Default)]
struct Taken {
    sum: usize,
    by: HashMap<Origin, usize>,
}

/// The share that one connection or request has taken; given back when dropped.
#[derive(Debug)]
pub struct QuotaGuard {
    shares: Arc<FairQuota>,
    origin: Origin,
    /// The most that its origin may take in all.
    most: usize,
    taken: usize,
}

impl FairQuota {
    /// So much for all.
    #[must_use]
    pub fn new(all: usize) -> Arc<Self> {
        Arc::new(Self {
            all,
            taken: Mutex::default(),
        })
    }

    /// Nothing yet, for an origin that may take a quarter.
    #[must_use]
    pub fn share(self: &Arc<Self>, origin: Origin) -> QuotaGuard {
        self.of(origin, (self.all / 4).max(1))
    }

    /// Nothing yet, for one that stands for many: a trusted proxy may take all.
    #[must_use]
    pub fn share_of_many(self: &Arc<Self>, origin: Origin) -> QuotaGuard {
        self.of(origin, self.all)
    }

    fn of(self: &Arc<Self>, origin: Origin, most: usize) -> QuotaGuard {
        QuotaGuard {
            shares: self.clone(),
            origin,
            most,
            taken: 0,
        }
    }

    /// How much is taken, by all.
    #[must_use]
    pub fn taken(&self) -> usize {
        self.lock().sum
    }

    fn lock(&self) -> MutexGuard<'_, Taken> {
        // Nothing done under this lock can leave it half done.
        self.taken.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl QuotaGuard {
    /// Takes so much more, if there is that much; whether there was.
    #[must_use]
    pub fn take(&mut self, more: usize) -> bool {
        let mut taken = self.shares.lock();
        let own = taken.by.get(&self.origin).copied().unwrap_or_default();
        let fits = own.saturating_add(more) <= self.most
            && taken.sum.saturating_add(more) <= self.shares.all;
        if fits && more > 0 {
            taken.sum += more;
            taken.by.insert(self.origin, own + more);
            self.taken += more;
        }
        fits
    }

    /// Gives back all that was taken.
    pub fn give_back(&mut self) {
        self.give_back_some(self.taken);
    }

    /// Gives back so much of what was taken; all of it, where that is less.
    pub fn give_back_some(&mut self, back: usize) {
        let back = back.min(self.taken);
        if back == 0 {
            return;
        }
        self.taken -= back;
        let mut taken = self.shares.lock();
        taken.sum -= back;
        if let Some(own) = taken.by.get_mut(&self.origin) {
            *own -= back;
            if *own == 0 {
                taken.by.remove(&self.origin);
            }
        }
    }
}

impl Drop for QuotaGuard {
    fn drop(&mut self) {
        self.give_back();
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
        // A quota that is full again says no more than one that was never asked for.
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
mod tests {
    use super::*;

    fn address(text: &str) -> IpAddr {
        text.parse().unwrap()
    }

    fn limits() -> Limits {
        Limits {
            starts_at_once: NonZeroU32::new(3).unwrap(),
            trusted_proxies: vec!["10.0.0.0/8".parse().unwrap()],
            ..Limits::default()
        }
    }

    #[test]
    fn one_address_gets_a_quarter() {
        let shares = FairQuota::new(9);
        let one = |peer: &str| {
            let mut share = shares.share(address(peer).into());
            share.take(1).then_some(share)
        };
        let first = one("192.0.2.1");
        let _second = one("192.0.2.1").unwrap();
        assert!(first.is_some() && one("192.0.2.1").is_none());
        // The same in IPv6's clothes.
        assert!(one("::ffff:192.0.2.1").is_none());
        let _other = one("192.0.2.2").unwrap();
        drop(first);
        let _again = one("192.0.2.1").unwrap();
        // All of a /64 are one.
        let _a = one("2001:db8::1").unwrap();
        let _b = one("2001:db8::2").unwrap();
        assert!(one("2001:db8::3").is_none());
        let _next = one("2001:db8:0:1::1").unwrap();
        // A proxy that is trusted takes what is left.
        let mut proxy = shares.share_of_many(address("10.0.0.1").into());
        assert!(proxy.take(3) && !proxy.take(1), "nine in all");
        assert!(one("192.0.2.9").is_none(), "nine in all");
        drop(proxy);
        assert_eq!(shares.taken(), 6);
    }

    /// `ulimit -n` of 64 left no connection to anybody, one of 256 half of them to one address.
    #[test]
    fn few_descriptors_are_shared_out() {
        let of = |descriptors| {
            let limits = Limits::default().with_descriptors(descriptors);
            (
                limits.connections,
                FairQuota::new(limits.connections)
                    .share(address("::1").into())
                    .most,
            )
        };
        assert_eq!(of(1_000_000), (8_192, 2_048));
        assert_eq!(of(8_320), (8_192, 2_048));
        assert_eq!(of(1_024), (896, 224));
        assert_eq!(of(256), (128, 32));
        assert_eq!(of(64), (32, 8));
        assert_eq!(of(0), (1, 1));
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
        // Addresses that a client wrote itself stand left of the one that the proxy saw.
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
