//! `redial results`: the paper's table 2 for a study.

use std::fmt::Write as _;

use domain::results::{ModelRow, StageSummary, by_stage, table};
use domain::session::Phase;
use measures::statistics::Description;

use crate::export::{ReplayedSessions, Standing, Visited};
use crate::storage::{self, Archive, Problem};

/// A study's results.
#[derive(Debug, Clone, serde::Serialize)]
pub struct Results {
    /// Number of sessions that were started.
    pub started: usize,
    /// Number of them that are left out, because something in them cannot be read.
    pub damaged: usize,
    /// What cannot be read.
    pub problems: Vec<Problem>,
    /// Number of them that are complete.
    pub complete: usize,
    /// Number of the complete ones that the study's inclusion rules exclude.
    pub excluded: usize,
    /// Number of the complete ones that are over quota.
    pub over_quota: usize,
    /// Number of sessions that are no participant's: pilots, previews, simulations.
    pub no_data: usize,
    /// Whether sessions that are not complete are counted too.
    pub partial: bool,
    /// Whether those are counted too that are excluded or over quota.
    pub everyone: bool,
    /// One row for each stage.
    pub rows: Vec<ModelRow>,
}

/// Works out a study's results from its logs.
///
/// Only complete sessions of participants count, unless `partial` asks for all questions that
/// ended. Those that are excluded or over quota are left out, unless `everyone` asks for them.
///
/// # Errors
/// When the database fails. Damage to single sessions is told in [`Results::problems`].
pub async fn results(
    archive: &dyn Archive,
    study: &str,
    partial: bool,
    everyone: bool,
) -> storage::Result<Results> {
    let mut sessions = ReplayedSessions::open(archive, study).await?;
    let (mut started, mut complete, mut damaged) = (0, 0, 0);
    let (mut excluded, mut over_quota, mut no_data) = (0, 0, 0);
    let mut problems = Vec::from_iter(sessions.unlisted());
    let mut stages: Vec<StageSummary> = Vec::new();
    while let Some(visited) = sessions.next().await? {
        started += 1;
        let replayed = match visited {
            Visited::Whole(replayed) => replayed,
            Visited::Damaged(session) => {
                damaged += 1;
                problems.extend(session.problems);
                continue;
            }
        };
        let standing = replayed.standing();
        if standing == Standing::NoData {
            started -= 1;
            no_data += 1;
            continue;
        }
        complete += usize::from(replayed.session.phase() == Phase::Complete);
        excluded += usize::from(standing == Standing::Excluded);
        over_quota += usize::from(standing == Standing::OverQuota);
        let counts = match standing {
            Standing::Counted => true,
            Standing::Excluded | Standing::OverQuota => everyone,
            Standing::Ended | Standing::Unfinished => partial,
            Standing::NoData => false,
        };
        if counts {
            stages.extend(by_stage(&replayed.session));
        }
    }
    Ok(Results {
        started,
        damaged,
        problems,
        complete,
        excluded,
        over_quota,
        no_data,
        partial,
        everyone,
        rows: table(&stages),
    })
}

const HEADINGS: [&str; 8] = [
    "Stage",
    "Model",
    "Participants",
    "Completion rate",
    "Response time (s)",
    "Slide distance",
    "Error AUC / 1000",
    "Difficulty (1–7)",
];

impl Results {
    /// How many sessions there are, and who is left out.
    fn counts(&self) -> String {
        let mut text = format!(
            "{} sessions started, {} complete",
            self.started, self.complete
        );
        let left_out = if self.everyone { "" } else { " and left out" };
        for (count, what) in [
            (
                self.excluded,
                format!("excluded by the study's rules{left_out}"),
            ),
            (self.over_quota, format!("over quota{left_out}")),
            (self.damaged, "damaged and left out".into()),
            (
                self.no_data,
                "pilots, previews or simulations left out".into(),
            ),
        ] {
            if count > 0 {
                // Writing to a string cannot fail.
                let _ = write!(text, ", {count} {what}");
            }
        }
        text
    }

    /// The table as text, columns aligned.
    #[must_use]
    pub fn to_text(&self) -> String {
        if self.rows.is_empty() {
            let hint = if self.partial {
                "No question has ended yet."
            } else {
                "Nobody has finished yet; --partial counts the questions that ended so far."
            };
            return format!("{}. {hint}\n", self.counts());
        }
        let mut lines: Vec<[String; 8]> = vec![HEADINGS.map(str::to_owned)];
        lines.extend(self.rows.iter().map(|row| {
            [
                row.key.stage_id.clone(),
                row.key.model.clone(),
                row.participants.to_string(),
                mean_sd(row.completion_rate, 2),
                mean_sd(row.response_time_s, 1),
                mean_sd(row.slide_distance, 2),
                mean_sd(row.error_auc_thousands, 2),
                mean_sd(row.difficulty, 1),
            ]
        }));
        let widths: Vec<usize> = (0..HEADINGS.len())
            .map(|column| {
                lines
                    .iter()
                    .map(|line| line[column].chars().count())
                    .max()
                    .unwrap_or(0)
            })
            .collect();

        let mut out = self.counts();
        out.push_str(if self.partial {
            "; all ended questions counted\n\n"
        } else {
            "; complete ones counted\n\n"
        });
        for (index, line) in lines.iter().enumerate() {
            for (cell, width) in line.iter().zip(&widths) {
                // Writing to a string cannot fail.
                let _ = write!(out, "{cell:<width$}  ");
            }
            out.truncate(out.trim_end().len());
            out.push('\n');
            if index == 0 {
                out.push_str(&"─".repeat(widths.iter().sum::<usize>() + 2 * (widths.len() - 1)));
                out.push('\n');
            }
        }
        out.push_str("\nMean ± SD over participants of each one's mean over questions; SD with divisor n, as in the paper.\n");
        out
    }
}

fn mean_sd(description: Option<Description>, digits: usize) -> String {
    description.map_or_else(
        || "–".to_owned(),
        |d| format!("{:.digits$} ± {:.digits$}", d.mean, d.sd_population),
    )
}
