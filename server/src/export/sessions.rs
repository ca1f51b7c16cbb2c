//! The table of sessions.

use domain::common::table::{Column, Field};
use domain::fields;
use domain::recruitment::outbox::{Approval, approval};
use domain::recruitment::pay::{Account, Amount};
use domain::recruitment::platform::Ended;
use domain::session::event::PageInfo;
use domain::session::plan::StagePlan;
use domain::task::{Outcome, QuestionRecord};
use serde_json::Value;

use super::replay::ReplayedSession;
use super::table_writer::cell_text;

type Row = ReplayedSession;

/// The meaning of one row, in words.
pub(super) const ROW: &str = "one session, complete or not";

const COUNT: &str = "0 and up";

/// Unix milliseconds as RFC 3339; null if there is no such time.
#[must_use]
pub fn utc(unix_ms: Option<u64>) -> Value {
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

/// The browser's description of itself when the first page opened.
fn page(row: &Row) -> Option<&PageInfo> {
    row.log.first_page.as_ref()
}

/// An amount of what somebody is owed and was paid, in units of its currency; nothing where there is no currency.
fn money(row: &Row, amount: fn(&Account) -> Amount) -> Option<f64> {
    let account = row.account()?;
    account.currency.as_ref()?;
    Some(f64::from(amount(&account).hundredths()) / 100.0)
}

/// The columns that the researcher's area lists, in order: those of the table without the link to the replay, which each
/// row of the area has by itself.
#[must_use]
pub fn session_columns() -> Vec<Column> {
    listed().map(|field| field.column).collect()
}

fn listed() -> impl Iterator<Item = Field<Row>> {
    fields().into_iter().filter(|field| !field.column.link)
}

/// The cells of a session's row as a CSV file has them, one for each of [`session_columns`]; empty where there is
/// nothing.
#[must_use]
pub fn session_cells(of: &ReplayedSession) -> Vec<String> {
    listed()
        .map(|field| cell_text(&(field.value)(of), false))
        .collect()
}

/// The columns, with what fills them.
pub(super) fn fields() -> Vec<Field<Row>> {
    let mut fields = fields! { |r: &Row|
        "session": "Name of the session; joins the tables",
            Text, "", "any" => r.stored.id;
        "study": "Name of the study",
            Text, "", "any" => r.stored.study;
        "study_sha256": "SHA-256 of the study file the session was started with",
            Text, "", "64 hex digits" => r.stored.study_sha256;
        "ordinal": "Number of the session within its study, from 1; with the study's seed, the cell and the row it fixes all draws",
            Integer, "", "1 and up", usual => r.stored.ordinal;
        "participant": "The same for all sessions that were started with the same code: that of the first has this ordinal",
            Text, "", "p and a number", usual => r.participant.map(|first| format!("p{first}"));
        "participant_code": "Code given at the start; empty if none was",
            Text, "", "any", identifying => r.stored.participant_code;
        "platform": "Where the participant came from; for a platform, participant_code is a keyed hash of its name for them",
            Text, "", "link, prolific, mturk, connect" => r.platform();
        "platform_told": "What the participant took back to their platform; empty if nothing",
            Text, "", "completed, attention_checks_failed, incompatible_device, screened_out, no_consent, withdrawn" => r.log.told.map(Ended::name);
        "experimenter": "Who ran the session in a lab: the name with which they sign in; empty if nobody said so",
            Text, "", "any" => r.session.experimenter();
        "purpose": "What the session is for; only those of participants are data",
            Text, "", "participant, pilot, preview, simulated", usual => r.purpose().name();
        "cell": "Name of the cell of the study's design; empty in a study without cells",
            Text, "", "any", usual => r.line.as_ref().map(|line| &line.entry.cell);
        "cell_levels": "Level of each factor that varies between people or with the link",
            Json, "", "object" => r.stored.plan.cell;
        "order_row": "Row of the balanced orders (Latin squares, decks) that the session was drawn with, from 0",
            Integer, "", COUNT => r.line.as_ref().map(|line| line.entry.row);
        "language": "Language of all that the participant read; answers are recorded by the same names in every language",
            Text, "", "BCP 47" => r.stored.plan.language;
        "created_at_utc": "When Start was pressed, by the server's clock",
            Time, "", "RFC 3339", usual => utc(Some(r.stored.created_at_unix_ms));
        "completed_at_utc": "When the last event that was asked for arrived; empty if it has not",
            Time, "", "RFC 3339" => utc(r.stored.completed_at_unix_ms);
        "completion_code": "The completion code; empty if none was made",
            Text, "", "any", identifying => r.stored.completion_code;
        "phase": "Where the session stands",
            Text, "", "consent, declined, instructions, tutorial, stage_intro, ready, question, time_up, questionnaire, device_check, break, awaiting_verdicts, withdrawn, device_unfit, screened_out, complete", usual => r.session.phase().name();
        "marked": "Whether wrong answers in a stage that says so mark the session; empty while verdicts are missing",
            Boolean, "", "true, false" => r.session.is_marked();
        "included": "Whether the session meets the study's inclusion rules, was not excluded by hand, and nobody withdrew; empty while it is not complete, or where the rules cannot be read",
            Boolean, "", "true, false" => r.is_included();
        "exclusion_reasons": "Why it is not included, as far as the log goes: the inclusion rules that are not met, each with what was found; by_hand: the researcher's reason; withdrawn: the participant withdrew",
            Json, "", "list of texts", usual => r.exclusions.iter().flatten().map(ToString::to_string).collect::<Vec<_>>();
        "standing": "Where the session stands in its quota; over_quota: completed after its lease, when its cell was full (to be paid like all others)",
            Text, "", "counted, excluded, over_quota, ended, unfinished, no_data", usual => r.standing().name();
        "approval": "Whether its platform has approved or rejected the work, by the ledger of payments; empty if neither is noted there",
            Text, "", "approved, rejected", usual => approval(r.platform(), r.payments.as_deref().unwrap_or_default()).map(Approval::name);
        "pay_currency": "Currency of what is owed and was paid; empty where nothing was promised at the start or decided since, and for sessions that are no participant's",
            Text, "", "three letters" => r.account().and_then(|account| account.currency);
        "pay_owed": "What is owed without bonuses, by the study file that the session was started with and the ledger of payments; empty without pay_currency",
            Number, "pay_currency", "0 and up" => money(r, |account| account.owed);
        "pay_bonus": "Bonuses that were given, by the ledger of payments; empty without pay_currency",
            Number, "pay_currency", "0 and up" => money(r, |account| account.bonus);
        "pay_paid": "What was paid, by the ledger of payments; empty without pay_currency",
            Number, "pay_currency", "0 and up" => money(r, |account| account.paid);
        "pay_due": "What is still to be paid; empty without pay_currency",
            Number, "pay_currency", "0 and up", usual => money(r, Account::due);
        "consent_version": "Version of the consent form that was agreed to last; empty if the form names none",
            Text, "", "any" => r.session.consented().and_then(|c| c.version.as_ref());
        "consent_text_sha256": "SHA-256 of the consent text that was agreed to last; empty for sessions of earlier versions",
            Text, "", "64 hex digits" => r.session.consented().and_then(|c| c.text_sha256.as_ref());
        "consent_language": "Language in which the consent form was shown that was agreed to last; empty for sessions of earlier versions",
            Text, "", "BCP 47" => r.session.consented().and_then(|c| c.language.as_ref());
        "consent_signature": "Name that was typed as a signature; empty where none is asked for",
            Text, "", "any", identifying => r.session.consented().and_then(|c| c.signature.as_ref());
        "consents": "How often consent was given: more than once if the text changed during the session",
            Integer, "", COUNT => r.log.consents;
        "attention_checks": "Number of answers to items that have a right answer, on pages that tell nobody so",
            Integer, "", COUNT => r.session.attention_checks().answered;
        "attention_checks_failed": "Number of those that are wrong",
            Integer, "", COUNT, usual => r.session.attention_checks().failed;
        "pages_timed_out": "Number of questionnaires that were handed in as they were because their time was over",
            Integer, "", COUNT => r.session.answers().iter().filter(|answered| answered.time_over).count();
        "stage_order": "Stages in this session's order, practice left out",
            Json, "", "list of stage names" => scored(r).map(|stage| &stage.id).collect::<Vec<_>>();
        "questions_planned": "Number of questions that the plan has for the person at most, practice left out; a staircase counts the questions that it asks",
            Integer, "questions", COUNT => {
                let stretches = r.stored.plan.stretches().into_iter();
                stretches.filter(|it| !it.practice).map(|it| it.questions).sum::<usize>()
            };
        "questions_ended": "Number of questions that ended, however they did, practice left out",
            Integer, "questions", COUNT, usual => ended(r, |_| true);
        "questions_solved": "Number of reconstruction questions solved, practice left out",
            Integer, "questions", COUNT, usual => ended(r, |record| record.outcome == Some(Outcome::Solved));
        "questions_right": "Number of questions answered rightly or solved, practice left out",
            Integer, "questions", COUNT => ended(r, |record| record.is_right() == Some(true));
        "events": "Length of the event log",
            Integer, "events", COUNT => r.log.events;
        "last_event_at_ms": "Time of the page's last event since the session's start",
            Integer, "ms", COUNT, usual => r.session.last_ms();
        "pages_opened": "How often the page was opened: 1 without reloads",
            Integer, "", COUNT => r.log.pages_opened;
        "connections_lost": "How often the browser lost the server",
            Integer, "", COUNT => r.log.connections_lost;
        "viewport_width_px": "Width of the window at the start; empty if not reported",
            Integer, "px", COUNT => page(r).map(|page| &page.viewport_width_px);
        "viewport_height_px": "Height of the window at the start; empty if not reported",
            Integer, "px", COUNT => page(r).map(|page| &page.viewport_height_px);
        "touch": "Whether the main pointer was a finger; empty if not reported",
            Boolean, "", "true, false" => page(r).map(|page| &page.touch);
        "fine_pointer": "Whether something was there that points exactly, when the device was checked; empty if it was not",
            Boolean, "", "true, false" => r.session.device().map(|device| device.fine_pointer);
        "decode_ms": "Median time from a latent vector to its picture when the device was checked; empty if not measured",
            Number, "ms", "" => r.session.device().and_then(|device| device.decode_ms);
        "user_agent": "What the browser called itself at the start; empty if not reported",
            Text, "", "any" => page(r).map(|page| &page.user_agent);
    };
    fields.extend(super::trust::fields());
    fields.extend(fields! { |r: &Row|
        "replay": "Where one watches the session in the researcher's area; ?t= and a moment behind it, such as ?t=750.5s, leads there",
            Text, "", "address", link => "";
    });
    fields
}
