//! The decoders and the language with which a session is opened.

use std::rc::Rc;

use domain::session::plan::SessionPlan;
use frontend::replay::Replay;
use frontend::runtime::decoder_loader::DecoderLoader;
use frontend::runtime::decoders::Decoders;
use frontend::runtime::language;
use frontend::state::AppState;
use leptos::prelude::*;

/// Decoders of models, one for each, and the language of a participant's screens. One for the app's whole life, so it can
/// be copied everywhere.
#[derive(Clone, Copy)]
pub struct Decoding {
    decoders: StoredValue<Rc<Decoders>, LocalStorage>,
    language: AppState,
}

impl Decoding {
    /// Nothing is decoded yet. The decoder module is on its way while the first session's plan is.
    pub fn new(decoder_loader: DecoderLoader) -> Self {
        decoder_loader.begin();
        Self {
            decoders: StoredValue::new_local(Decoders::of_replays(decoder_loader)),
            language: AppState::default(),
        }
    }

    /// Shows the screens that follow in a language.
    pub async fn speak(self, language: &str) {
        language::speak(self.language, language).await;
    }

    /// The replay of a session whose log is still to come.
    pub fn open(self, plan: SessionPlan) -> Rc<Replay> {
        Replay::open(plan, self.decoders.with_value(Rc::clone))
    }
}
