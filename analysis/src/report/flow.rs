//! The flow of participants, as CONSORT 2010 and 2025 want it shown.

use domain::study::Metric;
use serde::Serialize;

use crate::person::LeftOutReason;

/// The flow of participants.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct Flow {
    /// All who started.
    pub started: FlowCount,
    /// Of those, who did not agree to take part; absent where nobody is asked.
    pub declined: Option<FlowCount>,
    /// People who agreed, and were to go through none of the conditions that are compared.
    pub not_allocated: FlowCount,
    /// A comparison within people, a condition between them, in the order of [`Attrition`](crate::Attrition).
    pub cells: Vec<FlowCell>,
    /// Whether nobody was allocated to two cells: then their numbers add up to those who started, less those who
    /// declined or were not allocated.
    pub disjoint: bool,
}

/// So many people.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize)]
pub struct FlowCount {
    /// How many.
    pub people: usize,
    /// Their numbers among all who started, from 1, in order.
    #[serde(skip)]
    pub numbers: Vec<usize>,
}

/// The people of one cell.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowCell {
    /// The cell, by its name in the data.
    pub cell: String,
    /// People who agreed and were to go through a condition of it: those left out and those analysed.
    pub allocated: FlowCount,
    /// Of those, who began a scored question of it.
    pub began: FlowCount,
    /// Of those allocated, who completed the session.
    pub completed: FlowCount,
    /// Of those allocated, who is left out of the analysis, by the first reason; reasons that there are.
    pub left_out: Vec<FlowReason>,
    /// People who are analysed.
    pub analysed: FlowCount,
    /// Of those, who is in the tests of the first metric that the plan declares; absent without one.
    pub outcome: Option<FlowOutcome>,
}

/// People left out for one reason.
#[derive(Debug, Clone, PartialEq, Serialize)]
pub struct FlowReason {
    /// The reason.
    pub reason: LeftOutReason,
    /// Who.
    #[serde(flatten)]
    pub left_out: FlowCount,
}

/// People in the tests of one metric.
#[derive(Debug, Clone, PartialEq, Eq, Serialize)]
pub struct FlowOutcome {
    /// The metric.
    pub metric: Metric,
    /// How many people.
    pub people: usize,
}

impl FlowCount {
    /// These people.
    pub(crate) fn of(numbers: Vec<usize>) -> Self {
        Self {
            people: numbers.len(),
            numbers,
        }
    }
}
