//! `redial platform match`: a platform's own list of submissions beside the sessions that are here.

use std::io::Read as _;
use std::path::Path;

use anyhow::{Context as _, bail};
use api::research::{MatchLine, PlatformMatch};
use domain::recruitment::matching::ToDo;
use server::matching::match_list;
use server::people::{People, people};
use server::platforms::{MOST_BYTES, read_list};

use super::args::MatchArgs;
use crate::commands::data::{open, told};
use crate::commands::pay::now_unix_ms;
use crate::config::Config;
use crate::output::{Align, aligned, print};
use crate::study_at_hand::find;

const COLUMNS: [(&str, Align); 13] = [
    ("row", Align::Right),
    ("participant", Align::Left),
    ("submission", Align::Left),
    ("there", Align::Left),
    ("session", Align::Left),
    ("here", Align::Left),
    ("erased", Align::Left),
    ("approval", Align::Left),
    ("due", Align::Right),
    ("currency", Align::Left),
    ("kind", Align::Left),
    ("to do", Align::Left),
    ("why", Align::Left),
];

/// Puts a platform's list beside a study's sessions.
///
/// # Errors
/// When the file is no list of a platform that is known, there is no such study, or the database fails.
pub(super) async fn match_with_list(config: &Config, args: &MatchArgs) -> anyhow::Result<()> {
    let bytes = bytes_of(&args.file)?;
    let list = read_list(&bytes).with_context(|| format!("{}", args.file.display()))?;
    let archive = open(config, &args.study).await?;
    let file = find(config, &args.study).await.ok();
    let file = file.as_ref().map(|found| &found.entry.study);
    let found = async {
        let pay = file.and_then(|file| file.pay.clone());
        let read_at = now_unix_ms();
        let people = people(&*archive, &args.study, pay).await?;
        let found = match_list(&*archive, &args.study, file, &people, read_at, &list).await?;
        Ok::<_, anyhow::Error>((found, people))
    };
    let found = found.await;
    // Closing waits for whoever still reads.
    archive.close().await;
    let (
        found,
        People {
            problems, damaged, ..
        },
    ) = found?;
    if args.json {
        print(&(serde_json::to_string_pretty(&found)? + "\n"))?;
    } else if args.csv {
        print(&csv_of(&found)?)?;
    } else {
        print(&in_words(&found, args.all))?;
    }
    told(&problems, damaged)
}

/// The bytes of a file, or of the standard input for `-`; no more than a list may have, and one.
fn bytes_of(file: &Path) -> anyhow::Result<Vec<u8>> {
    let most = MOST_BYTES as u64 + 1;
    let mut bytes = Vec::new();
    if file.as_os_str() == "-" {
        std::io::stdin().take(most).read_to_end(&mut bytes)?;
    } else {
        let cannot = || format!("cannot read {}", file.display());
        let opened = std::fs::File::open(file).with_context(cannot)?;
        opened
            .take(most)
            .read_to_end(&mut bytes)
            .with_context(cannot)?;
    }
    Ok(bytes)
}

/// The cells of a line, in the order of the columns.
fn cells(line: &MatchLine) -> [Option<String>; COLUMNS.len()] {
    [
        line.row.map(|row| row.to_string()),
        line.participant.clone(),
        line.submission.clone(),
        line.there.clone(),
        line.session.as_ref().map(ToString::to_string),
        line.here.clone(),
        line.session.as_ref().map(|_| line.erased.to_string()),
        line.approval.clone(),
        line.due.map(|due| due.to_string()),
        line.currency.clone(),
        Some(line.kind.name().to_owned()),
        Some(line.to_do.name().to_owned()),
        Some(line.why.clone()),
    ]
}

fn csv_of(found: &PlatformMatch) -> anyhow::Result<String> {
    let mut csv = csv::Writer::from_writer(Vec::new());
    csv.write_record(COLUMNS.map(|(name, _)| name.replace(' ', "_")))?;
    for line in &found.lines {
        csv.write_record(cells(line).map(Option::unwrap_or_default))?;
    }
    let Ok(bytes) = csv.into_inner() else {
        bail!("the table cannot be written");
    };
    Ok(String::from_utf8(bytes)?)
}

fn in_words(found: &PlatformMatch, all: bool) -> String {
    let mut text = format!(
        "{}: {} submissions in the list, {} sessions here.\n",
        found.title, found.listed, found.known
    );
    if found.repeated > 0 {
        text += &format!(
            "{} rows say again what another row has said.\n",
            found.repeated
        );
    }
    if found.nameless > 0 {
        text += &format!(
            "What the platform calls the participants of {} sessions was dropped; no row can be theirs.\n",
            found.nameless
        );
    }
    let mut table = vec![["kind", "to do", "number"].map(str::to_owned).to_vec()];
    table.extend(found.counts.iter().map(|count| {
        let kind = count.kind.name().replace('_', " ");
        vec![
            kind,
            count.to_do.words().to_owned(),
            count.number.to_string(),
        ]
    }));
    if table.len() > 1 {
        text += "\n";
        text += &aligned(&[Align::Left, Align::Left, Align::Right], &table);
    }
    let shown = found.lines.iter();
    let shown = shown.filter(|line| all || line.to_do != ToDo::Nothing);
    let mut table = vec![COLUMNS.map(|(name, _)| name.to_owned()).to_vec()];
    table.extend(shown.map(|line| {
        let mut cells = cells(line);
        cells[11] = Some(line.to_do.words().to_owned());
        cells
            .map(|cell| cell.unwrap_or_else(|| "–".to_owned()))
            .to_vec()
    }));
    if table.len() > 1 {
        text += "\n";
        text += &aligned(&COLUMNS.map(|(_, align)| align), &table);
    } else if !found.lines.is_empty() {
        text += "\nNothing is to be done. --all lists everybody.\n";
    }
    text
}
