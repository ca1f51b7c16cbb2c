//! The path that everything lies below, where a server shares its address with others.

use std::fmt::{self, Display};
use std::str::FromStr;

use serde::Deserialize;

/// A path such as `/redial`, without the slash at its end; empty at the top of an address.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub struct BasePath(String);

/// Why a text is no path that everything can lie below.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error(
    "'{0}' is no path to lie below: it is made of letters, digits, '-', '_', '.' and '~' between \
     slashes, such as /redial/"
)]
pub struct BasePathError(String);

impl BasePath {
    /// The path, to be put before one that begins with a slash.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The rest of a path that lies below this one, from its slash on; `None` for paths elsewhere.
    #[must_use]
    pub fn strip<'a>(&self, path: &'a str) -> Option<&'a str> {
        path.strip_prefix(&self.0)
            .filter(|rest| rest.starts_with('/'))
    }
}

impl FromStr for BasePath {
    type Err = BasePathError;

    fn from_str(text: &str) -> Result<Self, BasePathError> {
        let path = text.strip_suffix('/').unwrap_or(text);
        let is_segment = |segment: &str| {
            let plain = |c: u8| c.is_ascii_alphanumeric() || b"-_.~".contains(&c);
            !segment.is_empty() && segment != "." && segment != ".." && segment.bytes().all(plain)
        };
        let good = match path.strip_prefix('/') {
            Some(segments) => segments.split('/').all(is_segment),
            None => path.is_empty(),
        };
        if good {
            Ok(Self(path.to_owned()))
        } else {
            Err(BasePathError(text.to_owned()))
        }
    }
}

impl TryFrom<String> for BasePath {
    type Error = BasePathError;

    fn try_from(text: String) -> Result<Self, BasePathError> {
        text.parse()
    }
}

impl Display for BasePath {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_read_with_or_without_the_last_slash() {
        for (text, expected) in [
            ("/redial/", "/redial"),
            ("/redial", "/redial"),
            ("/lab-2/a.b_c~", "/lab-2/a.b_c~"),
            ("/", ""),
            ("", ""),
        ] {
            assert_eq!(text.parse::<BasePath>().unwrap().as_str(), expected);
        }
        for text in [
            "redial",
            "/a//b",
            "/../a",
            "/a b",
            "/ä",
            "//",
            "/\"x",
            "https://host/a",
        ] {
            let error = text.parse::<BasePath>().unwrap_err().to_string();
            assert!(error.contains("such as /redial/"), "{text}: {error}");
        }
    }

    #[test]
    fn only_what_lies_below_is_stripped() {
        let base: BasePath = "/redial".parse().unwrap();
        assert_eq!(base.strip("/redial/study/a"), Some("/study/a"));
        assert_eq!(base.strip("/redial/"), Some("/"));
        for elsewhere in ["/redial", "/redials/x", "/study/a", "/"] {
            assert_eq!(base.strip(elsewhere), None, "{elsewhere}");
        }
        assert_eq!(BasePath::default().strip("/study/a"), Some("/study/a"));
    }
}
