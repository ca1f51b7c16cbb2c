//! The box to play in: a question without a record.

use std::sync::Arc;

use domain::distance::reaches;
use domain::latent::{Dimension, LatentSpace};
use domain::model::{Arrangement, ModelFacts};
use leptos::prelude::*;

use crate::state::LocalDecode;
use crate::text::text;
use crate::ui::alignment::AlignmentBar;
use crate::ui::dials::DialList;
use crate::ui::picture::PictureArea;

/// Where the dials start, as a share of each range.
const START: f64 = 0.3;
/// Where the target's dials stand: far enough from the start to be seen, the two dials apart.
const TARGETS: [f64; 2] = [0.75, 0.9];

/// A vector with every dial at a share of its way; the shares are used in turn.
fn at_shares(latent: &LatentSpace, shares: &[f64]) -> Vec<f64> {
    let dials = latent.dimensions().iter().zip(shares.iter().cycle());
    dials
        .map(|(dimension, share)| match *dimension {
            Dimension::Continuous { min, max, .. } => dimension.snap(min + (max - min) * share),
            Dimension::Discrete { values } => dimension.snap(f64::from(values - 1) * share),
        })
        .collect()
}

/// What is played, kept from step to step.
#[derive(Clone, Copy)]
pub struct Play {
    start: StoredValue<Vec<f64>>,
    z: RwSignal<Vec<f64>>,
    picture: RwSignal<Arc<Vec<f32>>>,
    target: StoredValue<Arc<Vec<f32>>>,
    alignment: Memo<f64>,
    arrangement: RwSignal<Arrangement>,
    decode: LocalDecode,
}

impl Play {
    /// A new game with a model.
    pub fn new(facts: &ModelFacts, decode: LocalDecode) -> Self {
        let z = at_shares(&facts.latent, &[START]);
        let decoded = |z: &[f64]| {
            let mut picture = Vec::new();
            decode.with_value(|decode| decode(z, &mut picture));
            Arc::new(picture)
        };
        let target = decoded(&at_shares(&facts.latent, &TARGETS));
        let picture = RwSignal::new(decoded(&z));
        let distance = facts.distance;
        let to_match = target.clone();
        let alignment = Memo::new(move |_| {
            // Pictures of different sizes do not align at all.
            picture.with(|picture| 1.0 - distance.between(picture, &to_match).unwrap_or(1.0))
        });
        Self {
            start: StoredValue::new(z.clone()),
            z: RwSignal::new(z),
            picture,
            target: StoredValue::new(target),
            alignment,
            arrangement: RwSignal::new(Arrangement::Apart),
            decode,
        }
    }

    /// Puts the dials back to where they started.
    pub fn restart(self) {
        for (dial, value) in self.start.get_value().into_iter().enumerate() {
            self.turn(dial, value);
        }
    }

    /// Places picture and target.
    pub fn place(self, arrangement: Arrangement) {
        self.arrangement.set(arrangement);
    }

    fn turn(self, dial: usize, value: f64) {
        self.z.update(|z| {
            if let Some(component) = z.get_mut(dial) {
                *component = value;
            }
        });
        let mut picture = Vec::new();
        let decoded = self
            .decode
            .with_value(|decode| self.z.with_untracked(|z| decode(z, &mut picture)));
        if decoded {
            self.picture.set(Arc::new(picture));
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
    /// What is played.
    play: Play,
    /// How much of a question is shown.
    shows: Shows,
) -> impl IntoView {
    let has_target = shows != Shows::Picture;
    let threshold = facts.threshold;
    let reached = Memo::new(move |_| reaches(1.0 - play.alignment.get(), threshold));
    let on_switch = (shows == Shows::TargetAndSwitch)
        .then(|| Callback::new(move |arrangement| play.place(arrangement)));
    view! {
        <div class="play-box workbench" class:alone=!has_target>
            <div class="controls">
                <DialList
                    latent=facts.latent.clone()
                    z=play.z.into()
                    locked=Signal::stored(false)
                    names=Signal::stored(Vec::new())
                    rename=false
                    on_input=Callback::new(move |(dial, value)| play.turn(dial, value))
                    on_rename=Callback::new(|_| ())
                />
                <p class="matched" class:hidden=move || !(has_target && reached.get())>
                    <span aria-hidden="true" class="matched-mark"></span>
                    {text().question.matched()}
                </p>
            </div>
            <div class="viewing">
                <PictureArea
                    facts=facts.clone()
                    picture=play.picture.into()
                    target=has_target.then(|| play.target.get_value())
                    arrangement=play.arrangement.into()
                    on_switch
                />
                {has_target.then(|| view! { <AlignmentBar alignment=play.alignment.into() threshold/> })}
            </div>
        </div>
    }
}

#[cfg(test)]
#[allow(clippy::unwrap_used)]
mod tests {
    use super::*;

    #[test]
    fn shares_give_vectors_of_the_space() {
        let latent = LatentSpace::new(vec![
            Dimension::Discrete { values: 3 },
            Dimension::Continuous {
                min: -1.0,
                max: 1.0,
                step: 0.01,
            },
            Dimension::Continuous {
                min: 0.0,
                max: 2.0,
                step: 0.01,
            },
        ])
        .unwrap();
        let z = at_shares(&latent, &TARGETS);
        assert_eq!(z, [2.0, 0.8, 1.5]);
        assert!(latent.validate(&z).is_ok());
    }
}
