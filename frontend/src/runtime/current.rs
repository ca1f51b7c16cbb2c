//! The session under way on this page.

use std::rc::Rc;

use leptos::prelude::{Callback, LocalStorage, SetValue, StoredValue, WithValue};

use super::host::Host;

/// The session under way, if there is one. One for the whole life of a page, so it can be copied
/// everywhere.
#[derive(Clone, Copy)]
pub struct CurrentSession(StoredValue<Option<Rc<Host>>, LocalStorage>);

impl Default for CurrentSession {
    fn default() -> Self {
        Self(StoredValue::new_local(None))
    }
}

impl CurrentSession {
    /// Its host.
    #[must_use]
    pub fn host(&self) -> Option<Rc<Host>> {
        self.0.with_value(Clone::clone)
    }

    /// Another one takes its place.
    pub fn set(&self, host: Option<Rc<Host>>) {
        self.0.set_value(host);
    }

    /// A callback that tells the session under way something; without one it does nothing.
    pub fn callback<T: 'static>(
        self,
        tell: impl Fn(&Host, T) + Send + Sync + 'static,
    ) -> Callback<T> {
        Callback::new(move |value| {
            if let Some(host) = self.host() {
                tell(&host, value);
            }
        })
    }
}
