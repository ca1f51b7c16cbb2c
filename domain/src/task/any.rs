//! The enums that hold any task's settings, plan, answer key, events, state or measures do what that
//! task does. Each function here is the one of the same name in [`Task`], and documented there. Values
//! of different tasks give nothing.
#![allow(missing_docs, clippy::missing_errors_doc, clippy::must_use_candidate)]

use rand::Rng;

use super::draw::{DrawContext, DrawError};
use super::tables::Table;
use super::{
    AnswerKey, Metric, Now, Outcome, Posed, QuestionDetails, Simulated, SimulationContext, Step,
    Task, TaskEvent, TaskKind, TaskMeasures, TaskPlan, TaskRefusal, TaskSettings, TaskState,
    Verdict,
};
use crate::clock::{ActiveTimeSetting, QuestionClock};
use crate::common::event_text::EventText;
use crate::model::evidence::Verification;
use crate::model::instance::InstanceId;
use crate::model::{ModelFacts, ModelSource};
use crate::movement::{Movement, MovementMeasures, Overshoot};

/// A part of a question, if it is of the task that is asked for.
fn mine<'a, Any, Of>(any: &'a Any) -> Option<&'a Of>
where
    &'a Of: TryFrom<&'a Any>,
{
    any.try_into().ok()
}

impl TaskKind {
    pub fn has_right_answers(self) -> bool {
        of_task!(self => T::HAS_RIGHT_ANSWERS)
    }

    pub fn has_verdicts(self) -> bool {
        of_task!(self => T::HAS_VERDICTS)
    }

    pub fn is_about_a_model(self) -> bool {
        of_task!(self => T::IS_ABOUT_A_MODEL)
    }

    pub fn metrics(self) -> &'static [Metric] {
        of_task!(self => T::METRICS)
    }

    pub fn tables(self) -> Vec<Table> {
        of_task!(self => T::tables())
    }
}

impl TaskSettings {
    pub fn task(&self) -> TaskKind {
        of_task!(self: TaskSettings(_) => T::KIND)
    }

    pub fn models(&self) -> Vec<&str> {
        of_task!(self: TaskSettings(settings) => T::models(settings))
    }

    pub fn subjects(&self) -> Vec<&str> {
        of_task!(self: TaskSettings(settings) => T::subjects(settings))
    }

    pub fn questions_of(&self, models: &dyn ModelSource) -> usize {
        of_task!(self: TaskSettings(settings) => T::questions_of(settings, models))
    }

    pub fn fixed_questions(&self) -> Option<usize> {
        of_task!(self: TaskSettings(settings) => T::fixed_questions(settings))
    }

    pub fn minimum_latency_ms(&self) -> Option<u64> {
        of_task!(self: TaskSettings(settings) => T::minimum_latency_ms(settings))
    }

    #[cfg(feature = "check")]
    pub fn check(&self, context: &mut super::check::TaskCheck<'_>) {
        of_task!(self: TaskSettings(settings) => T::check(settings, context));
    }

    pub fn draw(
        &self,
        context: &DrawContext<'_>,
        rng: &mut dyn Rng,
    ) -> Result<(TaskPlan, Vec<AnswerKey>), DrawError> {
        of_task!(self: TaskSettings(settings) => {
            let (plan, keys) = T::draw(settings, context, rng)?;
            Ok((plan.into(), keys.into_iter().map(Into::into).collect()))
        })
    }
}

impl TaskPlan {
    pub fn task(&self) -> TaskKind {
        of_task!(self: TaskPlan(_) => T::KIND)
    }

    pub fn model(&self) -> Option<&ModelFacts> {
        of_task!(self: TaskPlan(plan) => T::model(plan))
    }

    pub fn subject<'a>(&'a self, key: Option<&'a AnswerKey>) -> &'a str {
        of_task!(self: TaskPlan(plan) => T::subject(plan, key.and_then(mine)))
    }

    pub fn question_count(&self) -> usize {
        of_task!(self: TaskPlan(plan) => T::question_count(plan))
    }

    pub fn instances(&self, question: usize) -> Vec<&InstanceId> {
        of_task!(self: TaskPlan(plan) => T::instances(plan, question))
    }

    pub fn posed(&self, question: usize) -> Option<Posed<'_>> {
        of_task!(self: TaskPlan(plan) => T::posed(plan, question))
    }

    pub fn active_time(&self) -> ActiveTimeSetting {
        of_task!(self: TaskPlan(plan) => T::active_time(plan))
    }

    pub fn threshold(&self, question: usize) -> Option<f64> {
        of_task!(self: TaskPlan(plan) => T::threshold(plan, question))
    }

    pub fn skip_after_s(&self) -> Option<f64> {
        of_task!(self: TaskPlan(plan) => T::skip_after_s(plan))
    }

    pub fn dials_have_names(&self) -> bool {
        of_task!(self: TaskPlan(plan) => T::dials_have_names(plan))
    }

    pub fn item(&self, key: &AnswerKey, question: usize) -> Option<String> {
        of_task!(self: TaskPlan(plan), key: AnswerKey(key) => T::item(plan, key, question); else None)
    }

    pub fn start(&self, question: usize, before: Option<&TaskState>) -> TaskState {
        of_task!(self: TaskPlan(plan) => T::start(plan, question, before.and_then(mine)).into())
    }

    /// Leaves the state unchanged where it refuses the event.
    pub fn apply(
        &self,
        state: &mut TaskState,
        now: &Now<'_>,
        event: &TaskEvent,
    ) -> Result<Step, TaskRefusal> {
        of_task!(
            self: TaskPlan(plan), state: TaskState(state), event: TaskEvent(logged) =>
                T::apply(plan, state, now, &logged.event);
            else Err(TaskRefusal::WrongTask)
        )
    }

    pub fn measures(
        &self,
        key: Option<&AnswerKey>,
        state: &TaskState,
        clock: &QuestionClock,
        verdict: Option<Verdict>,
    ) -> Option<TaskMeasures> {
        of_task!(
            self: TaskPlan(plan), state: TaskState(state) =>
                Some(T::measures(plan, key.and_then(mine), state, clock, verdict).into());
            else None
        )
    }

    pub fn dials(&self) -> Vec<usize> {
        of_task!(self: TaskPlan(plan) => T::dials(plan))
    }

    pub fn can_skip(&self, clock: &QuestionClock, now_ms: u64) -> bool {
        of_task!(self: TaskPlan(plan) => T::can_skip(plan, clock, now_ms))
    }

    pub fn simulate(
        &self,
        key: Option<&AnswerKey>,
        question: usize,
        state: &TaskState,
        now: &Now<'_>,
        simulation: &SimulationContext<'_>,
        rng: &mut dyn Rng,
    ) -> Vec<(u64, TaskEvent)> {
        of_task!(
            self: TaskPlan(plan), state: TaskState(state) => {
                let key = key.and_then(mine);
                let it = Simulated::<T> { plan, key, question, state, now, simulation };
                let events = T::simulate(&it, rng).into_iter();
                events.map(|(wait_ms, event)| (wait_ms, event.into())).collect()
            };
            else Vec::new()
        )
    }

    pub fn verify(
        &self,
        key: &AnswerKey,
        question: usize,
        events: &[(u64, &TaskEvent)],
        verification: &mut Verification<'_>,
    ) {
        of_task!(
            self: TaskPlan(plan), key: AnswerKey(key) => {
                let events = events.iter().filter_map(|(seq, event)| Some((*seq, mine(*event)?)));
                T::verify(plan, key, question, &events.collect::<Vec<_>>(), verification);
            };
            else verification.contradiction(None, "its answer key belongs to another task".into())
        );
    }

    pub fn verify_event(
        &self,
        question: usize,
        seq: u64,
        event: &TaskEvent,
        verification: &mut Verification<'_>,
    ) {
        of_task!(self: TaskPlan(plan) => {
            if let Some(event) = mine(event) {
                T::verify_event(plan, question, seq, event, verification);
            }
        });
    }
}

impl AnswerKey {
    pub fn overshoots(&self, events: &[(u64, &TaskEvent)]) -> Vec<Overshoot> {
        of_task!(self: AnswerKey(key) => {
            let events = events.iter().filter_map(|(seq, event)| Some((*seq, mine(*event)?)));
            T::overshoots(key, &events.collect::<Vec<_>>())
        })
    }

    pub fn verdict(&self, state: &TaskState) -> Option<Verdict> {
        of_task!(self: AnswerKey(key), state: TaskState(state) => T::verdict(key, state); else None)
    }
}

impl TaskState {
    pub fn task(&self) -> TaskKind {
        of_task!(self: TaskState(_) => T::KIND)
    }

    pub fn dial_name(&self, dimension: usize) -> Option<&str> {
        of_task!(self: TaskState(state) => T::dial_name(state, dimension))
    }
}

impl TaskEvent {
    pub fn task(&self) -> TaskKind {
        of_task!(self: TaskEvent(_) => T::KIND)
    }

    pub fn movement(&self) -> Option<&Movement> {
        of_task!(self: TaskEvent(logged) => T::movement(&logged.event))
    }

    pub fn distance(&self) -> Option<f64> {
        of_task!(self: TaskEvent(logged) => T::distance(&logged.event))
    }

    pub fn squared_error(&self) -> Option<f64> {
        of_task!(self: TaskEvent(logged) => T::squared_error(&logged.event))
    }

    pub fn text(&self) -> Option<EventText<'_>> {
        of_task!(self: TaskEvent(logged) => T::text(&logged.event))
    }

    pub fn typed_text(&mut self) -> Option<&mut String> {
        of_task!(self: TaskEvent(logged) => T::typed_text(&mut logged.event))
    }
}

impl TaskMeasures {
    pub fn task(&self) -> TaskKind {
        of_task!(self: TaskMeasures(_) => T::KIND)
    }

    pub fn is_right(&self, outcome: Option<Outcome>) -> Option<bool> {
        of_task!(self: TaskMeasures(measures) => T::is_right(measures, outcome))
    }

    pub fn movement(&self) -> Option<&MovementMeasures> {
        of_task!(self: TaskMeasures(measures) => T::movement_measures(measures))
    }

    pub fn is_direct(&self) -> Option<bool> {
        of_task!(self: TaskMeasures(measures) => T::is_direct(measures))
    }

    pub fn metric(&self, metric: Metric, active_time_s: f64) -> Option<f64> {
        of_task!(self: TaskMeasures(measures) => T::metric(measures, metric, active_time_s))
    }

    pub fn details(&self) -> QuestionDetails {
        of_task!(self: TaskMeasures(measures) => T::details(measures))
    }
}
