//! Exploration: dials and the picture they make, names, notes, and a way out.

use std::sync::Arc;

use domain::model::Arrangement;
use domain::session::event::QuestionRef;
use domain::task::MAX_NOTE;
use domain::task::TaskPlan;
use domain::task::exploration::Plan;
use leptos::prelude::*;

use super::intro::preview;
use super::{Intro, OnDisplay, StageFacts, TaskScreens};
use crate::runtime::decoders::Decoders;
use crate::runtime::task::exploration::Driver;
use crate::text::text;
use crate::ui::dials::{DialList, crowd};
use crate::ui::paint;
use crate::ui::parts::{Heading, Press};
use crate::ui::picture::PictureArea;
use crate::ui::progress::{PlaceLine, SessionPlace};
use crate::ui::typed::passing_id;

/// Everything that the screen shows, and where it reports to.
#[derive(Clone)]
pub struct QuestionView {
    /// Which question of the session it is.
    pub at: QuestionRef,
    /// The stage it belongs to.
    pub plan: Arc<Plan>,
    /// Where the dials stand.
    pub z: Signal<Vec<f64>>,
    /// x = g(z), as last decoded.
    pub picture: Signal<Arc<Vec<f32>>>,
    /// Names given to the dials; an empty one stands for the usual name.
    pub dial_names: Signal<Vec<String>>,
    /// The notes, as last saved.
    pub notes: Signal<String>,
    /// A dial was moved: which one, and its new value, already snapped.
    pub on_input: Callback<(usize, f64)>,
    /// A dial was renamed.
    pub on_rename: Callback<(usize, String)>,
    /// The notes are being written.
    pub on_write: Callback<String>,
    /// The notes' field was left.
    pub on_notes_left: Callback<()>,
    /// The participant is done.
    pub on_done: Callback<()>,
    /// Where it stands in its session.
    pub place: SessionPlace,
}

/// The screen of one exploration.
#[component]
pub fn ExplorationScreen(
    /// The values that it shows, and the callbacks that it reports to.
    q: QuestionView,
) -> impl IntoView {
    let words = &text().exploration;
    let facts = Arc::new(q.plan.model.clone());
    let rename = q.plan.rename_dials;
    let instruction = if rename {
        words.instruction_rename()
    } else {
        words.instruction()
    };
    let notes = q.plan.notes.then(|| {
        let id = passing_id();
        view! {
            <div class="notes">
                <label for=id.clone()>{words.notes()}</label>
                <textarea
                    id=id
                    autocomplete="off"
                    rows="4"
                    maxlength=MAX_NOTE
                    data-testid="notes"
                    aria-describedby="notes-hint"
                    prop:value=q.notes.get_untracked()
                    on:input:target=move |event| q.on_write.run(event.target().value())
                    on:change=move |_| q.on_notes_left.run(())
                ></textarea>
                <p id="notes-hint" class="muted small">{words.notes_hint()}</p>
            </div>
        }
    });
    let all: Vec<usize> = (0..facts.latent.len()).collect();
    view! {
        <div
            class="screen question exploration"
            class:familiar=q.place.is_familiar()
            data-screen="question"
            data-task="exploration"
            data-stage=q.at.stage.to_string()
            data-question=q.at.question.to_string()
        >
            <div class="question-intro">
                <div class="question-head">
                    <Heading words=words.heading()/>
                    <PlaceLine place=q.place/>
                </div>
                <p class="instruction">{instruction}</p>
            </div>
            <div class=crowd(&facts.latent, &all, false)>
                <div class="hand">
                <section class="controls" aria-label=text().question.dials()>
                    <DialList
                        latent=facts.latent.clone()
                        z=q.z
                        locked=Signal::stored(false)
                        names=q.dial_names
                        rename
                        on_input=q.on_input
                        on_rename=q.on_rename
                    />
                    {notes}
                </section>
                <div class="ways-out">
                    <Press testid="done" on_press=q.on_done>{words.done()}</Press>
                </div>
                </div>
                <section class="viewing" aria-label=text().question.pictures()>
                    <PictureArea
                        facts=facts.clone()
                        picture=q.picture
                        arrangement=Signal::stored(Arrangement::Apart)
                    />
                </section>
            </div>
        </div>
    }
}

/// The screens of the task.
pub struct Screens;

impl TaskScreens for Screens {
    fn question(&self, q: &OnDisplay<'_>) -> Option<AnyView> {
        let TaskPlan::Exploration(plan) = q.plan else {
            return None;
        };
        let signals = q.display.with_driver(q.at, Driver::signals)?;
        let session = q.session;
        let view = QuestionView {
            at: q.at,
            plan: Arc::new(plan.clone()),
            z: signals.z.into(),
            picture: signals.picture.into(),
            dial_names: signals.dial_names.into(),
            notes: signals.notes.into(),
            on_input: session.callback(|taken, (dial, value)| {
                taken.drive_in_frame(|it: &mut Driver, elapsed_ms| {
                    it.input(dial, value, elapsed_ms)
                });
            }),
            on_rename: session.callback(|taken, (dial, name): (usize, String)| {
                taken.drive(|it: &mut Driver, _| it.rename(dial, &name));
            }),
            on_write: session.callback(|taken, notes: String| {
                taken.drive(|it: &mut Driver, _| {
                    it.write_notes(&notes);
                    Ok(vec![])
                });
            }),
            on_notes_left: session.callback(|taken, ()| {
                taken.drive(|it: &mut Driver, _| it.save_notes());
            }),
            on_done: session.callback(|taken, ()| {
                taken.drive(|it: &mut Driver, _| it.finish());
            }),
            place: q.place,
        };
        Some(view! { <ExplorationScreen q=view/> }.into_any())
    }

    fn size_probe(&self, plan: &TaskPlan) -> Option<String> {
        let TaskPlan::Exploration(plan) = plan else {
            return None;
        };
        let all: Vec<usize> = (0..plan.model.latent.len()).collect();
        let workbench = crowd(&plan.model.latent, &all, false);
        let aspect = paint::aspect(plan.model.shape);
        Some(format!(
            "<div class='screen question'><div class='{workbench}'><div class='hand'></div><div class='viewing'>
             <div class='pictures' style='--aspect:{aspect}'><div class='frames'><div class='frame alone'></div></div>
             </div></div></div></div>"
        ))
    }

    fn intro(&self, _stage: &StageFacts, _plan: &TaskPlan) -> Intro {
        let words = &text().exploration;
        Intro {
            heading: words.intro_heading(),
            lead: words.intro_body().to_owned(),
            more: None,
        }
    }

    /// Where the dials stand at first, which the next page shows.
    fn preview(&self, plan: &TaskPlan, decoders: &Decoders) -> Option<AnyView> {
        let TaskPlan::Exploration(plan) = plan else {
            return None;
        };
        preview(&plan.model, &plan.start, decoders)
    }
}
