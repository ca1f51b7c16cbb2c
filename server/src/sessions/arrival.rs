//! Arrivals: from a platform, or with a link of the researcher's.

use std::collections::BTreeSet;

use api::{Admission, ArrivalInfo};
use domain::recruitment::assignment::Purpose;
use domain::recruitment::platform::{
    Arrived, Departure, Ended, NotArrived, Parameters, Recruitment, SignedLinks, arrive,
};
use domain::study::{SessionsPerCode, Study};
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::{SessionError, Sessions};
use crate::catalogue::StudyEntry;
use crate::secrets::{self, hex};
use crate::storage::secret_names;

/// Length of a pseudonym: 80 bits in hex, after the platform's name.
const PSEUDONYM_LENGTH: usize = 20;

/// The requirements for a signed link, if this one is of a platform that is to sign it.
fn wants_signature<'a>(
    recruitment: &'a [Recruitment],
    link: &Parameters,
) -> Option<&'a SignedLinks> {
    recruitment.iter().find_map(|from| {
        let Recruitment::Prolific(prolific) = from else {
            return None;
        };
        let facts = from.facts();
        let mut parameters = facts.parameters.iter();
        let comes_from_there = parameters.any(|name| link.contains_key(*name));
        prolific.signed.as_ref().filter(|_| comes_from_there)
    })
}

/// The answer to somebody whom a link does not let in.
fn closed_by(why: &SessionError) -> Admission {
    match why {
        SessionError::NoKeys => Admission::Unchecked,
        SessionError::UnknownCode | SessionError::NotArrived(NotArrived::Nameless { .. }) => {
            Admission::WrongLink
        }
        _ => Admission::Closed,
    }
}

/// Says in the server's log that a study's link was made wrongly: nobody can start with it, and only
/// who handed it out can mend it. The name itself is not logged.
fn told(entry: &StudyEntry, why: NotArrived) -> NotArrived {
    if matches!(why, NotArrived::Nameless { .. }) {
        tracing::warn!(study = %entry.study.id, %why, "a participant's link was refused");
    }
    why
}

impl Sessions {
    /// How somebody with this link comes to a study now. Creates nothing.
    pub async fn arrival_info(
        &self,
        entry: &StudyEntry,
        link: &Parameters,
        purpose: Purpose,
    ) -> ArrivalInfo {
        let status = self.storage.study_status(&entry.study.id).await;
        // Where that cannot be read, nothing can be started either, and the start says why.
        let admits_for = status.unwrap_or_default().purpose(purpose);
        let purpose = admits_for.unwrap_or(purpose);
        let is_open = !purpose.counts() || entry.open.is_open(self.now_unix_ms());
        if admits_for.is_none() || !is_open {
            return ArrivalInfo {
                door: Admission::NotNow,
                ..ArrivalInfo::default()
            };
        }
        let arrived = match self.admitted(entry, link, purpose).await {
            Ok(arrived) => arrived,
            Err(why) => {
                let platforms = entry.study.recruitment.iter();
                return ArrivalInfo {
                    door: closed_by(&why),
                    platforms: platforms
                        .map(|from| from.facts().title.to_owned())
                        .collect(),
                    ..ArrivalInfo::default()
                };
            }
        };
        let from = arrived.from;
        let platform = from.is_platform().then(|| from.facts().title.to_owned());
        let departure = Departure {
            link: &arrived.link,
            ended: Ended::NoConsent,
            code: None,
            summary: &[],
        };
        ArrivalInfo {
            door: if arrived.preview {
                Admission::Preview
            } else {
                Admission::Open
            },
            platforms: platform.into_iter().collect(),
            way_back: from.way_back(&departure).filter(|_| purpose.counts()),
            trial: purpose == Purpose::Pilot,
        }
    }

    /// Whom a link lets into a study. The first page asks, and the start asks again: a link that is
    /// refused is refused before consent, and nothing is stored.
    ///
    /// # Errors
    /// When a session for that purpose may not start with this link.
    pub(super) async fn admitted<'a>(
        &self,
        entry: &'a StudyEntry,
        link: &Parameters,
        purpose: Purpose,
    ) -> Result<Arrived<'a>, SessionError> {
        let recruitment = &entry.study.recruitment;
        let stand_ins = self.library.stand_ins();
        if !purpose.counts() {
            // Somebody who tries a study out needs no link of a platform, and no signature.
            let arrived = match arrive(recruitment, link, stand_ins) {
                Err(NotArrived::FromElsewhere { .. }) => arrive(&[], link, stand_ins),
                arrived => arrived,
            };
            return Ok(arrived.map_err(|why| told(entry, why))?);
        }
        let signed = match wants_signature(recruitment, link) {
            Some(settings) => Some(
                self.keys
                    .checked(settings, link, self.now_unix_ms())
                    .await?,
            ),
            None => None,
        };
        let link = signed.as_ref().unwrap_or(link);
        let arrived = arrive(recruitment, link, stand_ins).map_err(|why| told(entry, why))?;
        if !arrived.from.is_platform() {
            let code = arrived.participant.as_ref();
            let known = |codes: &BTreeSet<_>| code.is_some_and(|code| codes.contains(code));
            if !entry.codes.as_ref().is_none_or(known) {
                return Err(SessionError::UnknownCode);
            }
        }
        Ok(arrived)
    }

    /// The participant code of who has arrived: a plain code as it is, and of a platform's name for
    /// somebody a keyed hash, the same in every study of this database.
    pub(super) async fn code_of(
        &self,
        arrived: &Arrived<'_>,
    ) -> Result<Option<String>, SessionError> {
        match &arrived.participant {
            Some(name) if arrived.from.is_platform() => {
                let platform = arrived.from.facts().name;
                Ok(Some(self.pseudonym(platform, name.as_str()).await?))
            }
            name => Ok(name.clone().map(String::from)),
        }
    }

    /// Whether somebody with a code may take part in a study, by what they took part in before.
    ///
    /// # Errors
    /// [`SessionError::TookPart`]; when storage fails.
    pub(super) async fn may_take_part(
        &self,
        study: &Study,
        code: &str,
    ) -> Result<(), SessionError> {
        let once = study.sessions_per_code == SessionsPerCode::One;
        if once && self.storage.erasure_keeps_code(&study.id, code).await? {
            return Err(SessionError::TookPart);
        }
        if study.not_after.is_empty() && !study.newcomers_only {
            return Ok(());
        }
        let others = self.storage.studies_of_code(code).await?;
        if others.iter().any(|other| study.rules_out(other)) {
            return Err(SessionError::TookPart);
        }
        Ok(())
    }

    /// HMAC-SHA-256 of a platform's name for a participant, under a secret of the database.
    async fn pseudonym(&self, platform: &str, participant: &str) -> Result<String, SessionError> {
        let proposed = hex(&secrets::random::<32>(&*self.system.randomness)?);
        let secret = self
            .storage
            .secret(secret_names::PSEUDONYMS, &proposed)
            .await?;
        let hashed = |mut hash: Hmac<Sha256>| {
            for part in [platform, "\0", participant] {
                hash.update(part.as_bytes());
            }
            hex(&hash.finalize().into_bytes())
        };
        // Secrets of every length are taken.
        let hash = Hmac::<Sha256>::new_from_slice(secret.as_bytes()).map(hashed);
        let hash = hash.map_err(|error| SessionError::Malformed(error.to_string()))?;
        let short = hash.get(..PSEUDONYM_LENGTH).unwrap_or(&hash);
        Ok(format!("{platform}-{short}"))
    }
}
