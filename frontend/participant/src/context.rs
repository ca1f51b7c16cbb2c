//! Things that the parts of the app share.

use std::rc::Rc;

use frontend::runtime::current::{CurrentSession, TakenSession};
use frontend::runtime::decoder_loader::DecoderLoader;
use frontend::runtime::decoders::Decoders;
use frontend::runtime::host::Host;
use frontend::state::{AppState, Whereabouts};
use leptos::prelude::{Callback, LocalStorage, Set, SetValue, StoredValue, WithValue};

/// Signals, models and session of the page. One for its whole life, so it can be copied everywhere.
#[derive(Clone, Copy)]
pub struct Context {
    /// The state that the page shows.
    pub app: AppState,
    /// The session under way.
    pub session: CurrentSession,
    host: StoredValue<Option<Rc<Host>>, LocalStorage>,
    decoders: StoredValue<Rc<Decoders>, LocalStorage>,
}

impl Context {
    /// The context of a page that is just opening.
    #[must_use]
    pub fn new(decoder_loader: DecoderLoader) -> Self {
        Self {
            app: AppState::default(),
            session: CurrentSession::default(),
            host: StoredValue::new_local(None),
            decoders: StoredValue::new_local(Decoders::new(decoder_loader)),
        }
    }

    /// The page's models.
    #[must_use]
    pub fn decoders(&self) -> Rc<Decoders> {
        self.decoders.with_value(Rc::clone)
    }

    /// The session under way, if there is one.
    #[must_use]
    pub fn host(&self) -> Option<Rc<Host>> {
        self.host.with_value(Clone::clone)
    }

    /// Sets the session under way.
    pub fn set_host(&self, host: Option<Rc<Host>>) {
        if host.is_none() {
            self.app.save.set(None);
            self.app.progress.set(None);
            self.app.whereabouts.set(Whereabouts::default());
        }
        self.host.set_value(host.clone());
        self.session
            .set(host.map(|host| host as Rc<dyn TakenSession>));
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
