//! Solving a question as a person would: by moving one dial after the other
//! and watching the alignment.
//!
//! The search knows nothing but the dials and the alignment they give. It
//! slides each dial through its range and leaves it where the alignment was
//! best, then through ever smaller parts of it; when no dial helps any more, it begins again from other
//! positions.

use anyhow::Result;

/// Positions a dial is watched at on a slide through its whole range.
const WIDE: usize = 15;
/// The same on a slide about the present position.
const NARROW: usize = 13;
/// Half-width of such a slide, as a share of the range.
const NARROW_REACH: f64 = 0.12;
/// Half-width of the finest slides.
const FINE_REACH: f64 = 0.03;

/// The alignment a dial position gave.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct AlignmentSample {
    /// Position as a share of the dial's range, in [0, 1].
    pub position: f64,
    /// Alignment there, in [0, 1].
    pub alignment: f64,
}

/// Dials to be moved and an alignment to be watched. Positions are shares of a
/// dial's range, in [0, 1].
#[allow(async_fn_in_trait)] // used with one concrete type at a time, never spawned
pub trait DialControl {
    /// Positions of all dials now.
    fn positions(&self) -> Vec<f64>;

    /// The positions a dial has if it is a choice; empty for a slider.
    fn choices(&self, dial: usize) -> Vec<f64>;

    /// Slides a dial through the positions, in order; returns what was seen.
    /// The dial stays at the last one.
    async fn slide(&mut self, dial: usize, through: &[f64]) -> Result<Vec<AlignmentSample>>;

    /// Sets a dial and returns the alignment there.
    async fn set(&mut self, dial: usize, position: f64) -> Result<f64>;

    /// Whether the question is solved; nothing moves then.
    fn solved(&self) -> bool;

    /// Whether to give up.
    fn given_up(&self) -> bool;
}

/// Searches until the question is solved or given up; returns whether it was solved.
pub async fn solve(dials: &mut impl DialControl) -> Result<bool> {
    let mut search = Search {
        best: f64::NEG_INFINITY,
        at: dials.positions(),
    };
    let mut restarts = 0;
    while !over(dials) {
        if search.descend(dials).await? || over(dials) {
            continue;
        }
        // No dial helps from here: begin again from somewhere else.
        restarts += 1;
        search.best = f64::NEG_INFINITY;
        search.at = elsewhere(restarts, dials);
        for (dial, position) in search.at.clone().into_iter().enumerate() {
            search.best = dials.set(dial, position).await?;
        }
    }
    Ok(dials.solved())
}

fn over(dials: &impl DialControl) -> bool {
    dials.solved() || dials.given_up()
}

/// The best position known.
struct Search {
    best: f64,
    at: Vec<f64>,
}

impl Search {
    /// Slides every dial, wide first, then ever closer; whether anything got better.
    async fn descend(&mut self, dials: &mut impl DialControl) -> Result<bool> {
        let before = self.best;
        for reach in [1.0, NARROW_REACH, FINE_REACH] {
            // The same reach again for as long as it pays.
            loop {
                let start = self.best;
                for dial in 0..self.at.len() {
                    let through = self.path(dials, dial, reach);
                    self.slide(dials, dial, &through).await?;
                    if over(dials) {
                        return Ok(true);
                    }
                }
                if self.best < start + 0.01 || reach == 1.0 {
                    break;
                }
            }
        }
        Ok(self.best > before + 1e-9)
    }

    /// Where a slide of this reach goes, from below to above.
    fn path(&self, dials: &impl DialControl, dial: usize, reach: f64) -> Vec<f64> {
        let choices = dials.choices(dial);
        if !choices.is_empty() {
            return choices;
        }
        if reach >= 1.0 {
            return spread(0.0, 1.0, WIDE);
        }
        let here = self.at.get(dial).copied().unwrap_or(0.5);
        spread((here - reach).max(0.0), (here + reach).min(1.0), NARROW)
    }

    /// One slide; the dial is left at the best position known.
    async fn slide(
        &mut self,
        dials: &mut impl DialControl,
        dial: usize,
        through: &[f64],
    ) -> Result<()> {
        let seen = dials.slide(dial, through).await?;
        if over(dials) {
            return Ok(());
        }
        if let Some(best) = best_of(&seen)
            && best.alignment > self.best
        {
            // What was seen in passing counts only if it holds at rest.
            let alignment = dials.set(dial, best.position).await?;
            if alignment > self.best {
                self.best = alignment;
                self.at[dial] = best.position;
                return Ok(());
            }
        }
        dials.set(dial, self.at[dial]).await?;
        Ok(())
    }
}

/// The n-th of a sequence of positions that fills space evenly: multiples of
/// powers of the generalised golden ratio, modulo 1.
#[allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_precision_loss,
    clippy::cast_sign_loss
)] // a handful of dials with a handful of choices
fn elsewhere(n: u32, dials: &impl DialControl) -> Vec<f64> {
    let count = dials.positions().len();
    // The positive root of x^(count + 1) = x + 1.
    let mut root: f64 = 2.0;
    for _ in 0..30 {
        root = (1.0 + root).powf(1.0 / (count as f64 + 1.0));
    }
    (0..count)
        .map(|dial| {
            let share = (0.5 + f64::from(n) * root.powi(-(dial as i32) - 1)).fract();
            let choices = dials.choices(dial);
            let index = (share * choices.len() as f64) as usize;
            choices.get(index).copied().unwrap_or(share)
        })
        .collect()
}

/// `count` positions from `low` to `high`.
fn spread(low: f64, high: f64, count: usize) -> Vec<f64> {
    let last = count.saturating_sub(1).max(1) as f64;
    (0..count)
        .map(|k| low + (high - low) * k as f64 / last)
        .collect()
}

/// The best position seen; the middle one of the longest run of equally good ones.
fn best_of(seen: &[AlignmentSample]) -> Option<AlignmentSample> {
    let top = seen.iter().map(|s| s.alignment).max_by(f64::total_cmp)?;
    seen.chunk_by(|a, b| (a.alignment == top) == (b.alignment == top))
        .filter(|run| run[0].alignment == top)
        .max_by_key(|run| run.len())
        .map(|run| run[run.len() / 2])
}

#[cfg(test)]
mod tests;
