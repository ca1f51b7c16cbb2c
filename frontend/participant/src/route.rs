//! The addresses of the app.

use frontend::runtime::page;

/// Where an address leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Route {
    /// The list of studies.
    Home,
    /// A study, by its id.
    Study(String),
    /// Nowhere.
    Unknown,
}

impl Route {
    /// Reads the path of an address.
    #[must_use]
    pub fn from_path(path: &str) -> Self {
        let parts: Vec<&str> = path.split('/').filter(|part| !part.is_empty()).collect();
        match parts[..] {
            [] => Self::Home,
            ["study", id]
                if id
                    .chars()
                    .all(|c| c.is_ascii_alphanumeric() || c == '-' || c == '_') =>
            {
                Self::Study(id.to_owned())
            }
            _ => Self::Unknown,
        }
    }

    /// Where the page is now.
    #[must_use]
    pub fn current() -> Self {
        let path = page::window().and_then(|window| window.location().pathname().ok());
        let path = path.unwrap_or_default();
        let base = page::base();
        Self::from_path(path.strip_prefix(&base).unwrap_or(&path))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_lead_where_they_say() {
        let study = |id: &str| Route::Study(id.to_owned());
        for (path, expected) in [
            ("/", Route::Home),
            ("", Route::Home),
            ("/study/quickstart", study("quickstart")),
            ("/study/mnist-demo/", study("mnist-demo")),
            ("/study", Route::Unknown),
            ("/study/a/b", Route::Unknown),
            ("/study/%2e%2e", Route::Unknown),
            ("/elsewhere", Route::Unknown),
        ] {
            assert_eq!(Route::from_path(path), expected, "{path}");
        }
    }
}
