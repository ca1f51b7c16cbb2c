//! Work on many rows, divided among all cores.

use std::ops::Range;

/// What `part` makes of each share of the rows, in order.
pub fn in_shares<T: Send>(rows: usize, part: impl Fn(Range<usize>) -> T + Sync) -> Vec<T> {
    let threads = std::thread::available_parallelism().map_or(1, std::num::NonZero::get);
    let share = rows.div_ceil(threads).max(1);
    let part = &part;
    std::thread::scope(|scope| {
        let handles: Vec<_> = (0..rows)
            .step_by(share)
            .map(|from| scope.spawn(move || part(from..(from + share).min(rows))))
            .collect();
        handles
            .into_iter()
            .map(|handle| {
                handle
                    .join()
                    .unwrap_or_else(|panic| std::panic::resume_unwind(panic))
            })
            .collect()
    })
}
