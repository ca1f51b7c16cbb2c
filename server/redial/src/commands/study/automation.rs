//! `redial study automation`: signs that scripts or agents took part.

use analysis::numbers::{counted, given, number};
use anyhow::ensure;
use clap::Args;
use server::automation::{SessionSigns, StudySigns, study_signs};
use server::export::SessionSelection;

use super::super::data::open;
use crate::config::Config;
use crate::output::{Align, aligned, print};

/// Most sessions that are named.
const MOST_NAMED: usize = 50;

/// `redial study automation …`
#[derive(Debug, Clone, Args)]
pub struct AutomationArgs {
    /// Name of the study
    study: String,
    /// Take the sessions of simulated people instead of those of people
    #[arg(long)]
    simulated: bool,
    /// Print JSON: every signal of every session
    #[arg(long)]
    json: bool,
}

/// Runs `redial study automation …`.
///
/// # Errors
/// When there is no such database or study; and, once everything is printed, when something in the
/// database could not be read.
pub async fn automation(config: &Config, args: AutomationArgs) -> anyhow::Result<()> {
    let archive = open(config, &args.study).await?;
    let whose = if args.simulated {
        SessionSelection::Simulated
    } else {
        SessionSelection::People
    };
    let found = study_signs(&*archive, &args.study, whose).await?;
    archive.close().await;
    if args.json {
        print(&(serde_json::to_string_pretty(&found)? + "\n"))?;
    } else {
        print(&in_words(&found))?;
    }
    for problem in &found.problems {
        eprintln!("redial: {problem}");
    }
    ensure!(found.problems.is_empty(), "not everything can be read");
    Ok(())
}

fn in_words(found: &StudySigns) -> String {
    let mut out = format!(
        "Signs of scripts and agents in {} of '{}'. A flag is a reason to look at a session, and none to reject it.\n\n",
        counted(found.sessions.len(), "session", "sessions"),
        found.study
    );
    if found.no_data > 0 {
        out += &format!("Pilots and previews left out: {}.\n\n", found.no_data);
    }
    let heading = [
        "signal", "sessions", "least", "5 %", "median", "95 %", "most", "flag if", "flagged",
    ];
    let mut lines = vec![heading.map(str::to_owned).to_vec()];
    for signal in &found.signals {
        let quantiles = match signal.quantiles {
            Some(values) => values.map(number),
            None => std::array::from_fn(|_| "–".to_owned()),
        };
        let thresholds: Vec<String> = signal.thresholds.iter().map(|it| given(*it)).collect();
        let mut line = vec![signal.name.to_owned(), signal.sessions.to_string()];
        line.extend(quantiles);
        line.push(format!("{} {}", signal.suspicious, thresholds.join(" or ")));
        line.push(signal.flagged.to_string());
        lines.push(line);
    }
    let (left, right) = (Align::Left, Align::Right);
    let columns = [left, right, right, right, right, right, right, left, right];
    out += &aligned(&columns, &lines);
    let flagged: Vec<&SessionSigns> = found
        .sessions
        .iter()
        .filter(|session| !session.flags.is_empty())
        .collect();
    if flagged.is_empty() {
        out += "\nNo session has a flag.\n";
        return out;
    }
    out += "\nSessions with flags:\n";
    for session in flagged.iter().take(MOST_NAMED) {
        out += &format!(
            "  {} (number {}{}): {}\n",
            session.session,
            session.ordinal,
            if session.complete {
                ""
            } else {
                ", not complete"
            },
            session.flags.join(", ")
        );
    }
    if flagged.len() > MOST_NAMED {
        let more = flagged.len() - MOST_NAMED;
        out += &format!("  and {more} more: --json names all\n");
    }
    out
}
