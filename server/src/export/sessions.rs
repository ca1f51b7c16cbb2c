//! The table of sessions.

use domain::common::table::ColumnType::{Boolean, Integer, Json, Number, Text, Time};
use domain::common::table::{Field, field};
use domain::recruitment::platform::Ended;
use domain::session::event::PageInfo;
use domain::session::plan::StagePlan;
use domain::study::inclusion::Exclusion;
use domain::task::{Outcome, QuestionRecord};
use serde_json::{Value, json};

use super::replay::ReplayedSession;

type Row = ReplayedSession;

/// What one row is.
pub(super) const ROW: &str = "one session, complete or not";

const COUNT: &str = "0 and up";

/// Unix milliseconds as RFC 3339; null if there is no such time.
pub(super) fn utc(unix_ms: Option<u64>) -> Value {
    unix_ms
        .and_then(|ms| i64::try_from(ms).ok())
        .and_then(|ms| jiff::Timestamp::from_millisecond(ms).ok())
        .map_or(Value::Null, |time| Value::String(time.to_string()))
}

fn scored(row: &Row) -> impl Iterator<Item = &StagePlan> {
    let stages = row.stored.plan.stages.iter();
    stages.filter(|stage| !stage.practice)
}

fn ended(row: &Row, wanted: impl Fn(&QuestionRecord) -> bool) -> usize {
    let records = row.session.ended().into_iter();
    records
        .filter(|record| !record.practice && wanted(record))
        .count()
}

/// What the browser said of itself when the first page opened.
fn page(row: &Row, value: fn(&PageInfo) -> Value) -> Value {
    row.log.first_page.as_ref().map_or(Value::Null, value)
}

/// The columns.
pub(super) fn fields() -> Vec<Field<Row>> {
    let mut fields = identity();
    fields.extend(course());
    fields.extend(browser());
    fields.extend(super::trust::fields());
    fields
}

fn identity() -> Vec<Field<Row>> {
    vec![
        field(
            "session",
            Text,
            "",
            "any",
            "Name of the session; joins the tables",
            |r| json!(r.stored.id),
        ),
        field("study", Text, "", "any", "Name of the study", |r| {
            json!(r.stored.study)
        }),
        field(
            "study_sha256",
            Text,
            "",
            "64 hex digits",
            "SHA-256 of the study file the session was started with",
            |r| json!(r.stored.study_sha256),
        ),
        field(
            "ordinal",
            Integer,
            "",
            "1 and up",
            "Number of the session within its study, from 1; with the study's seed, the cell and the row it fixes all draws",
            |r| json!(r.stored.ordinal),
        ),
        field(
            "participant",
            Text,
            "",
            "p and a number",
            "The same for all sessions that were started with the same code: that of the first has this ordinal",
            |r| json!(r.participant.map(|first| format!("p{first}"))),
        ),
        field(
            "participant_code",
            Text,
            "",
            "any",
            "Code given at the start; empty if none was",
            |r: &Row| json!(r.stored.participant_code),
        )
        .identifying(),
        field(
            "platform",
            Text,
            "",
            "link, prolific, mturk, connect",
            "Where the participant came from; for a platform, participant_code is a keyed hash of its name for them",
            |r| json!(r.platform()),
        ),
        field(
            "platform_told",
            Text,
            "",
            "completed, attention_checks_failed, incompatible_device, screened_out, no_consent, withdrawn",
            "What the participant took back to their platform; empty if nothing",
            |r| json!(r.log.told.map(Ended::name)),
        ),
        field(
            "purpose",
            Text,
            "",
            "participant, pilot, preview, simulated",
            "What the session is for; only those of participants are data",
            |r| json!(r.purpose().name()),
        ),
        field(
            "cell",
            Text,
            "",
            "any",
            "Name of the cell of the study's design; empty in a study without cells",
            |r| json!(r.line.as_ref().map(|line| &line.entry.cell)),
        ),
        field(
            "cell_levels",
            Json,
            "",
            "object",
            "Level of each factor that varies between people or with the link",
            |r| json!(r.stored.plan.cell),
        ),
        field(
            "order_row",
            Integer,
            "",
            COUNT,
            "Row of the balanced orders (Latin squares, decks) that the session was drawn with, from 0",
            |r| json!(r.line.as_ref().map(|line| line.entry.row)),
        ),
        field(
            "language",
            Text,
            "",
            "BCP 47",
            "Language of all that the participant read; answers are recorded by the same names in every language",
            |r| json!(r.stored.plan.language),
        ),
        field(
            "created_at_utc",
            Time,
            "",
            "RFC 3339",
            "When Start was pressed, by the server's clock",
            |r| utc(Some(r.stored.created_at_unix_ms)),
        ),
        field(
            "completed_at_utc",
            Time,
            "",
            "RFC 3339",
            "When the last event that was asked for arrived; empty if it has not",
            |r| utc(r.stored.completed_at_unix_ms),
        ),
        field(
            "completion_code",
            Text,
            "",
            "any",
            "The completion code; empty if none was made",
            |r: &Row| json!(r.stored.completion_code),
        )
        .identifying(),
    ]
}

fn course() -> Vec<Field<Row>> {
    vec![
        field(
            "phase",
            Text,
            "",
            "consent, declined, instructions, tutorial, stage_intro, ready, question, time_up, questionnaire, device_check, break, awaiting_verdicts, withdrawn, device_unfit, screened_out, complete",
            "Where the session stands",
            |r| json!(r.session.phase().name()),
        ),
        field(
            "marked",
            Boolean,
            "",
            "true, false",
            "Whether wrong answers in a stage that says so mark the session; empty while verdicts are missing",
            |r| json!(r.session.is_marked()),
        ),
        field(
            "included",
            Boolean,
            "",
            "true, false",
            "Whether the session meets the study's inclusion rules, was not excluded by hand, and nobody withdrew; empty while it is not complete, or where the rules cannot be read",
            |r| json!(r.is_included()),
        ),
        field(
            "exclusion_reasons",
            Json,
            "",
            "list of texts",
            "Why it is not included, as far as the log goes: the inclusion rules that are not met, each with what was found; by_hand: the researcher's reason; withdrawn: the participant withdrew",
            |r| {
                let texts =
                    |unmet: &Vec<Exclusion>| unmet.iter().map(ToString::to_string).collect();
                json!(
                    r.exclusions
                        .as_ref()
                        .map(texts)
                        .unwrap_or_else(Vec::<String>::new)
                )
            },
        ),
        field(
            "standing",
            Text,
            "",
            "counted, excluded, over_quota, ended, unfinished, no_data",
            "Where the session stands in its quota; over_quota: completed after its lease, when its cell was full (to be paid like all others)",
            |r| json!(r.standing().name()),
        ),
        field(
            "consent_version",
            Text,
            "",
            "any",
            "Version of the consent form that was agreed to last; empty if the form names none",
            |r| json!(r.session.consented().and_then(|c| c.version.as_ref())),
        ),
        field(
            "consent_text_sha256",
            Text,
            "",
            "64 hex digits",
            "SHA-256 of the consent text that was agreed to last; empty for sessions of earlier versions",
            |r| json!(r.session.consented().and_then(|c| c.text_sha256.as_ref())),
        ),
        field(
            "consent_language",
            Text,
            "",
            "BCP 47",
            "Language in which the consent form was shown that was agreed to last; empty for sessions of earlier versions",
            |r| json!(r.session.consented().and_then(|c| c.language.as_ref())),
        ),
        field(
            "consent_signature",
            Text,
            "",
            "any",
            "Name that was typed as a signature; empty where none is asked for",
            |r: &Row| json!(r.session.consented().and_then(|c| c.signature.as_ref())),
        )
        .identifying(),
        field(
            "consents",
            Integer,
            "",
            COUNT,
            "How often consent was given: more than once if the text changed during the session",
            |r| json!(r.log.consents),
        ),
        field(
            "attention_checks",
            Integer,
            "",
            COUNT,
            "Number of answers to items that have a right answer, on pages that tell nobody so",
            |r| json!(r.session.attention_checks().answered),
        ),
        field(
            "attention_checks_failed",
            Integer,
            "",
            COUNT,
            "Number of those that are wrong",
            |r| json!(r.session.attention_checks().failed),
        ),
        field(
            "pages_timed_out",
            Integer,
            "",
            COUNT,
            "Number of questionnaires that were handed in as they were because their time was over",
            |r| {
                let answers = r.session.answers().iter();
                json!(answers.filter(|answered| answered.time_over).count())
            },
        ),
        field(
            "stage_order",
            Json,
            "",
            "list of stage names",
            "Stages in this session's order, practice left out",
            |r| json!(scored(r).map(|stage| &stage.id).collect::<Vec<_>>()),
        ),
        field(
            "questions_planned",
            Integer,
            "questions",
            COUNT,
            "Number of questions that the plan has for the person at most, practice left out; a staircase counts the questions that it asks",
            |r| {
                let stretches = r.stored.plan.stretches().into_iter();
                let scored = stretches.filter(|stretch| !stretch.practice);
                json!(scored.map(|stretch| stretch.questions).sum::<usize>())
            },
        ),
        field(
            "questions_ended",
            Integer,
            "questions",
            COUNT,
            "Number of questions that ended, however they did, practice left out",
            |r| json!(ended(r, |_| true)),
        ),
        field(
            "questions_solved",
            Integer,
            "questions",
            COUNT,
            "Number of reconstruction questions solved, practice left out",
            |r| json!(ended(r, |record| record.outcome == Some(Outcome::Solved))),
        ),
        field(
            "questions_right",
            Integer,
            "questions",
            COUNT,
            "Number of questions answered rightly or solved, practice left out",
            |r| json!(ended(r, |record| record.is_right() == Some(true))),
        ),
        field(
            "events",
            Integer,
            "events",
            COUNT,
            "Length of the event log",
            |r| json!(r.log.events),
        ),
        field(
            "last_event_at_ms",
            Integer,
            "ms",
            COUNT,
            "Time of the page's last event since the session's start",
            |r| json!(r.session.last_ms()),
        ),
    ]
}

fn browser() -> Vec<Field<Row>> {
    vec![
        field(
            "pages_opened",
            Integer,
            "",
            COUNT,
            "How often the page was opened: 1 without reloads",
            |r| json!(r.log.pages_opened),
        ),
        field(
            "connections_lost",
            Integer,
            "",
            COUNT,
            "How often the browser lost the server",
            |r| json!(r.log.connections_lost),
        ),
        field(
            "viewport_width_px",
            Integer,
            "px",
            COUNT,
            "Width of the window at the start; empty if not reported",
            |r| page(r, |page| json!(page.viewport_width_px)),
        ),
        field(
            "viewport_height_px",
            Integer,
            "px",
            COUNT,
            "Height of the window at the start; empty if not reported",
            |r| page(r, |page| json!(page.viewport_height_px)),
        ),
        field(
            "touch",
            Boolean,
            "",
            "true, false",
            "Whether the main pointer was a finger; empty if not reported",
            |r| page(r, |page| json!(page.touch)),
        ),
        field(
            "fine_pointer",
            Boolean,
            "",
            "true, false",
            "Whether something was there that points exactly, when the device was checked; empty if it was not",
            |r| json!(r.session.device().map(|device| device.fine_pointer)),
        ),
        field(
            "decode_ms",
            Number,
            "ms",
            "",
            "Median time from a latent vector to its picture when the device was checked; empty if not measured",
            |r| json!(r.session.device().and_then(|device| device.decode_ms)),
        ),
        field(
            "user_agent",
            Text,
            "",
            "any",
            "What the browser called itself at the start; empty if not reported",
            |r| page(r, |page| json!(page.user_agent)),
        ),
    ]
}
