//! Who comes: from a platform, or with a link of the researcher's.

use std::collections::BTreeSet;

use api::{ArrivalInfo, Door, StartRequest};
use domain::assignment::Purpose;
use domain::platform::ALL;
use domain::platform::{
    Departure, Ended, NotArrived, Parameters, Recruitment, SignedLinks, arrive,
};
use domain::study::SessionsPerCode;
use hmac::{Hmac, KeyInit as _, Mac as _};
use sha2::Sha256;

use super::{SessionError, Sessions};
use crate::catalogue::{Catalogue, StudyEntry};
use crate::secrets::{self, hex};
use crate::signed_links::NotSigned;
use crate::storage::StoredArrival;

/// The secret that participants' names are hashed with.
const PSEUDONYMS: &str = "pseudonyms";

/// Length of a pseudonym: 80 bits in hex, after the platform's name.
const PSEUDONYM_LENGTH: usize = 20;

fn arrival_info(
    catalogue: &Catalogue,
    entry: &StudyEntry,
    link: &Parameters,
    now_unix_ms: u64,
) -> ArrivalInfo {
    if !entry.open.is_open(now_unix_ms) {
        return ArrivalInfo {
            door: Door::NotNow,
            ..ArrivalInfo::default()
        };
    }
    let recruitment = &entry.study.recruitment;
    match arrive(recruitment, link, catalogue.stand_ins()) {
        Ok(arrived) => {
            let platform = is_platform(arrived.from).then(|| arrived.from.facts().title.to_owned());
            let departure = Departure {
                link,
                ended: Ended::NoConsent,
                code: None,
                summary: &[],
            };
            ArrivalInfo {
                door: if arrived.preview {
                    Door::Preview
                } else {
                    Door::Open
                },
                platforms: platform.into_iter().collect(),
                way_back: arrived.from.way_back(&departure),
            }
        }
        Err(NotArrived::FromElsewhere { .. } | NotArrived::Faulty(_)) => ArrivalInfo {
            door: Door::Closed,
            platforms: recruitment
                .iter()
                .map(|from| from.facts().title.to_owned())
                .collect(),
            way_back: None,
        },
    }
}

fn is_platform(from: &Recruitment) -> bool {
    !matches!(from, Recruitment::Link(_))
}

/// What a signed link must say, if this one is of a platform that is to sign it.
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

/// A signature says who somebody is for as long as it holds: it is not kept.
fn without_signature(link: &Parameters) -> Parameters {
    let is_signature = |name: &str| ALL.iter().any(|facts| facts.signature == Some(name));
    let rest = link.iter().filter(|(name, _)| !is_signature(name));
    rest.map(|(name, value)| (name.clone(), value.clone()))
        .collect()
}

impl Sessions {
    /// How somebody with this link comes to a study now. Creates nothing.
    pub async fn arrival_info(&self, entry: &StudyEntry, link: &Parameters) -> ArrivalInfo {
        let now_unix_ms = self.now_unix_ms();
        match self.checked_link(entry, link).await {
            Ok(link) => arrival_info(&self.catalogue, entry, &link, now_unix_ms),
            // Whether it is signed is found out at the start.
            Err(NotSigned::NoKeys) => arrival_info(&self.catalogue, entry, link, now_unix_ms),
            Err(NotSigned::Link(_)) => {
                let nobody = Parameters::new();
                ArrivalInfo {
                    door: Door::Closed,
                    ..arrival_info(&self.catalogue, entry, &nobody, now_unix_ms)
                }
            }
        }
    }

    /// A link as it was signed, where the study wants links to be signed.
    async fn checked_link(
        &self,
        entry: &StudyEntry,
        link: &Parameters,
    ) -> Result<Parameters, NotSigned> {
        match wants_signature(&entry.study.recruitment, link) {
            Some(settings) => self.keys.checked(settings, link, self.now_unix_ms()).await,
            None => Ok(without_signature(link)),
        }
    }

    /// How the participant comes, if it is from a platform. Their code in the request is then a
    /// keyed hash of the platform's name for them, the same in every study of this database.
    ///
    /// # Errors
    /// When the link does not lead into the study, or they took part in a study that rules this
    /// one out; when storage fails.
    pub(super) async fn arrival(
        &self,
        entry: &StudyEntry,
        request: &mut StartRequest,
    ) -> Result<Option<StoredArrival>, SessionError> {
        let study = &entry.study;
        let checked = self.checked_link(entry, &request.link).await;
        request.link = match checked {
            Ok(link) => link,
            // Whoever tries a study out has no link of a platform.
            Err(_) if request.purpose != Purpose::Participant => without_signature(&request.link),
            Err(why) => return Err(why.into()),
        };
        let arrived = match arrive(
            &study.recruitment,
            &request.link,
            self.catalogue.stand_ins(),
        ) {
            Ok(arrived) => arrived,
            // Whoever tries a study out has no link of a platform.
            Err(_) if request.purpose != Purpose::Participant => return Ok(None),
            Err(why) => return Err(why.into()),
        };
        if arrived.preview {
            return Err(SessionError::Preview);
        }
        if request.purpose == Purpose::Participant && !is_platform(arrived.from) {
            let code = request.participant_code.as_ref();
            let known = |codes: &BTreeSet<String>| code.is_some_and(|code| codes.contains(code));
            if !entry.codes.as_ref().is_none_or(known) {
                return Err(SessionError::UnknownCode);
            }
        }
        let mut arrival = None;
        if let Some(participant) = arrived.participant.filter(|_| is_platform(arrived.from)) {
            let platform = arrived.from.facts().name;
            request.participant_code = Some(self.pseudonym(platform, &participant).await?);
            arrival = Some(StoredArrival {
                platform: platform.to_owned(),
                participant: Some(participant),
                submission: arrived.submission,
                link: request.link.clone(),
            });
        }
        if let Some(code) = &request.participant_code {
            let once = study.sessions_per_code == SessionsPerCode::One;
            if once && self.storage.erasure_keeps_code(&study.id, code).await? {
                return Err(SessionError::TookPart);
            }
            if study.not_after.is_empty() && !study.newcomers_only {
                return Ok(arrival);
            }
            let others = self.storage.studies_of_code(code).await?;
            if others.iter().any(|other| study.rules_out(other)) {
                return Err(SessionError::TookPart);
            }
        }
        Ok(arrival)
    }

    /// HMAC-SHA-256 of a platform's name for a participant, under a secret of the database.
    async fn pseudonym(&self, platform: &str, participant: &str) -> Result<String, SessionError> {
        let proposed = hex(&secrets::random::<32>(&*self.system.randomness)?);
        let secret = self.storage.secret(PSEUDONYMS, &proposed).await?;
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
