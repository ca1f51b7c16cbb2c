//! That the server cannot be reached, until it can be again.

use frontend::runtime::clock::monotonic_ms;
use leptos::prelude::*;

use super::Area;

use crate::text::text;

/// How long that is said at least, in milliseconds: a request may fail while the stream goes on.
const READ_MS: f64 = 5_000.0;

impl Area {
    /// The message about a request that had no answer.
    pub(super) fn unreachable(self) -> String {
        self.unreachable_ms.set_value(Some(monotonic_ms()));
        text().shell.unreachable().to_owned()
    }

    /// The server was heard of: that it cannot be reached is said no more, once it could be read. Gives whether it was said.
    pub fn reached(self) -> bool {
        let said_ms = self.unreachable_ms.get_value();
        if said_ms.is_none_or(|said_ms| monotonic_ms() - said_ms < READ_MS) {
            return false;
        }
        self.unreachable_ms.set_value(None);
        let problem = self.problem;
        let is_said =
            problem.with_untracked(|it| it.as_deref() == Some(text().shell.unreachable()));
        if is_said {
            problem.set(None);
        }
        is_said
    }
}
