//! Prolific and Mechanical Turk, spoken to: `redial platform` does it by these functions, and so does the server
//! with decisions.

use std::path::Path;

use domain::recruitment::platform::Parameters;

mod list;
mod mturk;
mod prolific;
mod secret;
mod speaker;

pub use list::{ListError, MOST_BYTES, MOST_ROWS, PlatformList, read_list};
pub use mturk::{MturkApi, PRODUCTION, SANDBOX};
pub use prolific::ProlificApi;
pub use secret::Secret;
pub use speaker::{
    Advert, BonusWish, PaidBonus, SpeakError, Speaker, Submission, SubmissionNames, WorkStatus,
};

use crate::storage::StoredArrival;

/// The platforms that decisions can be sent to.
pub const TOLD: [&str; 2] = ["prolific", "mturk"];

/// Prolific's API.
pub const PROLIFIC: &str = "https://api.prolific.com";

/// Name of Prolific's token in the environment and in files with credentials.
pub const PROLIFIC_TOKEN: &str = "PROLIFIC_API_TOKEN";
/// Name of the name of Mechanical Turk's key.
pub const MTURK_KEY_ID: &str = "AWS_ACCESS_KEY_ID";
/// Name of Mechanical Turk's key.
pub const MTURK_KEY: &str = "AWS_SECRET_ACCESS_KEY";

/// How long a decision waits unless somebody says otherwise, in milliseconds.
pub const DECISIONS_WAIT_MS: u64 = 10 * 60 * 1_000;

/// The platforms that a server can send decisions to, and how long a decision waits before.
#[derive(Debug, Clone)]
pub struct Platforms {
    prolific: Option<Secret>,
    mturk: Option<(Secret, Secret)>,
    /// How long a decision can be taken back, in milliseconds.
    pub wait_ms: u64,
}

impl Default for Platforms {
    /// None.
    fn default() -> Self {
        Self {
            prolific: None,
            mturk: None,
            wait_ms: DECISIONS_WAIT_MS,
        }
    }
}

impl Platforms {
    /// Those whose credentials are in a file.
    ///
    /// # Errors
    /// When it cannot be read, has none, or something in it is no credential.
    pub fn of_file(path: &Path) -> anyhow::Result<Self> {
        let text = secret::read(path)?;
        let in_file = |name: &str| match secret::line(&text, name) {
            None => Ok(None),
            Some(_) => Secret::named(name, Some(path)).map(Some),
        };
        let platforms = Self {
            prolific: in_file(PROLIFIC_TOKEN)?,
            mturk: in_file(MTURK_KEY_ID)?.zip(in_file(MTURK_KEY)?),
            ..Self::default()
        };
        anyhow::ensure!(
            platforms.prolific.is_some() || platforms.mturk.is_some(),
            "{} has no credentials; lines {PROLIFIC_TOKEN}=…, or {MTURK_KEY_ID}=… and {MTURK_KEY}=…, are expected",
            path.display()
        );
        Ok(platforms)
    }

    /// Whether decisions can be sent to a platform.
    #[must_use]
    pub fn can_reach(&self, platform: &str) -> bool {
        match platform {
            "prolific" => self.prolific.is_some(),
            "mturk" => self.mturk.is_some(),
            _ => false,
        }
    }

    /// The platform that somebody came from by a link, if its credentials are here. `stand_in` is an origin that
    /// stands for it in tests.
    #[must_use]
    pub fn speaker(
        &self,
        arrival: &StoredArrival,
        stand_in: Option<&str>,
    ) -> Option<Box<dyn Speaker>> {
        let origin = |usual: &str| stand_in.unwrap_or(usual).to_owned();
        match arrival.platform.as_str() {
            "prolific" => Some(Box::new(ProlificApi {
                origin: origin(PROLIFIC),
                token: self.prolific.clone()?,
            })),
            "mturk" => {
                let (key_id, key) = self.mturk.clone()?;
                Some(Box::new(MturkApi {
                    origin: origin(site_of(&arrival.link)),
                    key_id,
                    key,
                }))
            }
            _ => None,
        }
    }
}

/// Which of Mechanical Turk's sites somebody came from: their link says where they hand their work in.
fn site_of(link: &Parameters) -> &'static str {
    let host = link.get("turkSubmitTo").map(String::as_str);
    if host.is_some_and(|host| host.trim_end_matches('/') == "https://www.mturk.com") {
        PRODUCTION
    } else {
        SANDBOX
    }
}

impl SubmissionNames {
    /// The platform's names for somebody's work; none where they were dropped.
    #[must_use]
    pub fn of(arrival: &StoredArrival) -> Option<Self> {
        Some(Self {
            submission: arrival.submission.clone()?,
            participant: arrival.participant.clone()?,
            study: arrival.link.get("STUDY_ID").cloned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn credentials_of_a_file_say_what_can_be_reached_and_are_never_printed() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("keys");
        let of = |text: &str| {
            std::fs::write(&file, text).unwrap();
            Platforms::of_file(&file)
        };
        let one = of("PROLIFIC_API_TOKEN=\"secret\"\n").unwrap();
        assert!(one.can_reach("prolific") && !one.can_reach("mturk") && !one.can_reach("connect"));
        assert!(!format!("{one:?}").contains("secret"));
        assert_eq!(one.wait_ms, 600_000);
        let both =
            of("AWS_ACCESS_KEY_ID=a\nAWS_SECRET_ACCESS_KEY=b\nPROLIFIC_API_TOKEN=c").unwrap();
        assert!(both.can_reach("prolific") && both.can_reach("mturk"));
        for (text, words) in [
            ("", "has no credentials"),
            ("AWS_ACCESS_KEY_ID=a", "has no credentials"),
            ("PROLIFIC_API_TOKEN=", "is empty"),
        ] {
            let error = of(text).unwrap_err().to_string();
            assert!(error.contains(words), "{error}");
        }
        let none = Platforms::of_file(&folder.path().join("none"));
        assert!(none.unwrap_err().to_string().contains("cannot read"));
    }

    #[test]
    fn money_flows_only_where_the_link_came_from_the_real_site() {
        let link = |host: &str| Parameters::from([("turkSubmitTo".to_owned(), host.to_owned())]);
        assert_eq!(site_of(&link("https://www.mturk.com/")), PRODUCTION);
        assert_eq!(site_of(&link("https://workersandbox.mturk.com")), SANDBOX);
        assert_eq!(site_of(&Parameters::new()), SANDBOX);
    }
}
