use std::sync::atomic::{AtomicUsize, Ordering};

use super::*;

type Numbers = Arc<Results<usize>>;

fn numbers() -> Numbers {
    let workplace = Workplace::new(System::default(), CancellationToken::new());
    Arc::new(Results::new(workplace))
}

/// Work that counts how often it is done, and gives that.
fn counting(done: &Arc<AtomicUsize>) -> Calculation<usize> {
    let done = done.clone();
    Box::new(move |progress| {
        Box::pin(async move {
            progress.tell(1, 2);
            Ok(done.fetch_add(1, Ordering::Relaxed) + 1)
        })
    })
}

async fn asked(
    numbers: &Numbers,
    marks: &StudyMarks,
    since: Option<u64>,
    calculation: Calculation<usize>,
) -> Answer<usize> {
    numbers
        .ask("curves", "people", marks.clone(), since, calculation)
        .await
}

#[tokio::test]
async fn a_result_is_kept_until_something_is_written() {
    let (numbers, done) = (numbers(), Arc::default());
    let first = StudyMarks::made_up(Some(1), &[1, 2]);
    for _ in 0..3 {
        let answer = asked(&numbers, &first, None, counting(&done)).await;
        assert_eq!(answer.found.map(|(_, it)| *it), Some(1));
        assert!(answer.current);
    }
    let written = StudyMarks::made_up(Some(2), &[1, 2]);
    let answer = asked(&numbers, &written, None, counting(&done)).await;
    assert_eq!(answer.found.map(|(_, it)| *it), Some(2));
    // A result that was read since it was asked for is new enough, or nobody would ever see a study that goes on.
    let later = StudyMarks::made_up(Some(3), &[1, 2]);
    let answer = asked(
        &numbers,
        &later,
        Some(answer.asked_at_unix_ms),
        counting(&done),
    )
    .await;
    assert_eq!(
        (answer.current, answer.found.map(|(_, it)| *it)),
        (true, Some(2))
    );
    // Nobody can say whether what is damaged has changed: each question is answered anew.
    let damaged = StudyMarks::made_up(None, &[1, 2]);
    for expected in [3, 4] {
        let answer = asked(&numbers, &damaged, None, counting(&done)).await;
        assert_eq!(answer.found.map(|(_, it)| *it), Some(expected));
        assert!(answer.current);
    }
}

#[tokio::test]
async fn whoever_asks_is_told_how_far_it_is_and_nobody_begins_it_twice() {
    let (numbers, done) = (numbers(), Arc::<AtomicUsize>::default());
    let marks = StudyMarks::made_up(Some(1), &[1]);
    let (goes_on, waits) = oneshot::channel::<()>();
    let count = done.clone();
    let slow: Calculation<usize> = Box::new(move |progress| {
        Box::pin(async move {
            progress.tell(3, 9);
            let _ = waits.await;
            Ok(count.fetch_add(1, Ordering::Relaxed) + 1)
        })
    });
    let first = asked(&numbers, &marks, None, slow).await;
    assert!(!first.current && first.found.is_none());
    assert_eq!(first.working, Some(Working { done: 3, of: 9 }));
    let second = asked(&numbers, &marks, None, counting(&done)).await;
    assert_eq!(second.working, Some(Working { done: 3, of: 9 }));
    goes_on.send(()).unwrap();
    let since = Some(first.asked_at_unix_ms);
    let answer = asked(&numbers, &marks, since, counting(&done)).await;
    assert_eq!(answer.found.map(|(_, it)| *it), Some(1));
    assert_eq!(done.load(Ordering::Relaxed), 1);
}

#[tokio::test]
async fn what_fails_is_told_and_tried_again_when_somebody_asks_anew() {
    let (numbers, done) = (numbers(), Arc::default());
    let marks = StudyMarks::made_up(Some(1), &[1]);
    let fails: Calculation<usize> = Box::new(|_| Box::pin(async { Err("no disk".to_owned()) }));
    let answer = asked(&numbers, &marks, None, fails).await;
    assert_eq!(answer.problem.as_deref(), Some("no disk"));
    let since = Some(answer.asked_at_unix_ms);
    let same = asked(&numbers, &marks, since, counting(&done)).await;
    assert_eq!(same.problem.as_deref(), Some("no disk"));
    let panics: Calculation<usize> = Box::new(|_| Box::pin(async { panic!("a fault") }));
    let mut answer = asked(&numbers, &marks, None, panics).await;
    // On a busy machine it takes a while to write down where it happened.
    while answer.working.is_some() {
        let since = Some(answer.asked_at_unix_ms);
        answer = asked(&numbers, &marks, since, counting(&done)).await;
    }
    assert!(
        answer
            .problem
            .is_some_and(|it| it.contains("trying again may help"))
    );
    let anew = asked(&numbers, &marks, None, counting(&done)).await;
    assert_eq!(anew.found.map(|(_, it)| *it), Some(1));
}

#[tokio::test]
async fn what_somebody_took_back_is_not_shown_while_a_newer_one_is_made() {
    let (numbers, done) = (numbers(), Arc::default());
    let both = StudyMarks::made_up(Some(1), &[1, 2]);
    asked(&numbers, &both, None, counting(&done)).await;
    let waits = || -> Calculation<usize> { Box::new(|_| Box::pin(std::future::pending())) };
    let more = StudyMarks::made_up(Some(2), &[1, 2, 3]);
    let older = asked(&numbers, &more, None, waits()).await;
    assert_eq!(older.found.map(|(_, it)| *it), Some(1));
    assert!(!older.current);
    let erased = StudyMarks::made_up(Some(3), &[1]);
    let answer = asked(&numbers, &erased, None, waits()).await;
    assert!(answer.found.is_none() && answer.working.is_some());
}

#[tokio::test]
async fn memory_holds_so_many_and_no_more() {
    let (numbers, done) = (numbers(), Arc::default());
    let marks = StudyMarks::of_nobody();
    for number in 0..2 * MOST_KEPT {
        let about = number.to_string();
        let calculation = counting(&done);
        let answer = numbers.ask("curves", &about, marks.clone(), None, calculation);
        assert!(answer.await.current);
    }
    assert_eq!(numbers.slots().len(), MOST_KEPT);
}
