//! The messages of the stream, put together.

use api::research::live::{LiveChange, LiveMessage, LivePicture};
use domain::session::event::SessionId;

/// Takes in a message. A change before the first picture, or of a study that is not in it, says nothing.
pub fn take(picture: &mut Option<LivePicture>, message: LiveMessage) {
    match message {
        LiveMessage::Picture(new) => *picture = Some(new),
        LiveMessage::Change(change) => {
            if let Some(picture) = picture {
                put(picture, *change);
            }
        }
        LiveMessage::Pulse {
            at_unix_ms,
            storage,
        } => {
            if let Some(picture) = picture {
                picture.at_unix_ms = at_unix_ms;
                picture.storage = storage;
            }
        }
    }
}

fn put(picture: &mut LivePicture, change: LiveChange) {
    picture.at_unix_ms = change.at_unix_ms;
    if let Some(storage) = change.storage {
        picture.storage = storage;
    }
    let mut studies = picture.studies.iter_mut();
    let Some(study) = studies.find(|it| it.study == change.study) else {
        return;
    };
    let LiveChange {
        counts,
        parts,
        cells,
        status,
        state,
        pay,
        people,
        gone,
        problems,
        ..
    } = change;
    study.counts = counts.unwrap_or(study.counts);
    if let Some(parts) = parts {
        study.parts = parts;
    }
    if let Some(cells) = cells {
        study.cells = cells;
    }
    study.status = status.unwrap_or(study.status);
    study.state = state.or(study.state);
    study.pay = pay.or(study.pay.take());
    if let Some(problems) = problems {
        study.problems = problems;
    }
    let replaced = |session: &SessionId| people.iter().any(|it| it.session == *session);
    study
        .people
        .retain(|it| !gone.contains(&it.session) && !replaced(&it.session));
    study.people.extend(people);
    study.people.sort_by_key(|it| it.ordinal);
}

#[cfg(test)]
mod tests {
    use api::research::StudyState;
    use api::research::live::{LiveCounts, LivePay, LiveSession, LiveStorage, LiveStudy};
    use domain::recruitment::StudyStatus;
    use domain::recruitment::assignment::Purpose;
    use domain::recruitment::pay::Amount;

    use super::*;

    fn person(name: &str, ordinal: u64, progress: f64) -> LiveSession {
        LiveSession {
            session: SessionId(name.to_owned()),
            ordinal,
            purpose: Purpose::Participant,
            cell: String::new(),
            started_at_unix_ms: 0,
            phase: "question".to_owned(),
            part: "s".to_owned(),
            since_unix_ms: 0,
            question: None,
            progress,
            alignment: Vec::new(),
            away_since_unix_ms: None,
            paused: false,
            connected: true,
            heard_at_unix_ms: 0,
            stuck: false,
        }
    }

    #[test]
    fn changes_are_put_into_the_picture_and_a_new_one_takes_its_place() {
        let mut picture = None;
        let change = |people, gone: &[&str]| {
            LiveMessage::Change(Box::new(LiveChange {
                study: "a".to_owned(),
                at_unix_ms: 7,
                counts: Some(LiveCounts {
                    started: 3,
                    ..LiveCounts::default()
                }),
                state: Some(StudyState::Paused),
                people,
                gone: gone.iter().map(|it| SessionId((*it).to_owned())).collect(),
                ..LiveChange::default()
            }))
        };
        take(&mut picture, change(vec![person("x", 1, 0.5)], &[]));
        assert_eq!(picture, None, "nothing to put it into");
        let study = LiveStudy {
            study: "a".to_owned(),
            title: None,
            status: StudyStatus::Running,
            state: Some(StudyState::Running),
            counts: LiveCounts::default(),
            parts: Vec::new(),
            cells: Vec::new(),
            pay: Some(LivePay {
                currency: "GBP".to_owned(),
                amount: Amount::of_hundredths(300),
                people: 0,
                median_ms: None,
                hourly: None,
            }),
            people: vec![person("x", 1, 0.1), person("y", 2, 0.2)],
            problems: vec!["p".to_owned()],
        };
        let first = LivePicture {
            at_unix_ms: 1,
            studies: vec![study],
            storage: LiveStorage::default(),
        };
        take(&mut picture, LiveMessage::Picture(first.clone()));
        take(
            &mut picture,
            change(vec![person("z", 3, 0.3), person("x", 1, 0.9)], &["y"]),
        );
        let found = picture.as_ref().unwrap();
        let people = found.studies[0].people.iter();
        let people: Vec<(u64, f64)> = people.map(|it| (it.ordinal, it.progress)).collect();
        assert_eq!(people, [(1, 0.9), (3, 0.3)]);
        assert_eq!((found.at_unix_ms, found.studies[0].counts.started), (7, 3));
        assert_eq!(
            found.studies[0].problems,
            ["p"],
            "what is absent is as it was"
        );
        assert!(found.studies[0].pay.is_some());
        assert_eq!(found.studies[0].state, Some(StudyState::Paused));
        assert_eq!(found.studies[0].status, StudyStatus::Running);
        let storage = LiveStorage {
            waiting: 4,
            ..LiveStorage::default()
        };
        let pulse = LiveMessage::Pulse {
            at_unix_ms: 9,
            storage,
        };
        take(&mut picture, pulse);
        let found = picture.as_ref().unwrap();
        assert_eq!((found.at_unix_ms, found.storage.waiting), (9, 4));
        take(&mut picture, LiveMessage::Picture(first.clone()));
        assert_eq!(picture, Some(first));
    }
}
