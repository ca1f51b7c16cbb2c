//! The power of a study, in words.

use std::fmt::Write as _;

use analysis::numbers::{given, rounded};
use analysis::power::Assumptions;
use domain::study::ConditionsVary;
use server::power::{NamingPowerReport, PowerReport};

use crate::output::{Align, aligned};

const COLUMNS: [(&str, Align); 5] = [
    ("people", Align::Right),
    ("power", Align::Right),
    ("Monte-Carlo SE", Align::Right),
    ("any pair", Align::Right),
    ("one t-test, closed form", Align::Right),
];

/// Everything, to be read.
#[must_use]
pub fn in_words(report: &PowerReport) -> String {
    let Assumptions {
        difference,
        sd,
        within,
    } = report.assumed;
    let each = match report.design.vary {
        ConditionsVary::Within => "people",
        ConditionsVary::Between => "people in each condition",
    };
    let mut text = format!(
        "Power of '{}' to show a difference of {} in {}\n\
         SD between people {}, within people {}; α = {}; {} simulated studies for each number, seed {}.\n\
         The last condition of the first comparison differs from the others; every other declared test \
         has nothing to find, and counts in the correction.\n",
        report.study,
        given(difference),
        report.metric.label(),
        given(sd),
        given(within),
        given(report.settings.alpha),
        report.settings.simulations,
        report.settings.seed,
    );
    if let Some(from) = &report.from {
        // Writing to a string cannot fail, here and below.
        let _ = writeln!(text, "Not all of this was given: it comes from {from}.");
    }
    let mut table = vec![COLUMNS.map(|(name, _)| name.to_owned()).to_vec()];
    for power in &report.powers {
        table.push(vec![
            power.people.to_string(),
            format!("{:.3}", power.power),
            format!("{:.3}", power.standard_error),
            format!("{:.3}", power.any_pair),
            power
                .closed_form
                .map_or_else(|| "–".to_owned(), |power| format!("{power:.3}")),
        ]);
    }
    text.push('\n');
    text += &aligned(&COLUMNS.map(|(_, align)| align), &table);
    match (report.people_needed, report.powers.as_slice()) {
        (Some(needed), _) => {
            let _ = writeln!(
                text,
                "\n{needed} {each} are needed for a power of {}.",
                report.wanted
            );
        }
        (None, [_]) => {}
        (None, _) => {
            let _ = writeln!(
                text,
                "\nNone of these numbers gives a power of {}.",
                report.wanted
            );
        }
    }
    if let (Some(needed), Some(declared)) = (report.people_needed, report.declared_people) {
        let conditions = match report.design.vary {
            ConditionsVary::Within => 1,
            ConditionsVary::Between => report.design.first(),
        };
        if needed * conditions > declared {
            let _ = writeln!(
                text,
                "The study declares {declared} people in all, which is fewer."
            );
        }
    }
    text
}

/// The power of a naming study, to be read.
#[must_use]
pub fn naming_in_words(report: &NamingPowerReport) -> String {
    let (measure, settings) = (report.question.measure.label(), report.settings);
    let kind = if report.simulated { " simulated" } else { "" };
    let mut text = format!(
        "Power of '{}' to tell bundles of concepts apart by {measure}\n\
         Studies are drawn from {}{kind} people of the database; what these say is as uncertain as they are few. A \
         study tells two bundles apart where the {} % interval of their difference does not hold 0; {} studies for \
         each number of people, seed {}.\n\n",
        report.study,
        report.pilot_people,
        given((1.0 - settings.alpha) * 100.0),
        settings.simulations,
        settings.seed,
    );
    let columns = ["people", "bundles", "difference", "power", "Monte-Carlo SE"];
    let mut table = vec![columns.map(str::to_owned).to_vec()];
    for power in &report.powers {
        for pair in &power.pairs {
            table.push(vec![
                power.people.to_string(),
                pair.bundles.join(" − "),
                rounded(pair.difference, 3),
                format!("{:.3}", pair.power),
                format!("{:.3}", pair.standard_error),
            ]);
        }
    }
    let [right, left] = [Align::Right, Align::Left];
    text += &aligned(&[right, left, right, right, right], &table);
    // Writing to a string cannot fail.
    let _ = match (report.people_needed, report.powers.as_slice()) {
        (Some(needed), _) => writeln!(
            text,
            "\n{needed} people are needed for a power of {} for every two bundles.",
            report.wanted
        ),
        (None, [_]) => Ok(()),
        (None, _) => writeln!(
            text,
            "\nNone of these numbers gives a power of {} for every two bundles.",
            report.wanted
        ),
    };
    text
}
