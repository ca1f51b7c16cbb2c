//! Proxies whose word on the address of a client is taken.

use std::net::IpAddr;
use std::str::FromStr;

use ipnet::IpNet;
use serde::Deserialize;

/// An address or a network.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize)]
#[serde(try_from = "String")]
pub struct TrustedProxy(pub(super) IpNet);

impl FromStr for TrustedProxy {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let address = text.parse::<IpAddr>().map(IpNet::from);
        let net = address.or_else(|_| text.parse::<IpNet>());
        net.map(Self).map_err(|_| {
            format!("'{text}' is neither an address nor a network; 10.0.0.5 and 10.0.0.0/8 are")
        })
    }
}

impl TryFrom<String> for TrustedProxy {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        text.parse()
    }
}
