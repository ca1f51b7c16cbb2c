//! Signs of progress on the terminal, while a command works.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Whether nothing is drawn: `--quiet`.
static QUIET: AtomicBool = AtomicBool::new(false);

/// From now on nothing is drawn.
pub fn silence() {
    QUIET.store(true, Ordering::Relaxed);
}

/// A bar on standard error, or a count where nobody knows how much there is to do. Where standard
/// error is no terminal, nothing is drawn. It goes away when it is dropped.
pub struct Progress(ProgressBar);

impl Progress {
    /// Begins: `what` names the things that are counted, as in "simulated people".
    pub fn counting(what: &'static str, total: Option<usize>) -> Self {
        match total {
            Some(total) => Self::drawn(
                ProgressBar::new(total as u64),
                "{bar:30} {pos} of {len} {msg}, {elapsed} gone, about {eta} left",
                what,
            ),
            None => Self::drawn(
                ProgressBar::new_spinner(),
                "{spinner} {pos} {msg}, {elapsed} gone",
                what,
            ),
        }
    }

    /// Begins something whose steps are not counted: `what` says what is done.
    pub fn doing(what: &'static str) -> Self {
        let template = "{spinner} {msg}, {elapsed} gone";
        Self::drawn(ProgressBar::new_spinner(), template, what)
    }

    fn drawn(bar: ProgressBar, template: &str, what: &'static str) -> Self {
        if QUIET.load(Ordering::Relaxed) {
            bar.set_draw_target(ProgressDrawTarget::hidden());
        }
        // The templates are constants; without them the crate's own look does.
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        bar.set_message(what);
        bar.enable_steady_tick(Duration::from_millis(200));
        Self(bar)
    }

    /// So much is done of so much, whatever it began with.
    pub fn tell(&self, done: u64, of: u64) {
        self.0.set_length(of);
        self.0.set_position(done);
    }

    /// One more is done.
    pub fn one_more(&self) {
        self.0.inc(1);
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.0.finish_and_clear();
    }
}
