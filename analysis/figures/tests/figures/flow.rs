//! The flow of participants.

use analysis::{ExcludedBy, analyse};
use figures::figures;

use crate::{check, made_up, to_be_looked_at};

/// The numbers of the flow add up, and its words and its figure say the same.
#[test]
fn the_flow_of_participants_adds_up() {
    let mut people = made_up::between(60);
    for (index, person) in people.iter_mut().enumerate() {
        if index % 9 == 4 {
            person.agreed = Some(false);
            person.complete = false;
            person.stages[0].questions.clear();
        } else if index % 8 == 3 {
            person.complete = false;
        } else if index % 11 == 5 {
            person.excluded = Some(ExcludedBy::Hand {
                why: "a child took part".to_owned(),
            });
        }
    }
    let found = analyse(people, "ab", None);
    let flow = &found.flow;
    assert!(flow.disjoint);
    let declined = flow.declined.as_ref().unwrap().people;
    let allocated: usize = flow.cells.iter().map(|it| it.allocated.people).sum();
    assert_eq!(declined, 7);
    assert_eq!(
        flow.started.people,
        declined + flow.not_allocated.people + allocated
    );
    for cell in &flow.cells {
        let left: usize = cell.left_out.iter().map(|it| it.left_out.people).sum();
        assert_eq!(
            cell.allocated.people,
            left + cell.analysed.people,
            "{}",
            cell.cell
        );
        assert!(cell.began.people <= cell.allocated.people);
        assert!(cell.completed.people <= cell.began.people);
    }
    let analysed: usize = flow.cells.iter().map(|it| it.analysed.people).sum();
    assert_eq!(analysed, found.included.people);
    let words = found.methods();
    assert!(
        words.contains("60 people started. 7 people did not agree"),
        "{words}"
    );
    assert!(words.contains("excluded by hand (1)"), "{words}");
    let all = figures(&found, &[]);
    to_be_looked_at("flow", &all[..1]);
    check(&all[0]);
    let narrow = all[0].to_inline();
    for cell in &flow.cells {
        assert!(narrow.contains(&format!("Allocated (n={})", cell.allocated.people)));
        assert!(narrow.contains(&format!("Analysed (n={})", cell.analysed.people)));
    }
}
