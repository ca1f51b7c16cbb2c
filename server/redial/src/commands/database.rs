//! `redial database …`: looking after the file that everything is in.

use std::path::PathBuf;

use anyhow::bail;
use clap::Subcommand;
use jiff::Timestamp;
use server::database::lock::Lock;
use server::database::{self, CheckReport, DatabaseError};
use server::storage::{self, Copying, StoredNode};

use crate::config::{Config, address_of};
use crate::output::{Align, aligned, print};
use crate::progress::Progress;

/// `redial database …`
#[derive(Debug, Clone, Subcommand)]
pub enum DatabaseCommand {
    /// Read everything and say what is damaged: pages, plans, answer keys, events, models.
    /// A server may run meanwhile
    Check {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write a copy to a new file, and check it. A server may run meanwhile
    Backup {
        /// The new file
        #[arg(value_name = "FILE")]
        to: PathBuf,
    },
    /// Put a backup in the place of the database, once it has been checked. Stop the server first
    Restore {
        /// The backup; it stays as it is
        #[arg(value_name = "FILE")]
        from: PathBuf,
        /// Do so even if there is a database; that is kept under another name
        #[arg(long)]
        replace: bool,
    },
    /// List the servers that share the database: where they listen, since when, and how far their clocks are off
    Servers {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Write all that a database holds into another one, which is empty: from a file into PostgreSQL, or back. A
    /// server may go on writing to the first one; what it writes meanwhile is not copied. The same command goes on
    /// with a copy that broke off, and takes what has changed since
    Copy {
        /// The database that is read
        #[arg(value_name = "FROM")]
        from: String,
        /// The one that is written
        #[arg(value_name = "TO")]
        to: String,
        /// Copy one study, without accounts and the audit log
        #[arg(long, value_name = "NAME")]
        study: Option<String>,
        /// Copy while the server goes on, and let the target count only after another copy without this, which takes
        /// what has changed
        #[arg(long)]
        ahead: bool,
    },
    /// Give the room of what was deleted back to the disk. Stop the server first; PostgreSQL goes on, and keeps
    /// nothing of erased sessions in its tables then
    Vacuum,
}

/// Runs `redial database …`.
///
/// # Errors
/// When it cannot be done, or something is damaged, which has then been printed.
pub async fn database(config: &Config, command: DatabaseCommand) -> anyhow::Result<()> {
    let url = &config.database;
    let shown = storage::shown(url);
    match command {
        DatabaseCommand::Check { json } => {
            let report = database::check(config.address()).await?;
            if json {
                print(&(serde_json::to_string_pretty(&report)? + "\n"))?;
            } else {
                print(&in_words(&report))?;
            }
            unless_sound(&report, &format!("{shown} is damaged"))
        }
        DatabaseCommand::Backup { to } => {
            let report = database::backup(config.address(), &to).await?;
            let to = to.display();
            print(&format!(
                "{to} is a copy of {shown}.\n{}",
                in_words(&report)
            ))?;
            let failure = format!("{to} is complete, but {shown} is damaged, and so is the copy");
            unless_sound(&report, &failure)
        }
        DatabaseCommand::Restore { from, replace } => {
            let restored = match database::restore(config.address(), &from, replace).await {
                Err(DatabaseError::Unsound { path, report }) => {
                    print(&in_words(&report))?;
                    bail!(DatabaseError::Unsound { path, report });
                }
                other => other?,
            };
            let mut text = format!("{url} is now a copy of {}.\n", from.display());
            if restored.erased > 0 {
                text += &format!(
                    "{} sessions were erased from it, as their participants had wished.\n",
                    restored.erased
                );
            }
            if restored.doubted > 0 {
                text += &format!(
                    "{} decisions for platforms may have been sent after the backup was made. Look at the \
                     platforms, then settle them: redial platform outbox.\n",
                    restored.doubted
                );
            }
            if let Some(kept) = restored.kept {
                text += &format!("What was there before is {}.\n", kept.display());
            }
            print(&(text + &in_words(&restored.report)))?;
            Ok(())
        }
        DatabaseCommand::Servers { json } => servers(config, json).await,
        DatabaseCommand::Copy {
            from,
            to,
            study,
            ahead,
        } => {
            let (from, to) = (address_of(from), address_of(to));
            // Held until it is done.
            let _lock = Lock::take(&to)?;
            let progress = Progress::counting("rows", None);
            let tell = |rows| progress.tell(rows, rows);
            let what = Copying {
                study: study.as_deref(),
                is_ahead: ahead,
            };
            let rows = storage::copy(&from, &to, what, &tell).await?;
            drop(progress);
            let (from, to) = (storage::shown(&from), storage::shown(&to));
            let what = study.map_or_else(String::new, |study| format!(" of the study '{study}'"));
            let next = match ahead {
                true => " It counts once you have copied without --ahead.",
                false => "",
            };
            Ok(print(&format!(
                "{to} holds what {from} held{what}: {rows} rows, all compared.{next}\n"
            ))?)
        }
        DatabaseCommand::Vacuum => {
            let sizes = database::vacuum(url).await?;
            print(&format!(
                "{shown} takes {} bytes; before, it took {}.\n",
                sizes.after, sizes.before
            ))?;
            Ok(())
        }
    }
}

/// Prints the servers that share a database.
async fn servers(config: &Config, json: bool) -> anyhow::Result<()> {
    let archive = storage::open_archive(config.address()).await?;
    let nodes = archive.nodes().await;
    archive.close().await;
    let nodes = nodes?;
    let since = |node: &StoredNode| {
        let began_at_ms = i64::try_from(node.report.began_at_unix_ms).unwrap_or(i64::MAX);
        Timestamp::from_millisecond(began_at_ms).map(|at| format!("{at:.0}"))
    };
    if json {
        let mut list = Vec::new();
        for node in &nodes {
            list.push(serde_json::json!({
                "address": node.report.address,
                "version": node.report.version,
                "since": since(node)?,
                "silent_ms": node.silent_ms,
                "clock_ms": node.report.clock_ms,
                "waiting": node.report.waiting,
                "sockets": node.report.sockets,
            }));
        }
        return Ok(print(&(serde_json::to_string_pretty(&list)? + "\n"))?);
    }
    if nodes.is_empty() {
        return Ok(print(
            "No server has said that it works on this database. One on a file says nothing of the kind.\n",
        )?);
    }
    let head = [
        "address",
        "version",
        "since (UTC)",
        "heard",
        "clock",
        "jobs",
        "sockets",
    ];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    for node in &nodes {
        lines.push(vec![
            node.report.address.clone(),
            node.report.version.clone(),
            since(node)?,
            format!("{} s ago", node.silent_ms / 1_000),
            format!("{:+} ms", node.report.clock_ms),
            node.report.waiting.to_string(),
            node.report.sockets.to_string(),
        ]);
    }
    Ok(print(&aligned(&[Align::Left; 7], &lines))?)
}

/// What was looked at, after a line for everything that is wrong.
fn in_words(report: &CheckReport) -> String {
    let problems = report.problems.iter();
    let problems: String = problems.map(|problem| format!("{problem}\n")).collect();
    format!(
        "{problems}{} studies, {} sessions with {} events, {} instances, {} models: {}.\n",
        report.studies,
        report.sessions,
        report.events,
        report.instances,
        report.bundles,
        match report.problems.len() {
            0 => "everything is sound".to_owned(),
            1 => "1 problem".to_owned(),
            more => format!("{more} problems"),
        }
    )
}

fn unless_sound(report: &CheckReport, failure: &str) -> anyhow::Result<()> {
    if !report.problems.is_empty() {
        bail!("{failure}");
    }
    Ok(())
}
