//! Endpoints of what is worked out from the logs of a study.

use api::ErrorCode as E;
use api::research::{
    AnalysisFileQuery, AnalysisView, AutomationView, BalanceQuery, Done, FigureDrawing,
    FigureQuery, LastSimulation, NewSimulation, PowerQuery, PowerView, QuestionLines,
    QuestionQuery, QuestionsSeen, ResultQuery, Right, SimulationInfo, StudyBalance, TuningQuery,
    TuningView, VerificationView, WorkedOut,
};
use api::routes;
use axum::http::Method;

use super::super::endpoint::Endpoint;
use super::super::{research_analysis, research_plan, research_results};

/// Analysis, trust and power.
pub(super) fn results() -> Vec<Endpoint> {
    vec![
        Endpoint::new(Method::GET, &routes::research_analysis("{study}"), "show_analysis", research_analysis::show)
            .about("The analysis of a study, by the function of `redial analyze` and `redial report`. Where it is not there yet, the answer says how far it is: ask again with `since_unix_ms`, the time at which it was asked for first. Words that participants typed are left out unless asked for.")
            .with_right(Right::Look)
            .in_query::<ResultQuery>()
            .answers::<WorkedOut<AnalysisView>>()
            .or(&[E::Malformed, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_analysis_figure("{study}"), "show_figure", research_analysis::figure)
            .about("A figure of the analysis of a study, with the sessions behind it. While the analysis is being worked out, 503 says how far it is.")
            .with_right(Right::Look)
            .in_query::<FigureQuery>()
            .answers::<FigureDrawing>()
            .or(&[E::Malformed, E::Unavailable]),
        Endpoint::new(Method::GET, &routes::research_analysis_file("{study}"), "fetch_analysis_file", research_analysis::file)
            .about("A file of the folder that `redial analyze --out` writes, by its name: `numbers.json` is what `redial analyze --json` prints. While the analysis is being worked out, 503 says how far it is. Words that participants typed are left out unless asked for.")
            .with_right(Right::Look)
            .in_query::<AnalysisFileQuery>()
            .answers_bytes()
            .or(&[E::Malformed, E::Unavailable, E::StorageFull]),
        Endpoint::new(Method::GET, &routes::research_automation("{study}"), "show_automation", research_results::automation)
            .about("How the signs that scripts took part are spread over a study's sessions, by the function of `redial study automation`.")
            .with_right(Right::Look)
            .in_query::<ResultQuery>()
            .answers::<WorkedOut<AutomationView>>()
            .or(&[E::Malformed]),
        Endpoint::new(Method::GET, &routes::research_verification("{study}"), "show_verification", research_results::verification)
            .about("What does not follow from its inputs in a study, by the function of `redial verify`: everything that pages reported is decoded again, which takes a while.")
            .with_right(Right::Look)
            .in_query::<ResultQuery>()
            .answers::<WorkedOut<VerificationView>>()
            .or(&[E::Malformed]),
        Endpoint::new(Method::GET, &routes::research_questions("{study}"), "list_questions", research_results::questions)
            .about("The questions with a target that more than one session of a study has begun, and how they ended. Where it is not there yet, the answer says how far it is: ask again with `since_unix_ms`, the time at which it was asked for first.")
            .with_right(Right::Look)
            .in_query::<ResultQuery>()
            .answers::<WorkedOut<QuestionsSeen>>()
            .or(&[E::Malformed]),
        Endpoint::new(Method::GET, &routes::research_question_lines("{study}"), "show_question_lines", research_results::question_lines)
            .about("Everybody's alignment over time on one question: what `reconstruction_snapshots` of an export has of it. Targets are not in it.")
            .with_right(Right::Look)
            .in_query::<QuestionQuery>()
            .answers::<WorkedOut<QuestionLines>>()
            .or(&[E::Malformed, E::Refused]),
        Endpoint::new(Method::GET, &routes::research_power("{study}"), "show_power", research_results::power)
            .about("The power of the analysis that a study declares, by the function of `redial study power`.")
            .with_right(Right::Look)
            .in_query::<PowerQuery>()
            .answers::<WorkedOut<PowerView>>()
            .or(&[E::Malformed, E::Refused]),
        Endpoint::new(Method::GET, &routes::research_tuning("{study}"), "show_tuning", research_plan::tuning)
            .about("What thresholds and time limits make of a study, by the function of `redial study tune`: simulated people try its models.")
            .with_right(Right::Look)
            .in_query::<TuningQuery>()
            .answers::<WorkedOut<TuningView>>()
            .or(&[E::Malformed, E::Refused]),
        Endpoint::new(Method::GET, &routes::research_balance("{study}"), "show_balance", research_plan::balance)
            .about("What balance a study's design gives when people drop out, by the function of `redial study simulate-assignment`.")
            .with_right(Right::Look)
            .in_query::<BalanceQuery>()
            .answers::<WorkedOut<StudyBalance>>()
            .or(&[E::Malformed, E::Refused]),
        Endpoint::new(Method::GET, &routes::research_simulation("{study}"), "show_simulation", research_plan::simulation)
            .about("The last simulation of people who take a study, since the server started: how far it is, and what came of it.")
            .with_right(Right::Look)
            .answers::<LastSimulation>(),
        Endpoint::new(Method::POST, &routes::research_simulation("{study}"), "begin_simulation", research_plan::simulate)
            .about("Lets simulated people take a study, by the function of `redial simulate`. They are marked as simulated; no quota, table, figure or export of people counts them. One simulation runs at a time.")
            .with_right(Right::Manage)
            .takes::<NewSimulation>()
            .answers::<SimulationInfo>()
            .or(&[E::Refused, E::StorageFull]),
        Endpoint::new(Method::DELETE, &routes::research_simulation("{study}"), "stop_simulation", research_plan::stop_simulation)
            .about("Stops simulated people who are taking a study. What they have written stays.")
            .with_right(Right::Manage)
            .answers::<Done>(),
    ]
}
