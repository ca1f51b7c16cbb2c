//! The code that the list of tasks is turned into.

/// Makes, from one list of tasks, everything that enumerates tasks.
macro_rules! tasks {
    ($d:tt $($(#[$doc:meta])* $Name:ident => $module:ident,)*) => {
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

        /// Does the same whichever task some values belong to: they are taken out of their enums, `T`
        /// is the task. The expression behind `else` is for values of different tasks.
        macro_rules! of_task {
            ($d kind:ident => $d then:expr) => {
                match $d kind {
                    $(TaskKind::$Name => { type T = $crate::task::$module::$Name; $d then })*
                }
            };
            ($d($d value:ident: $d Any:ident($d of:pat)),+ => $d then:expr $d(; else $d other:expr)?) => {
                match ($d($d value,)+) {
                    $(($d($d Any::$Name($d of),)+) => { type T = $crate::task::$module::$Name; $d then })*
                    $d(_ => $d other,)?
                }
            };
        }

        $(
            held!($module::Plan, TaskPlan::$Name);
            held!($module::Key, AnswerKey::$Name);
            held!($module::State, TaskState::$Name);
            held!($module::Measures, TaskMeasures::$Name);

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

            impl<'a> TryFrom<&'a TaskEvent> for &'a $module::Event {
                type Error = TaskRefusal;

                fn try_from(any: &'a TaskEvent) -> Result<Self, TaskRefusal> {
                    match any {
                        TaskEvent::$Name(logged) => Ok(&logged.event),
                        _ => Err(TaskRefusal::WrongTask),
                    }
                }
            }
        )*
    };
}

/// From what one task has to what holds any task's, and back again where it is that task's.
macro_rules! held {
    ($Of:ty, $Any:ident::$Name:ident) => {
        impl From<$Of> for $Any {
            fn from(of: $Of) -> Self {
                Self::$Name(of)
            }
        }

        impl<'a> TryFrom<&'a $Any> for &'a $Of {
            type Error = TaskRefusal;

            fn try_from(any: &'a $Any) -> Result<Self, TaskRefusal> {
                match any {
                    $Any::$Name(of) => Ok(of),
                    _ => Err(TaskRefusal::WrongTask),
                }
            }
        }
    };
}

/// The items that stand in every `impl Task` in the same words: the types have the names of what they are, the
/// state of a question takes in its events, and a folder has `simulate`.
macro_rules! every_task {
    () => {
        type Settings = Settings;
        type Plan = Plan;
        type Key = Key;
        type Event = Event;
        type State = State;
        type Measures = Measures;

        fn apply(
            plan: &Plan,
            state: &mut State,
            now: &Now<'_>,
            event: &Event,
        ) -> Result<Step, TaskRefusal> {
            state.apply(plan, now, event)
        }

        fn simulate(it: &Simulated<'_, Self>, rng: &mut dyn Rng) -> Vec<(u64, Event)> {
            simulate::simulate(it, rng)
        }
    };
}

/// The items in the `impl Task` of each task whose stages are about one model.
macro_rules! about_a_model {
    () => {
        fn models(settings: &Settings) -> Vec<&str> {
            vec![&settings.model]
        }

        fn model(plan: &Plan) -> Option<&ModelFacts> {
            Some(&plan.model)
        }

        fn subject<'a>(plan: &'a Plan, _key: Option<&'a Key>) -> &'a str {
            &plan.model.name
        }
    };
}

/// An event of a task as the log holds it: with the version of the task's own format.
macro_rules! logged {
    ($Event:ty) => {
        /// An event as the log holds it.
        #[derive(Debug, Clone, PartialEq, Serialize)]
        #[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
        pub struct Logged {
            /// Format version of the task's events.
            pub task_format: u16,
            /// What happened.
            #[serde(flatten)]
            pub event: $Event,
        }

        impl<'de> serde::Deserialize<'de> for Logged {
            fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                let mut fields = $crate::json::Object::of(reader)?;
                let error = <D::Error as serde::de::Error>::custom;
                Ok(Self {
                    task_format: fields.take("task_format").map_err(error)?,
                    event: fields.rest().map_err(error)?,
                })
            }
        }
    };
}
