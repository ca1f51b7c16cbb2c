//! The table of the audit log, which an export has where it is asked for.

use api::research::AuditEntry;
use domain::common::table::Field;
use domain::fields;

use super::error::ExportError;
use super::files::ExportTarget;
use super::flow_table::FlowTable;
use super::sessions::utc;
use super::table_writer::WrittenTable;
use crate::storage::Archive;

/// The meaning of one row, in words.
const ROW: &str = "one entry of the audit log: what somebody did with the study, the newest first";
/// Entries that are read at once.
const PAGE: u32 = 1_000;

/// Writes the table of a study. Its rows are of no session, and stand in the half of everybody alone.
pub(super) async fn write(
    archive: &dyn Archive,
    to: &ExportTarget<'_>,
) -> Result<WrittenTable, ExportError> {
    let mut table = FlowTable::create(to, "audit", ROW, fields())?;
    let studies = [to.study.to_owned()];
    let mut before = None;
    loop {
        let entries = archive.audit_log(Some(&studies), before, PAGE).await?;
        for entry in &entries {
            table.row(entry, false)?;
        }
        table.session_ended(false)?;
        before = entries.last().map(|entry| entry.number);
        if entries.len() < PAGE as usize {
            return table.finish();
        }
    }
}

/// The columns.
fn fields() -> Vec<Field<AuditEntry>> {
    fields! { |r: &AuditEntry|
        "entry": "Number of the entry, over all studies of the server",
            Integer, "", "1 and up" => r.number;
        "at_utc": "When",
            Text, "", "time as RFC 3339" => utc(Some(r.at_unix_ms));
        "by": "Who, by the name of their account; empty for a command on the server's own machine",
            Text, "", "any" => r.by;
        "act": "What they did",
            Text, "", "any" => r.act.name();
        "session": "With which session; joins the tables",
            Text, "", "any" => r.session;
        "about": "With what else: somebody's name, a role, a reason",
            Text, "", "any" => r.about;
        "address": "The address of the network that it came from",
            Text, "", "any" => r.address;
        "with": "The sign-in or token with which it was done",
            Text, "", "any" => r.with;
    }
}
