//! `redial study simulate-assignment`: what balance a design gives when people drop out.

use api::research::StudyBalance;
use clap::Args;
use domain::recruitment::assignment::{AssignmentSimulation, Balance};
use domain::study::Study;
use server::balance::{BalanceRequest, balance_of_study};

use crate::config::Config;
use crate::output::{Align, aligned, print};
use crate::study_at_hand::find;

/// `redial study simulate-assignment …`
#[derive(Debug, Clone, Args)]
pub struct SimulateAssignmentArgs {
    /// Name of the study, or its file
    study: String,
    /// Number of people who press Start
    #[arg(long, value_name = "N", default_value_t = 200)]
    arrivals: u32,
    /// Share of them who never finish, from 0 to 1
    #[arg(long, value_name = "P", default_value_t = 0.3)]
    dropout: f64,
    /// The same seed gives the same arrivals, outcomes and cells
    #[arg(long, value_name = "S", default_value_t = 1)]
    seed: u64,
    /// How many are under way at once, on average
    #[arg(long, value_name = "N", default_value_t = 4)]
    at_once: u32,
    /// Minutes that the study takes [default: as its consent form says]
    #[arg(long, value_name = "M")]
    minutes: Option<f64>,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

const COLUMNS: [(&str, Align); 7] = [
    ("cell", Align::Left),
    ("cap", Align::Right),
    ("assigned", Align::Right),
    ("count", Align::Right),
    ("dropped out", Align::Right),
    ("over quota", Align::Right),
    ("rows of the orders", Align::Left),
];

/// Prints the balance of a study's cells.
///
/// # Errors
/// When there is no such study, or a number makes no sense.
pub async fn simulate_assignment(
    config: &Config,
    args: &SimulateAssignmentArgs,
) -> anyhow::Result<()> {
    let entry = find(config, &args.study).await?.entry;
    let request = BalanceRequest {
        arrivals: args.arrivals,
        dropout: args.dropout,
        at_once: args.at_once,
        minutes: args.minutes,
        seed: args.seed,
    };
    let StudyBalance {
        simulation,
        balance,
        ..
    } = balance_of_study(&entry, &request)?;
    if args.json {
        return Ok(print(&(serde_json::to_string_pretty(&balance)? + "\n"))?);
    }
    Ok(print(&in_words(&entry.study, &simulation, &balance))?)
}

fn in_words(study: &Study, simulation: &AssignmentSimulation, balance: &Balance) -> String {
    let mut table = vec![COLUMNS.map(|(name, _)| name.to_owned()).to_vec()];
    for cell in &balance.cells {
        let rows: Vec<String> = cell.rows.iter().map(u64::to_string).collect();
        let name = if cell.cell.is_empty() {
            "(everybody)"
        } else {
            &cell.cell
        };
        table.push(vec![
            name.to_owned(),
            cell.cap.map_or_else(|| "–".into(), |cap| cap.to_string()),
            cell.assigned.to_string(),
            cell.completed.to_string(),
            cell.dropped_out.to_string(),
            cell.over_quota.to_string(),
            rows.join(" "),
        ]);
    }
    let AssignmentSimulation {
        arrivals,
        dropout,
        at_once,
        minutes,
        seed,
    } = simulation;
    let mut text = format!(
        "{}: {arrivals} arrivals, {:.0} % drop out, {at_once} at once, {minutes} minutes, seed {seed}\n\n",
        study.id,
        dropout * 100.0
    );
    text += &aligned(&COLUMNS.map(|(_, align)| align), &table);
    text += &format!(
        "\nLargest difference between two cells: {} at any time, {} at the end.\n",
        balance.largest_spread, balance.last_spread
    );
    if let Some(first) = balance.first_turned_away {
        text += &format!(
            "No cell was open for {} of them; arrival {first} was the first.\n",
            balance.turned_away
        );
    }
    text
}
