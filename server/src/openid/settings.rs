//! The file that says which provider people can sign in through.

use std::path::Path;

use anyhow::{Context as _, bail, ensure};
use openidconnect::{ClientId, ClientSecret, IssuerUrl};

/// Lines that the file can have.
const NAMES: [&str; 5] = ["ISSUER", "CLIENT_ID", "CLIENT_SECRET", "NAME", "UNKNOWN"];

/// Which provider people can sign in through, and what becomes of those who are not known.
#[derive(Debug, Clone)]
pub struct OpenIdSettings {
    /// Its address, as it names itself.
    pub issuer: IssuerUrl,
    /// Its name for this server.
    pub client_id: ClientId,
    /// The secret that this server shows it, which is never printed.
    pub client_secret: ClientSecret,
    /// The name by which people know it.
    pub name: String,
    /// Whether those who are not known wait to be let in; else they are refused.
    pub strangers_wait: bool,
}

impl OpenIdSettings {
    /// Those of a file: a line `NAME=value` each.
    ///
    /// # Errors
    /// When it cannot be read, something is missing, or a line says something that is none of them.
    pub fn of_file(path: &Path) -> anyhow::Result<Self> {
        let text = std::fs::read_to_string(path)
            .with_context(|| format!("cannot read how to sign in from {}", path.display()))?;
        warn_if_others_may_read(path);
        Self::of_text(&text).with_context(|| format!("in {}", path.display()))
    }

    fn of_text(text: &str) -> anyhow::Result<Self> {
        let mut found: [Option<String>; NAMES.len()] = Default::default();
        for (number, line) in (1..).zip(text.lines()) {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            let (name, value) = line
                .split_once('=')
                .with_context(|| format!("line {number} is not NAME=value"))?;
            let name = name.trim();
            let Some(place) = NAMES.iter().position(|known| *known == name) else {
                bail!(
                    "line {number} sets {name}, which is not known; there are {}",
                    NAMES.join(", ")
                );
            };
            ensure!(found[place].is_none(), "line {number} sets {name} again");
            found[place] = Some(value.trim().trim_matches('"').to_owned());
        }
        let [issuer, client_id, client_secret, name, unknown] = found;
        let given = |value: Option<String>, name: &str| {
            let value = value.filter(|value| !value.is_empty());
            value.with_context(|| format!("there is no line {name}=…"))
        };
        let issuer = given(issuer, "ISSUER")?;
        let issuer = IssuerUrl::new(issuer.clone())
            .with_context(|| format!("ISSUER is '{issuer}', which is no address"))?;
        let url = issuer.url();
        let local = matches!(url.host_str(), Some("localhost" | "127.0.0.1" | "[::1]"));
        ensure!(
            url.scheme() == "https" || url.scheme() == "http" && local,
            "ISSUER has to begin with https://"
        );
        let client_id = given(client_id, "CLIENT_ID")?;
        let client_secret = given(client_secret, "CLIENT_SECRET")?;
        let host = url.host_str().unwrap_or_default().to_owned();
        let name = name.filter(|name| !name.is_empty()).unwrap_or(host);
        ensure!(
            name.chars().count() <= 50 && !name.chars().any(char::is_control),
            "NAME has more than 50 characters, or odd ones"
        );
        let strangers_wait = match unknown.as_deref() {
            None | Some("refuse") => false,
            Some("wait") => true,
            Some(other) => bail!("UNKNOWN is '{other}'; it is refuse or wait"),
        };
        Ok(Self {
            issuer,
            client_id: ClientId::new(client_id),
            client_secret: ClientSecret::new(client_secret),
            name,
            strangers_wait,
        })
    }
}

/// Says so where others on this machine can read the file, as with a private key.
#[cfg(unix)]
fn warn_if_others_may_read(path: &Path) {
    use std::os::unix::fs::PermissionsExt as _;
    let mode = std::fs::metadata(path).map_or(0, |it| it.permissions().mode());
    if mode & 0o007 != 0 {
        tracing::warn!(
            file = %path.display(),
            "everybody on this machine can read the client secret; `chmod 600` keeps it private"
        );
    }
}

#[cfg(not(unix))]
fn warn_if_others_may_read(_: &Path) {}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    const WHOLE: &str = "# at Google\nISSUER=https://accounts.google.com\nCLIENT_ID=redial\n\
         CLIENT_SECRET=\"a=b\"\nNAME=Google\nUNKNOWN=wait\n";

    #[test]
    fn a_file_says_all_and_its_secret_is_never_printed() {
        let all = OpenIdSettings::of_text(WHOLE).unwrap();
        assert_eq!(all.issuer.as_str(), "https://accounts.google.com");
        assert_eq!(all.client_secret.secret(), "a=b");
        assert!(all.strangers_wait && all.name == "Google");
        assert!(!format!("{all:?}").contains("a=b"));
        let few = WHOLE.replace("NAME=Google\nUNKNOWN=wait\n", "");
        let few = OpenIdSettings::of_text(&few).unwrap();
        assert!(!few.strangers_wait && few.name == "accounts.google.com");
    }

    #[test]
    fn what_is_wrong_is_said_with_its_place() {
        for (from, to, words) in [
            ("ISSUER=", "ISUER=", "line 2 sets ISUER"),
            ("https:", "http:", "https://"),
            ("https://accounts.google.com", "google", "no address"),
            ("CLIENT_ID=redial", "CLIENT_ID=", "no line CLIENT_ID"),
            ("UNKNOWN=wait", "UNKNOWN=maybe", "refuse or wait"),
            (
                "NAME=Google",
                "CLIENT_ID=again",
                "line 5 sets CLIENT_ID again",
            ),
            ("NAME=Google", "Google", "line 5 is not"),
        ] {
            let error = OpenIdSettings::of_text(&WHOLE.replace(from, to)).unwrap_err();
            assert!(format!("{error:#}").contains(words), "{error:#}");
        }
        let here = WHOLE.replace("https://accounts.google.com", "http://127.0.0.1:9/realms/x");
        assert!(OpenIdSettings::of_text(&here).is_ok());
    }
}
