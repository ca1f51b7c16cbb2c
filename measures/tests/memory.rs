//! How much memory measures take, counted by the allocator: at most three times their arrays (issue 31, section 7),
//! but for DCI.
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use measures::array::Array;
use measures::inputs::{Inputs, Need};
use measures::list::find;
use measures::measure::Request;
use measures::random::Random;

/// Bytes that are allocated, and the most that were.
static NOW: AtomicUsize = AtomicUsize::new(0);
static MOST: AtomicUsize = AtomicUsize::new(0);

/// The system's, which counts bytes. What grows in place is moved by the default of the trait: the old and the new
/// then count at once, as they may in any allocator.
struct Counting;

// SAFETY: hands everything to the system's allocator as it is.
#[allow(unsafe_code)]
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        let now = NOW.fetch_add(layout.size(), Ordering::SeqCst) + layout.size();
        MOST.fetch_max(now, Ordering::SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, pointer: *mut u8, layout: Layout) {
        NOW.fetch_sub(layout.size(), Ordering::SeqCst);
        // SAFETY: as the caller promises.
        unsafe { System.dealloc(pointer, layout) }
    }
}

#[global_allocator]
static COUNTING: Counting = Counting;

/// One test at a time: both count the same bytes.
static ALONE: Mutex<()> = Mutex::new(());

/// Arrays of one shape for one measure.
struct Case {
    measure: &'static str,
    choice: &'static str,
    arrays: Vec<(Need, Vec<usize>, Option<usize>)>,
}

/// Codes, labels of `labels` columns of two values, and a task.
fn of_codes(
    measure: &'static str,
    choice: &'static str,
    rows: usize,
    codes: usize,
    labels: usize,
) -> Case {
    Case {
        measure,
        choice,
        arrays: vec![
            (Need::Codes, vec![rows, codes], None),
            (Need::Labels, vec![rows, labels], Some(2)),
            (Need::Task, vec![rows], Some(4)),
        ],
    }
}

/// An explanation of a layer of 20 outputs with five concepts each.
fn of_explanation(measure: &'static str, choice: &'static str, rows: usize) -> Case {
    Case {
        measure,
        choice,
        arrays: vec![
            (Need::Codes, vec![rows, 50], None),
            (Need::Weights, vec![50, 20], None),
            (Need::Outputs, vec![rows, 20], None),
            (Need::Surrogate, vec![rows, 20], None),
            (Need::Directions, vec![20, 5, 50], None),
            (Need::Importances, vec![20, 5], None),
        ],
    }
}

fn cases(rows: usize) -> Vec<Case> {
    let mut cases = vec![
        of_codes("mig", "", rows, 50, 10),
        of_codes("sap", "", rows, 50, 10),
        of_codes("modularity", "", rows, 50, 10),
        of_codes("alignment", "", rows, 50, 10),
        of_codes("explicitness", "", rows, 50, 10),
        of_codes("infomec", "ksg", rows, 50, 10),
        of_codes("infomec", "histogram", rows, 50, 10),
        of_codes("leakage", "plug-in", rows, 50, 50),
        of_codes("leakage", "ksg", rows, 50, 50),
        of_codes("concept-auc", "", rows / 10, 50, 10),
        of_codes("ois", "", rows / 4, 10, 10),
        of_codes("niche", "", rows, 50, 1),
        of_codes("dci", "", rows / 10, 50, 10),
        Case {
            measure: "monosemanticity",
            choice: "",
            arrays: vec![
                (Need::Codes, vec![rows, 64], None),
                (Need::Embeddings, vec![rows, 512], None),
            ],
        },
        of_cem(rows),
    ];
    let choices = [
        ("surf", "product"),
        ("surf", "non-negative"),
        ("ice", "product"),
        ("ice", "non-negative"),
        ("parsimony", ""),
        ("surrogate-agreement", ""),
    ];
    cases.extend(choices.map(|(name, choice)| of_explanation(name, choice, rows)));
    cases.push(Case {
        measure: "cgim",
        ..of_cem(rows)
    });
    cases
}

fn of_cem(rows: usize) -> Case {
    Case {
        measure: "cem",
        choice: "",
        arrays: vec![
            (Need::Codes, vec![rows, 50], None),
            (Need::Labels, vec![rows, 50], Some(2)),
            (Need::Weights, vec![50, 20], None),
            (Need::Predictions, vec![rows], Some(20)),
            (Need::Task, vec![rows], Some(20)),
        ],
    }
}

/// How many times its arrays a measure has allocated at most, the arrays included.
fn times_its_arrays(case: &Case) -> f64 {
    let mut random = Random::new(1, 0);
    let before = NOW.load(Ordering::SeqCst);
    let mut inputs = Inputs::default();
    for (need, shape, below) in &case.arrays {
        let count = shape.iter().product();
        let mut values = Vec::with_capacity(count);
        values.extend((0..count).map(|_| match below {
            Some(below) => random.below(*below) as f64,
            None => random.uniform(),
        }));
        inputs = inputs.with(*need, Array::new(shape.clone(), values).unwrap());
    }
    let arrays = NOW.load(Ordering::SeqCst) - before;
    MOST.store(NOW.load(Ordering::SeqCst), Ordering::SeqCst);
    let request = Request {
        threads: 2,
        estimator: (!case.choice.is_empty()).then(|| case.choice.to_owned()),
        ..Request::default()
    };
    find(case.measure).unwrap().run(&inputs, &request).unwrap();
    (MOST.load(Ordering::SeqCst) - before) as f64 / arrays as f64
}

/// Three times, as issue 31 has it; DCI's boosted trees hold the order of every column and the rows of every node, too,
/// which docs/measures.md names.
fn allowed(measure: &str) -> f64 {
    if measure == "dci" { 5.0 } else { 3.0 }
}

fn most_times(rows: usize) -> Vec<String> {
    let _alone = ALONE.lock().unwrap();
    let mut above = Vec::new();
    for case in cases(rows) {
        let times = times_its_arrays(&case);
        let Case {
            measure, choice, ..
        } = case;
        println!("{measure:>20} {choice:<12} {times:5.2} times its arrays");
        if times > allowed(measure) {
            above.push(format!("{measure} {choice}: {times:.2}"));
        }
    }
    above
}

#[test]
fn no_measure_but_dci_takes_more_than_three_times_its_arrays() {
    let above = most_times(10_000);
    assert!(above.is_empty(), "{above:?}");
}

#[test]
#[ignore = "takes a minute: the same at the size that the goals name"]
fn memory_at_the_size_of_the_goals() {
    println!("100,000 rows (10,000 where networks or trees are trained)");
    let above = most_times(100_000);
    assert!(above.is_empty(), "{above:?}");
}
