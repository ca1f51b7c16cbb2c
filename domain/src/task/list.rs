//! What the list of tasks is turned into.

/// Makes, from one list of tasks, everything that enumerates tasks.
macro_rules! tasks {
    ($($(#[$doc:meta])* $Name:ident => $module:ident,)*) => {
        /// The tasks there are.
        #[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Serialize, Deserialize)]
        #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
        #[serde(rename_all = "snake_case")]
        pub enum TaskKind {
            $($(#[$doc])* $Name,)*
        }

        impl TaskKind {
            /// All tasks.
            pub const ALL: &'static [Self] = &[$(Self::$Name,)*];

            /// The name in studies, logs and files.
            #[must_use]
            pub fn name(self) -> &'static str {
                match self {
                    $(Self::$Name => stringify!($module),)*
                }
            }

            /// See [`Task::HAS_RIGHT_ANSWERS`].
            #[must_use]
            pub fn has_right_answers(self) -> bool {
                match self {
                    $(Self::$Name => $module::$Name::HAS_RIGHT_ANSWERS,)*
                }
            }

            /// See [`Task::HAS_VERDICTS`].
            #[must_use]
            pub fn has_verdicts(self) -> bool {
                match self {
                    $(Self::$Name => $module::$Name::HAS_VERDICTS,)*
                }
            }

            /// The tables that an export has of this task.
            #[must_use]
            pub fn tables(self) -> Vec<Table> {
                match self {
                    $(Self::$Name => <$module::$Name as Task>::tables(),)*
                }
            }
        }

        crate::json::tagged! {
            "kind";
            /// A task and what a study's author sets about it.
            #[derive(Debug, Clone, PartialEq)]
            #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
            pub enum TaskSettings {
                $($(#[$doc])* $Name($module::Settings),)*
            }
        }

        crate::json::tagged! {
            "kind";
            /// What the participant's browser is given for one stage: no answers.
            #[derive(Debug, Clone, PartialEq)]
            #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
            #[allow(clippy::large_enum_variant)] // a handful in each session
            pub enum TaskPlan {
                $($(#[$doc])* $Name($module::Plan),)*
            }
        }

        crate::json::tagged! {
            "kind";
            /// What the browser must not know about one question.
            #[derive(Debug, Clone, PartialEq)]
            #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
            pub enum AnswerKey {
                $($(#[$doc])* $Name($module::Key),)*
            }
        }

        crate::json::tagged! {
            "kind";
            /// What can happen in a question. Each task's events have a format of their own.
            #[derive(Debug, Clone, PartialEq)]
            #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
            pub enum TaskEvent {
                $($(#[$doc])* $Name($module::Logged),)*
            }
        }

        /// One question, as far as it has gone.
        #[derive(Debug, Clone, PartialEq)]
        #[allow(clippy::large_enum_variant)] // one for each stage
        pub enum TaskState {
            $($(#[$doc])* $Name($module::State),)*
        }

        crate::json::tagged! {
            "task";
            /// What is measured of one question.
            #[derive(Debug, Clone, PartialEq)]
            #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
            #[allow(clippy::large_enum_variant)]
            pub enum TaskMeasures {
                $($(#[$doc])* $Name($module::Measures),)*
            }
        }

        impl TaskSettings {
            /// Which task it is.
            #[must_use]
            pub fn task(&self) -> TaskKind {
                match self {
                    $(Self::$Name(_) => TaskKind::$Name,)*
                }
            }

            /// See [`Task::models`].
            #[must_use]
            pub fn models(&self) -> Vec<&str> {
                match self {
                    $(Self::$Name(settings) => $module::$Name::models(settings),)*
                }
            }

            /// See [`Task::questions_of`].
            #[must_use]
            pub fn questions_of(&self, models: &dyn $crate::model::ModelSource) -> usize {
                match self {
                    $(Self::$Name(settings) => $module::$Name::questions_of(settings, models),)*
                }
            }

            /// See [`Task::check`].
            #[cfg(feature = "check")]
            pub fn check(&self, context: &mut crate::task::check::TaskCheck<'_>) {
                match self {
                    $(Self::$Name(settings) => $module::$Name::check(settings, context),)*
                }
            }

            /// See [`Task::draw`].
            ///
            /// # Errors
            /// When a model is missing or broken, or cannot give such a question.
            pub fn draw(
                &self,
                context: &DrawContext<'_>,
                rng: &mut dyn Rng,
            ) -> Result<(TaskPlan, Vec<AnswerKey>), DrawError> {
                match self {
                    $(Self::$Name(settings) => {
                        let (plan, keys) = $module::$Name::draw(settings, context, rng)?;
                        let keys = keys.into_iter().map(AnswerKey::$Name).collect();
                        Ok((TaskPlan::$Name(plan), keys))
                    })*
                }
            }
        }

        impl TaskPlan {
            /// Which task it is.
            #[must_use]
            pub fn task(&self) -> TaskKind {
                match self {
                    $(Self::$Name(_) => TaskKind::$Name,)*
                }
            }

            /// See [`Task::model`].
            #[must_use]
            pub fn model(&self) -> &ModelFacts {
                match self {
                    $(Self::$Name(plan) => $module::$Name::model(plan),)*
                }
            }

            /// See [`Task::question_count`].
            #[must_use]
            pub fn question_count(&self) -> usize {
                match self {
                    $(Self::$Name(plan) => $module::$Name::question_count(plan),)*
                }
            }

            /// See [`Task::instance`].
            #[must_use]
            pub fn instance(&self, question: usize) -> Option<&InstanceId> {
                match self {
                    $(Self::$Name(plan) => $module::$Name::instance(plan, question),)*
                }
            }

            /// See [`Task::active_time`].
            #[must_use]
            pub fn active_time(&self) -> crate::clock::ActiveTimeSetting {
                match self {
                    $(Self::$Name(plan) => $module::$Name::active_time(plan),)*
                }
            }

            /// See [`Task::start`].
            #[must_use]
            pub fn start(&self, question: usize, before: Option<&TaskState>) -> TaskState {
                match self {
                    $(Self::$Name(plan) => {
                        let before = match before {
                            Some(TaskState::$Name(state)) => Some(state),
                            _ => None,
                        };
                        TaskState::$Name($module::$Name::start(plan, question, before))
                    })*
                }
            }

            /// See [`Task::apply`].
            ///
            /// # Errors
            /// A [`TaskRefusal`]; the state is then unchanged.
            pub fn apply(
                &self,
                state: &mut TaskState,
                now: &Now<'_>,
                event: &TaskEvent,
            ) -> Result<Step, TaskRefusal> {
                match (self, state, event) {
                    $((Self::$Name(plan), TaskState::$Name(state), TaskEvent::$Name(logged)) => {
                        $module::$Name::apply(plan, state, now, &logged.event)
                    })*
                    _ => Err(TaskRefusal::WrongTask),
                }
            }

            /// See [`Task::measures`]. `None` for a state of another task.
            #[must_use]
            pub fn measures(
                &self,
                key: Option<&AnswerKey>,
                state: &TaskState,
                clock: &QuestionClock,
                verdict: Option<Verdict>,
            ) -> Option<TaskMeasures> {
                match (self, state) {
                    $((Self::$Name(plan), TaskState::$Name(state)) => {
                        let key = match key {
                            Some(AnswerKey::$Name(key)) => Some(key),
                            _ => None,
                        };
                        let measures = $module::$Name::measures(plan, key, state, clock, verdict);
                        Some(TaskMeasures::$Name(measures))
                    })*
                    _ => None,
                }
            }

            /// See [`Task::can_skip`].
            #[must_use]
            pub fn can_skip(&self, clock: &QuestionClock, now_ms: u64) -> bool {
                match self {
                    $(Self::$Name(plan) => $module::$Name::can_skip(plan, clock, now_ms),)*
                }
            }

            /// See [`Task::simulate`]. Nothing for a state of another task.
            #[must_use]
            pub fn simulate(
                &self,
                key: Option<&AnswerKey>,
                question: usize,
                state: &TaskState,
                now: &Now<'_>,
                simulation: &SimulationContext<'_>,
                rng: &mut dyn Rng,
            ) -> Vec<(u64, TaskEvent)> {
                match (self, state) {
                    $((Self::$Name(plan), TaskState::$Name(state)) => {
                        let key = match key {
                            Some(AnswerKey::$Name(key)) => Some(key),
                            _ => None,
                        };
                        $module::$Name::simulate(plan, key, question, state, now, simulation, rng)
                            .into_iter()
                            .map(|(wait_ms, event)| (wait_ms, event.into()))
                            .collect()
                    })*
                    _ => Vec::new(),
                }
            }

            /// See [`Task::verify`]. Events of another task are left out.
            pub fn verify(
                &self,
                key: &AnswerKey,
                question: usize,
                events: &[(u64, &TaskEvent)],
                verification: &mut crate::model::evidence::Verification<'_>,
            ) {
                match (self, key) {
                    $((Self::$Name(plan), AnswerKey::$Name(key)) => {
                        let events: Vec<_> = events
                            .iter()
                            .filter_map(|(seq, event)| match event {
                                TaskEvent::$Name(logged) => Some((*seq, &logged.event)),
                                _ => None,
                            })
                            .collect();
                        $module::$Name::verify(plan, key, question, &events, verification);
                    })*
                    _ => {
                        let problem = "its answer key belongs to another task";
                        verification.contradiction(None, problem.into());
                    }
                }
            }
        }

        impl AnswerKey {
            /// See [`Task::verdict`]. `None` for a state of another task.
            #[must_use]
            pub fn verdict(&self, state: &TaskState) -> Option<Verdict> {
                match (self, state) {
                    $((Self::$Name(key), TaskState::$Name(state)) => {
                        $module::$Name::verdict(key, state)
                    })*
                    _ => None,
                }
            }
        }

        impl TaskState {
            /// Which task it belongs to.
            #[must_use]
            pub fn task(&self) -> TaskKind {
                match self {
                    $(Self::$Name(_) => TaskKind::$Name,)*
                }
            }

            /// See [`Task::dial_name`].
            #[must_use]
            pub fn dial_name(&self, dimension: usize) -> Option<&str> {
                match self {
                    $(Self::$Name(state) => $module::$Name::dial_name(state, dimension),)*
                }
            }
        }

        impl TaskEvent {
            /// See [`Task::movement`].
            #[must_use]
            pub fn movement(&self) -> Option<&Movement> {
                match self {
                    $(Self::$Name(logged) => $module::$Name::movement(&logged.event),)*
                }
            }

            /// See [`Task::text`].
            #[must_use]
            pub fn text(&self) -> Option<crate::common::event_text::EventText<'_>> {
                match self {
                    $(Self::$Name(logged) => $module::$Name::text(&logged.event),)*
                }
            }

            /// See [`Task::typed_text`].
            pub fn typed_text(&mut self) -> Option<&mut String> {
                match self {
                    $(Self::$Name(logged) => $module::$Name::typed_text(&mut logged.event),)*
                }
            }

            /// Which task it belongs to.
            #[must_use]
            pub fn task(&self) -> TaskKind {
                match self {
                    $(Self::$Name(_) => TaskKind::$Name,)*
                }
            }
        }

        impl TaskMeasures {
            /// Which task it belongs to.
            #[must_use]
            pub fn task(&self) -> TaskKind {
                match self {
                    $(Self::$Name(_) => TaskKind::$Name,)*
                }
            }

            /// See [`Task::slide_distance`].
            #[must_use]
            pub fn slide_distance(&self) -> Option<f64> {
                match self {
                    $(Self::$Name(measures) => $module::$Name::slide_distance(measures),)*
                }
            }

            /// See [`Task::is_right`].
            #[must_use]
            pub fn is_right(&self, outcome: Option<Outcome>) -> Option<bool> {
                match self {
                    $(Self::$Name(measures) => $module::$Name::is_right(measures, outcome),)*
                }
            }
        }

        $(
            impl $module::Logged {
                /// Today's record of an event.
                #[must_use]
                pub fn new(event: $module::Event) -> Self {
                    Self {
                        task_format: $module::EVENT_FORMAT,
                        event,
                    }
                }
            }

            impl OfTask for $module::Event {}

            impl From<$module::Event> for TaskEvent {
                fn from(event: $module::Event) -> Self {
                    Self::$Name($module::Logged::new(event))
                }
            }
        )*
    };
}

/// An event of a task as the log holds it: with the version of the task's own format.
macro_rules! logged {
    ($Event:ty) => {
        /// An event as the log holds it.
        #[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
        #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
        pub struct Logged {
            /// Format version of the task's events.
            pub task_format: u16,
            /// What happened.
            #[serde(flatten)]
            pub event: $Event,
        }
    };
}
