use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

use std::collections::{BTreeMap, BTreeSet};

use super::decisions::taken_up_again;
use super::*;
use crate::design::{Factor, Levels, Stratum, Varies};

mod by_history;
mod decisions;

/// Sessions as a list, of which every test makes its ledger.
#[derive(Default)]
struct History {
    entries: Vec<AssignedSession>,
    paused: BTreeSet<String>,
}

impl History {
    fn ledger(&self) -> Ledger {
        let mut ledger: Ledger = self.entries.iter().collect();
        ledger.paused.clone_from(&self.paused);
        ledger
    }
}

fn rng(seed: u64) -> ChaCha8Rng {
    ChaCha8Rng::seed_from_u64(seed)
}

fn design(cells: usize, cap: Option<u32>) -> Design {
    Design {
        factors: vec![Factor {
            name: "model".into(),
            levels: (0..cells).map(|cell| format!("c{cell}")).collect(),
            varies: Varies::Between,
            question: None,
        }],
        assignment: AssignmentRules {
            cap,
            lease_minutes: Some(60),
            ..AssignmentRules::default()
        },
    }
}

fn entry(cell: &str, progress: AssignmentStatus) -> AssignedSession {
    AssignedSession {
        cell: cell.into(),
        row: 0,
        progress,
    }
}

fn under_way(cell: &str, until_ms: u64) -> AssignedSession {
    let lease_until_unix_ms = Some(until_ms);
    entry(
        cell,
        AssignmentStatus::UnderWay {
            lease_until_unix_ms,
        },
    )
}

fn completed(cell: &str, included: bool) -> AssignedSession {
    let over_quota = false;
    entry(
        cell,
        AssignmentStatus::Completed {
            included,
            over_quota,
        },
    )
}

fn ledger(entries: Vec<AssignedSession>) -> History {
    History {
        entries,
        paused: BTreeSet::new(),
    }
}

fn applicant() -> Applicant<'static> {
    Applicant {
        purpose: Purpose::Participant,
        stratum: Stratum::default(),
    }
}

fn cell_of(
    design: &Design,
    history: &History,
    now_ms: u64,
    seed: u64,
) -> Result<String, NotAssigned> {
    let mut ledger = history.ledger();
    let assigned = assign(design, 1, &mut ledger, applicant(), now_ms, &mut rng(seed));
    assigned.map(|assigned| assigned.cell.name)
}

#[test]
fn a_cell_with_the_fewest_completions_and_leases_is_taken() {
    let full = ledger(vec![
        completed("c0", true),
        completed("c1", true),
        under_way("c1", 100),
        under_way("c2", 100),
        completed("c2", true),
    ]);
    for seed in 0..20 {
        assert_eq!(cell_of(&design(3, None), &full, 50, seed).unwrap(), "c0");
    }
    // The leases have expired: c1 and c2 have one each, as c0.
    let cells: BTreeSet<String> = (0..40)
        .map(|seed| cell_of(&design(3, None), &full, 100, seed).unwrap())
        .collect();
    assert_eq!(cells.len(), 3, "ties are broken at random");
    let again = cell_of(&design(3, None), &full, 100, 7);
    assert_eq!(again, cell_of(&design(3, None), &full, 100, 7));
}

#[test]
fn nothing_is_assigned_beyond_a_cap_and_slots_come_back() {
    let design = design(2, Some(1));
    let taken = ledger(vec![completed("c0", true), under_way("c1", 100)]);
    assert_eq!(cell_of(&design, &taken, 99, 1), Err(NotAssigned::Full));
    assert_eq!(cell_of(&design, &taken, 100, 1).unwrap(), "c1");
    let ended = ledger(vec![
        completed("c0", true),
        entry("c1", AssignmentStatus::Ended),
    ]);
    assert_eq!(cell_of(&design, &ended, 0, 1).unwrap(), "c1");
    let over = AssignmentStatus::Completed {
        included: true,
        over_quota: true,
    };
    let over = ledger(vec![completed("c0", true), entry("c1", over)]);
    assert_eq!(cell_of(&design, &over, 0, 1).unwrap(), "c1");
}

#[test]
fn an_exclusion_gives_its_slot_back_where_the_cap_counts_the_included() {
    let excluded = ledger(vec![completed("c0", false)]);
    let mut design = design(1, Some(1));
    assert_eq!(cell_of(&design, &excluded, 0, 1), Err(NotAssigned::Full));
    design.assignment.counts = Counts::Included;
    assert_eq!(cell_of(&design, &excluded, 0, 1).unwrap(), "c0");
}

#[test]
fn paused_cells_get_nobody() {
    let design = design(2, Some(1));
    let mut ledger = ledger(vec![completed("c0", true)]);
    ledger.paused.insert("c1".into());
    assert_eq!(cell_of(&design, &ledger, 0, 1), Err(NotAssigned::Paused));
    ledger.entries.push(completed("c1", true));
    assert_eq!(cell_of(&design, &ledger, 0, 1), Err(NotAssigned::Full));
}

#[test]
fn pilots_and_previews_know_no_caps() {
    let design = design(2, Some(1));
    let full = ledger(vec![completed("c0", true), completed("c1", true)]);
    for purpose in Purpose::ALL {
        let applicant = Applicant {
            purpose,
            stratum: Stratum::default(),
        };
        let assigned = assign(&design, 1, &mut full.ledger(), applicant, 0, &mut rng(1));
        match purpose {
            Purpose::Participant | Purpose::Simulated => {
                assert_eq!(assigned, Err(NotAssigned::Full));
            }
            _ => assert_eq!(assigned.unwrap().lease_until_unix_ms, None),
        }
        assert_eq!(Purpose::of_name(purpose.name()), Some(purpose));
    }
}

/// The paper's rule: odd numbers get D_z = 5, even ones 10.
#[test]
fn in_turn_odd_numbers_get_the_first_of_two_cells_and_even_ones_the_second() {
    let mut design = design(2, Some(3));
    design.assignment.rule = AssignmentRule::InTurn;
    let mut so_far = ledger(Vec::new());
    for number in 1..=6 {
        let cell = cell_of(&design, &so_far, 0, number).unwrap();
        assert_eq!(cell, if number % 2 == 1 { "c0" } else { "c1" });
        so_far.entries.push(completed(&cell, true));
    }
    assert_eq!(cell_of(&design, &so_far, 0, 1), Err(NotAssigned::Full));
    // A free slot is found even if it is not its turn.
    so_far.entries[1].progress = AssignmentStatus::Ended;
    assert_eq!(cell_of(&design, &so_far, 0, 1).unwrap(), "c1");
}

#[test]
fn whoever_ended_before_the_end_holds_no_slot_whatever_else_was_noted() {
    for ended in Ended::ALL {
        let progress = AssignmentStatus::of(&StoredStatus {
            ended: Some(ended),
            ..StoredStatus::default()
        });
        let holds = entry("c0", progress).takes_slot(Counts::Completions, 0);
        assert_eq!(holds, ended.is_completed(), "{ended:?}");
    }
    let under_way = AssignmentStatus::of(&StoredStatus {
        lease_until_unix_ms: Some(100),
        ..StoredStatus::default()
    });
    assert!(entry("c0", under_way).takes_slot(Counts::Completions, 99));
    assert!(!entry("c0", under_way).takes_slot(Counts::Completions, 100));
}

#[test]
fn a_start_that_broke_off_takes_up_its_own_slot_again() {
    let design = design(2, Some(1));
    let own = under_way("c1", 100);
    let again = |there, now_ms| {
        let cell = taken_up_again(&design, Stratum::default(), &own, there, now_ms);
        cell.map(|cell| cell.name)
    };
    assert_eq!(again(false, 99).as_deref(), Some("c1"));
    assert_eq!(again(false, 100), None, "somebody else may have it");
    assert_eq!(again(true, 100).as_deref(), Some("c1"));
    let elsewhere = entry("gone", AssignmentStatus::Ended);
    assert_eq!(
        taken_up_again(&design, Stratum::default(), &elsewhere, true, 0),
        None
    );
}

#[test]
fn the_link_leads_to_its_own_cells() {
    let mut design = design(2, None);
    design.factors[0].varies = Varies::Link;
    let cell = |condition| {
        let applicant = Applicant {
            purpose: Purpose::Participant,
            stratum: Stratum {
                condition,
                ..Stratum::default()
            },
        };
        let assigned = assign(
            &design,
            1,
            &mut Ledger::default(),
            applicant,
            0,
            &mut rng(1),
        );
        assigned.map(|assigned| assigned.cell.name)
    };
    assert_eq!(cell(Some("c1")).unwrap(), "c1");
    assert_eq!(cell(None).unwrap(), "");
    assert_eq!(cell(Some("x")), Err(NotAssigned::NoSuchCondition));
}

#[test]
fn rows_stay_balanced_when_people_drop_out() {
    let design = design(1, None);
    let mut so_far = ledger(Vec::new());
    let mut rows = Vec::new();
    for _ in 0..5 {
        let assigned = assign(
            &design,
            3,
            &mut so_far.ledger(),
            applicant(),
            0,
            &mut rng(1),
        )
        .unwrap();
        rows.push(assigned.row);
        let mut entry = completed("c0", true);
        entry.row = assigned.row;
        so_far.entries.push(entry);
    }
    assert_eq!(rows, [0, 1, 2, 3, 4]);
    // The second drops out: remainders 1 and 2 are taken once each, 0 twice.
    so_far.entries[1].progress = AssignmentStatus::Ended;
    let next = assign(
        &design,
        3,
        &mut so_far.ledger(),
        applicant(),
        0,
        &mut rng(1),
    )
    .unwrap();
    assert_eq!(next.row, 1);
    so_far.entries[2].progress = AssignmentStatus::Ended;
    let next = assign(
        &design,
        3,
        &mut so_far.ledger(),
        applicant(),
        0,
        &mut rng(1),
    )
    .unwrap();
    assert_eq!(next.row, 2);
    let mut far = completed("c0", true);
    assert_eq!(
        ledger(Vec::new())
            .ledger()
            .next_row("c0", Counts::Completions, u64::MAX),
        0
    );
    far.row = u64::MAX - 1;
    let mut far = ledger(vec![far]).ledger();
    assert_eq!(far.next_row("c0", Counts::Completions, u64::MAX), 0);
}

#[test]
fn a_late_completion_fills_an_open_slot_or_is_over_quota() {
    let mut rules = design(1, Some(2)).assignment;
    let over = |rules: &AssignmentRules, others: Vec<AssignedSession>, included, now_ms| {
        is_over_quota(
            rules,
            &mut ledger(others).ledger(),
            &under_way("c0", 100),
            included,
            now_ms,
        )
    };
    let one = || vec![completed("c0", true)];
    let two = || vec![completed("c0", true), completed("c0", true)];
    assert!(!over(&rules, two(), true, 99), "in time");
    assert!(!over(&rules, one(), true, 100), "late, with a slot open");
    assert!(over(&rules, two(), true, 100), "late, with none");
    assert!(over(
        &rules,
        vec![completed("c0", true), under_way("c0", 200)],
        true,
        100
    ));
    assert!(over(&rules, two(), false, 100), "everybody counts");
    rules.counts = Counts::Included;
    assert!(!over(&rules, two(), false, 100), "takes no slot anyway");
    rules.cap = None;
    assert!(!over(&rules, two(), true, 100));
}

#[test]
fn a_simulation_fills_quotas_and_repeats() {
    let design = design(7, Some(15));
    let simulation = AssignmentSimulation {
        arrivals: 2_000,
        dropout: 0.3,
        at_once: 4,
        minutes: 20.0,
        seed: 5,
    };
    let balance = simulate(&design, 6, &simulation);
    for cell in &balance.cells {
        assert_eq!((cell.completed, cell.over_quota), (15, 0), "{cell:?}");
        assert!(cell.dropped_out > 0);
        assert_eq!(cell.rows.iter().sum::<u64>(), 15);
        // 15 = 2 × 6 + 3: a row counts two or three times.
        assert!(
            cell.rows.iter().all(|times| (2..=3).contains(times)),
            "{cell:?}"
        );
    }
    assert_eq!(balance.last_spread, 0);
    assert!(balance.turned_away > 1_500);
    assert_eq!(balance, simulate(&design, 6, &simulation));

    let nobody = AssignmentSimulation {
        arrivals: 0,
        ..simulation
    };
    let balance = simulate(&design, 1, &nobody);
    assert_eq!((balance.turned_away, balance.largest_spread), (0, 0));
    assert!(balance.cells.iter().all(|cell| cell.rows.is_empty()));
}

/// As many of each answer as come, in whatever order; the cells of each answer differ by one person at most.
#[test]
fn cells_are_filled_evenly_among_those_who_answer_the_same() {
    let mut design = design(3, None);
    design.factors.insert(
        0,
        Factor {
            name: "experience".into(),
            levels: vec!["none".into(), "some".into()],
            varies: Varies::Answer,
            question: None,
        },
    );
    let mut ledger = Ledger::default();
    let mut rng = rng(4);
    let mut counts: BTreeMap<String, i64> = BTreeMap::new();
    for _ in 0..200 {
        // Two of three have none.
        let level = if rng.random_range(0..3) < 2 {
            "none"
        } else {
            "some"
        };
        let answers = Levels::from([("experience".to_owned(), level.to_owned())]);
        let applicant = Applicant {
            purpose: Purpose::Participant,
            stratum: Stratum {
                answers: &answers,
                ..Stratum::default()
            },
        };
        let assigned = assign(&design, 2, &mut ledger, applicant, 0, &mut rng).unwrap();
        assert_eq!(assigned.cell.levels["experience"], level);
        ledger.add(&AssignedSession {
            cell: assigned.cell.name.clone(),
            row: assigned.row,
            progress: AssignmentStatus::UnderWay {
                lease_until_unix_ms: None,
            },
        });
        *counts.entry(assigned.cell.name).or_default() += 1;
        let of = |level: &str| {
            let cells = (0..3).map(|cell| counts.get(&format!("{level}.c{cell}")).copied());
            let cells: Vec<i64> = cells.map(Option::unwrap_or_default).collect();
            cells.iter().max().unwrap() - cells.iter().min().unwrap()
        };
        assert!(of("none") <= 1 && of("some") <= 1, "{counts:?}");
    }
    let nobody = Applicant {
        purpose: Purpose::Participant,
        stratum: Stratum::default(),
    };
    let refused = assign(&design, 2, &mut ledger, nobody, 0, &mut rng);
    assert_eq!(refused, Err(NotAssigned::NoSuchCondition));
    // The simulation's spread is that among people of one answer.
    let simulation = AssignmentSimulation {
        arrivals: 300,
        dropout: 0.0,
        at_once: 1,
        minutes: 20.0,
        seed: 3,
    };
    let balance = simulate(&design, 1, &simulation);
    assert_eq!((balance.turned_away, balance.cells.len()), (0, 6));
    assert!(balance.largest_spread <= 1, "{balance:?}");
}

#[test]
fn simulated_people_come_by_all_links() {
    let mut design = design(2, Some(10));
    design.factors[0].varies = Varies::Link;
    let simulation = AssignmentSimulation {
        arrivals: 200,
        dropout: 0.2,
        at_once: 4,
        minutes: 20.0,
        seed: 3,
    };
    let balance = simulate(&design, 1, &simulation);
    let cells: Vec<&str> = balance
        .cells
        .iter()
        .map(|cell| cell.cell.as_str())
        .collect();
    assert_eq!(cells, ["c0", "c1"], "nobody comes without a level");
    assert!(
        balance.cells.iter().all(|cell| cell.completed == 10),
        "{balance:?}"
    );
}
