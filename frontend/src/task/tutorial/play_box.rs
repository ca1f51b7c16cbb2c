//! The box to play in: a real question, of which nothing is logged.

use std::cell::RefCell;
use std::sync::Arc;

use domain::model::distance::Alignment;
use domain::model::latent::LatentSpace;
use domain::model::{Arrangement, ModelFacts};
use domain::movement::free_play::FreePlay;
use domain::movement::{Decode, Undecodable};
use domain::task::reconstruction::Stop;
use domain::task::reconstruction::play::{QuestionInPlay, QuestionSetup};
use leptos::prelude::*;

use crate::state::LocalDecode;
use crate::text::text;
use crate::ui::alignment::AlignmentBar;
use crate::ui::dials::DialList;
use crate::ui::picture::PictureArea;

/// Where the dials start, as shares of their ranges. Of the circles, the first dial is the radius and
/// the second the shade: at its low end they are bright on black.
const STARTS: [f64; 2] = [0.75, 0.3];
/// The same where the pictures can be laid over each other: bright on black, as the target is, so that the
/// colours are those which the words promise.
const STARTS_BRIGHT: [f64; 2] = [0.75, 0.02];
/// Where the target's dials stand: far enough from the start to be seen.
const TARGETS: [f64; 2] = [0.3, 0.02];

/// A vector with every dial at a share of its way; the shares are used in turn.
fn at_shares(latent: &LatentSpace, shares: &[f64]) -> Vec<f64> {
    let dials = latent.dimensions().iter().zip(shares.iter().cycle());
    dials
        .map(|(dimension, share)| dimension.at_share(*share))
        .collect()
}

/// The game that is played: freely, or against a target.
enum Game {
    Free(FreePlay),
    Matching(QuestionInPlay),
}

impl Game {
    fn free(facts: &ModelFacts, decode: Decode) -> Result<Self, Undecodable> {
        let z = at_shares(&facts.latent, &STARTS_BRIGHT);
        let (play, _) = FreePlay::start(Arc::new(facts.clone()), decode, z)?;
        Ok(Self::Free(play))
    }

    fn matching(
        facts: &ModelFacts,
        decode: Decode,
        stop: Stop,
        starts: [f64; 2],
    ) -> Result<Self, Undecodable> {
        let mut target = Vec::new();
        if !decode.at(&at_shares(&facts.latent, &TARGETS), &mut target) {
            return Err(Undecodable);
        }
        let z = at_shares(&facts.latent, &starts);
        let asked = QuestionSetup {
            model: Arc::new(facts.clone()),
            target: Arc::new(target),
            decode,
            stop,
            minimum_latency_ms: 0,
        };
        let (question, _) = QuestionInPlay::start(asked, z)?;
        Ok(Self::Matching(question))
    }

    /// Turns a dial and shows it at once; the events are nobody's business.
    fn turn(&mut self, dial: usize, value: f64) {
        // A change that cannot be decoded leaves the picture as it was.
        match self {
            Self::Free(play) => {
                play.input(dial, value, 0);
                let _ = play.frame(0);
            }
            Self::Matching(question) => {
                question.input(dial, value, 0);
                let _ = question.frame(0);
            }
        }
    }

    fn z(&self) -> &[f64] {
        match self {
            Self::Free(play) => play.z(),
            Self::Matching(question) => question.z(),
        }
    }

    fn picture(&self) -> &Arc<Vec<f32>> {
        match self {
            Self::Free(play) => play.picture(),
            Self::Matching(question) => question.picture(),
        }
    }
}

/// How much of a question the box shows.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Shows {
    /// Only the participant's picture.
    Picture,
    /// The target, too, and the alignment bar.
    Target,
    /// And the button that places them anew.
    TargetAndSwitch,
}

/// Dials and pictures to play with.
#[component]
pub fn PlayBox(
    /// The model.
    facts: Arc<ModelFacts>,
    /// Its decoder.
    decode: LocalDecode,
    /// How much of a question is shown.
    shows: Shows,
    /// The stop, which ends the question.
    stop: Stop,
    /// Whether the alignment bar is shown beside a target.
    bar: bool,
) -> impl IntoView {
    let has_target = shows != Shows::Picture;
    let decode = decode.get_value();
    let game = match shows {
        Shows::Picture => Game::free(&facts, decode),
        Shows::Target => Game::matching(&facts, decode, stop, STARTS),
        Shows::TargetAndSwitch => Game::matching(&facts, decode, stop, STARTS_BRIGHT),
    };
    let Ok(game) = game else {
        return view! { <p class="problem">{text().runtime.undecodable()}</p> }.into_any();
    };
    let (target, alignment) = match &game {
        Game::Free(_) => (None, Alignment::at(f64::NAN, facts.threshold)),
        Game::Matching(question) => (Some(question.target().clone()), question.alignment()),
    };
    let z = RwSignal::new(game.z().to_vec());
    let picture = RwSignal::new(game.picture().clone());
    let alignment = RwSignal::new(alignment);
    let matched = RwSignal::new(false);
    let arrangement = RwSignal::new(Arrangement::Apart);
    let game = StoredValue::new_local(RefCell::new(game));
    let turn = move |(dial, value)| {
        game.with_value(|game| {
            let mut game = game.borrow_mut();
            game.turn(dial, value);
            z.set(game.z().to_vec());
            picture.set(game.picture().clone());
            if let Game::Matching(question) = &*game {
                alignment.set(question.alignment());
                matched.set(question.has_ended());
            }
        });
    };
    let threshold = facts.threshold;
    let on_switch = (shows == Shows::TargetAndSwitch)
        .then(|| Callback::new(move |chosen| arrangement.set(chosen)));
    view! {
        <div class="play-box workbench" class:alone=!has_target>
            <div class="hand">
                <DialList
                    latent=facts.latent.clone()
                    z=z.into()
                    locked=matched.into()
                    names=Signal::stored(Vec::new())
                    rename=false
                    on_input=Callback::new(turn)
                    on_rename=Callback::new(|_| ())
                />
                <p class="matched" class:hidden=move || !matched.get()>
                    <span aria-hidden="true" class="matched-mark"></span>
                    {text().question.matched()}
                </p>
            </div>
            <div class="viewing">
                <PictureArea
                    facts=facts.clone()
                    picture=picture.into()
                    target
                    arrangement=arrangement.into()
                    on_switch
                />
                {(has_target && bar).then(|| view! { <AlignmentBar alignment=alignment.into() threshold/> })}
            </div>
        </div>
    }
    .into_any()
}

#[cfg(test)]
mod tests {
    use super::*;
    use domain::model::latent::Dimension;

    #[test]
    fn shares_give_vectors_of_the_space() {
        let latent = LatentSpace::new(vec![
            Dimension::Discrete { values: 3 },
            Dimension::continuous(-1.0, 1.0, 0.01),
            Dimension::continuous(0.0, 2.0, 0.01),
        ])
        .unwrap();
        let z = at_shares(&latent, &[0.75, 0.9]);
        assert_eq!(z, [2.0, 0.8, 1.5]);
        assert!(latent.validate(&z).is_ok());
    }
}
