//! Analyses and the like: those of the commands, with the sessions behind each number, and without typed words for those
//! who may not read them.

use std::fmt::Write as _;
use std::time::Duration;

use analysis::ModelCard;
use analysis::power::Settings;
use api::research::{
    Act, AnalysisView, AutomationView, FigureDrawing, Filter, LeadsTo, PeopleCount, PowerView,
    Role, SessionTable, StudyBalance, TuningView, VerificationView, WorkedOut,
};
use api::{ErrorCode, routes};
use axum::http::Method;
use domain::session::event::{Author, Envelope, Event, SessionId};
use domain::session::plan::SessionPlan;
use domain::simulate::SimulatedParticipant;
use domain::task::reconstruction;
use domain::task::{TaskEvent, TaskPlan};
use figures::figures;
use serde::de::DeserializeOwned;
use serde_json::json;
use server::analysis::{StudyAnalysis, cards, study_analysis};
use server::automation::study_signs;
use server::balance::{BalanceRequest, balance_of_study};
use server::export::SessionSelection;
use server::power::{PowerRequest, power_of_study};
use server::processor::Processor;
use server::simulation::{Attendance, Simulation, simulate};
use server::tuning::{TuningRequest, tuned_study};
use server::verification::study_verification;

use super::{Area, Shows};
use crate::app::STUDY;

/// What a participant types.
pub(super) const WORDS: &str = "Zyzzyva Smith";

/// Parameters as a query, with everything but letters and digits escaped.
fn form(parameters: &[(&str, &str)]) -> String {
    let mut out = String::new();
    for (name, value) in parameters {
        let _ = write!(out, "{}{name}=", if out.is_empty() { "" } else { "&" });
        for byte in value.bytes() {
            if byte.is_ascii_alphanumeric() {
                out.push(char::from(byte));
            } else {
                let _ = write!(out, "%{byte:02X}");
            }
        }
    }
    out
}

impl Area {
    /// Somebody's answers come until there is nothing newer.
    pub(super) async fn worked_out<T: DeserializeOwned>(
        &self,
        path: &str,
        shows: &Shows,
    ) -> WorkedOut<T> {
        for _ in 0..600 {
            let found: WorkedOut<T> = self.get(path, shows).await.json();
            if found.current {
                return found;
            }
            assert_eq!(found.problem, None);
            tokio::time::sleep(Duration::from_millis(50)).await;
        }
        panic!("{path} is not worked out");
    }

    async fn view(&self, query: &str, shows: &Shows) -> AnalysisView {
        let path = format!("{}?{query}", routes::research_analysis(STUDY));
        self.worked_out(&path, shows).await.found.unwrap()
    }

    async fn file(&self, name: &str, query: &str, shows: &Shows) -> Vec<u8> {
        let name = form(&[("name", name)]);
        let path = format!("{}?{name}&{query}", routes::research_analysis_file(STUDY));
        let answer = self.get(&path, shows).await;
        assert_eq!(answer.status, 200, "{path}: {}", answer.text());
        let disposition = answer.headers["content-disposition"].to_str().unwrap();
        assert!(disposition.starts_with("attachment"), "{disposition}");
        answer.bytes
    }

    async fn analysed(&self, whose: SessionSelection) -> StudyAnalysis {
        let archive = &*self.app.state.storage;
        study_analysis(archive, STUDY, whose).await.unwrap()
    }

    /// How many sessions a condition selects in the table of sessions.
    async fn selected(&self, filter: &str, shows: &Shows) -> u64 {
        let query = form(&[("filter", filter)]);
        let path = format!("{}?{query}", routes::research_sessions(STUDY));
        let table: SessionTable = self.get(&path, shows).await.json();
        table.matching
    }

    /// Each number leads to as many sessions as it counts.
    async fn lead_to_their_sessions(&self, counts: &[PeopleCount], shows: &Shows) {
        for count in counts {
            match &count.filter {
                Some(filter) => {
                    let selected = self.selected(filter, shows).await;
                    assert_eq!(selected, count.people, "{count:?}");
                }
                None => assert!(
                    count.people == 0 || count.name == "of_the_other_kind",
                    "{count:?}"
                ),
            }
        }
    }
}

/// Six participants, one of whom broke off and one of whom was excluded; a pilot; six simulated people. Somebody names a
/// dial.
async fn studied() -> (Area, Shows) {
    let area = Area::new().await;
    area.add("ada", false, &[(STUDY, Role::Owner, false)]).await;
    for number in 1..=6 {
        let started = area.app.start(&format!("{number:016}")).await;
        let log: Vec<Envelope> =
            SimulatedParticipant::new(started.plan.clone(), number, 5).collect();
        let log = if number == 1 {
            with_a_name(&started.plan, log)
        } else {
            log
        };
        let until = if number == 4 {
            log.len() / 2
        } else {
            log.len()
        };
        area.app.append(&started, &log[..until]).await;
    }
    let sessions = area.app.stored().await;
    let excluded =
        area.app
            .state
            .sessions
            .exclude(&sessions[2].id, true, "a child took part".to_owned());
    excluded.await.unwrap();
    let state = &area.app.state;
    let entry = state.library.study(STUDY).unwrap();
    let simulation = Simulation {
        people: Attendance::Arrive(6),
        mixture: "knows_dimensions=1".parse().unwrap(),
        seed: 1,
        first_unix_ms: 1_790_000_000_000,
        processor: Processor::default(),
    };
    let (storage, models) = (state.storage.clone(), state.library.models());
    simulate(storage, models, &entry, &simulation, &|| {})
        .await
        .unwrap();
    let shows = area.sign_in("ada").await;
    (area, shows)
}

/// The log of somebody who gives a dial a name.
pub(super) fn with_a_name(plan: &SessionPlan, mut log: Vec<Envelope>) -> Vec<Envelope> {
    let can_name = |stage: usize| matches!(&plan.stages[stage].task, TaskPlan::Reconstruction(plan) if plan.rename_dials);
    let begun =
        |it: &Envelope| matches!(&it.event, Event::QuestionStarted { at } if can_name(at.stage));
    let place = log.iter().position(begun).unwrap() + 2;
    let mut named = log[place - 1].clone();
    let named_dial = reconstruction::Event::DialRenamed {
        dimension: 0,
        name: WORDS.to_owned(),
    };
    named.event = TaskEvent::from(named_dial).into();
    log.insert(place, named);
    for (seq, it) in (0..).zip(&mut log) {
        it.seq = seq;
    }
    log
}

#[tokio::test]
async fn the_analysis_of_the_area_is_that_of_the_command() {
    let (area, shows) = studied().await;
    let models: Vec<ModelCard> = cards(&area.app.state.library.models());
    for (of, whose) in [
        ("people", SessionSelection::People),
        ("simulated", SessionSelection::Simulated),
    ] {
        let command = area.analysed(whose).await;
        let query = format!("of={of}&identifying=true");
        let view = area.view(&query, &shows).await;
        let numbers = area.file("numbers.json", &query, &shows).await;
        assert!(
            numbers == command.to_json().unwrap().into_bytes(),
            "{of}: the same bytes"
        );
        assert_eq!(view.text, command.to_text());
        assert_eq!(view.simulated, of == "simulated");
        let counted: Vec<u64> = view.counts.iter().map(|it| it.people).collect();
        let expected = [
            command.started,
            command.complete,
            command.damaged,
            command.no_data,
            command.of_the_other_kind,
        ];
        assert_eq!(counted, expected.map(|it| it as u64), "{of}");
        area.lead_to_their_sessions(&view.counts, &shows).await;
        assert_eq!(view.versions.len(), command.versions.len());
        for (shown, version) in view.versions.iter().zip(&command.versions) {
            assert_eq!(shown.methods.join("\n\n"), version.methods());
            area.lead_to_their_sessions(&shown.people, &shows).await;
            let of_kind = |name: &str| {
                let counts = shown.people.iter().filter(|it| it.name == name);
                counts.map(|it| it.people).sum::<u64>()
            };
            assert_eq!(of_kind("version_started"), version.started as u64);
            assert_eq!(of_kind("included"), version.included.people as u64);
            let left_out = version.started - version.included.people;
            assert_eq!(of_kind("left_out"), left_out as u64);
            let tables = version.tables(&models);
            assert_eq!(shown.tables.len(), tables.len());
            for (shown, table) in shown.tables.iter().zip(&tables) {
                let name = format!("tables/{}.csv", table.name);
                let csv = area.file(&name, &query, &shows).await;
                assert_eq!(csv, table.to_csv().into_bytes());
                let mut csv = csv::Reader::from_reader(&*csv);
                let rows: Vec<Vec<String>> = csv
                    .records()
                    .map(|row| row.unwrap().iter().map(str::to_owned).collect())
                    .collect();
                let exact = shown.rows.iter();
                let exact: Vec<Vec<String>> = exact
                    .map(|row| row.iter().flat_map(|it| it.exact.clone()).collect())
                    .collect();
                assert_eq!(exact, rows, "{name}");
            }
            let drawn = figures(version, &models);
            assert_eq!(shown.figures.len(), drawn.len());
            for figure in &drawn {
                let name = format!("figures/{}.svg", figure.name);
                let svg = area.file(&name, &query, &shows).await;
                assert!(svg == figure.to_svg().into_bytes(), "{name}");
                assert!(!figure.to_svg().contains("<a "), "no link in files");
            }
        }
    }
    let unknown = format!("{}?name=..%2Fsecret", routes::research_analysis_file(STUDY));
    area.get(&unknown, &shows)
        .await
        .refused(ErrorCode::NotFound);
}

#[tokio::test]
async fn each_dot_and_each_mean_leads_to_its_sessions() {
    let (area, shows) = studied().await;
    let command = area.analysed(SessionSelection::People).await;
    let view = area.view("", &shows).await;
    let version = &view.versions[0];
    let people: Vec<(String, u64)> = command.behind.people[0]
        .iter()
        .map(|it| (it.session.0.clone(), it.ordinal))
        .collect();
    assert_eq!(people.len(), 6);
    let boxes = version
        .figures
        .iter()
        .find(|it| it.name.starts_with("box-plots"))
        .unwrap();
    let query = form(&[("name", &boxes.name), ("version", &version.study_sha256)]);
    let path = format!("{}?{query}", routes::research_analysis_figure(STUDY));
    let drawing: FigureDrawing = area.get(&path, &shows).await.json();
    // Those who count have a dot in each of the figure's panels; nobody else has one.
    for (place, (session, ordinal)) in people.iter().enumerate() {
        let address = format!("href=\"/research/studies/{STUDY}/replay/{session}\"");
        let counts = place != 2 && place != 3;
        assert_eq!(drawing.svg.contains(&address), counts, "session {ordinal}");
    }
    assert_eq!(drawing.rows, drawing.data.rows.len() as u64);
    let person = drawing
        .data
        .heads
        .iter()
        .position(|it| it.words == "Person");
    for row in &drawing.data.rows {
        let cell = &row[person.unwrap()];
        let number: usize = cell.text.parse().unwrap();
        let session = people[number - 1].0.clone();
        let expected = LeadsTo::Replay {
            session: SessionId(session),
        };
        assert_eq!(cell.leads_to, Some(expected));
    }
    let metrics = version.tables.iter().find(|it| it.name == "metrics");
    let mut linked = 0;
    for cell in metrics.unwrap().rows.iter().flatten() {
        let Some(LeadsTo::Sessions { filter, .. }) = &cell.leads_to else {
            continue;
        };
        linked += 1;
        assert_eq!(area.selected(filter, &shows).await, 4, "{cell:?}");
        assert_eq!(
            *filter,
            Filter::of_ordinals([1, 2, 5, 6]).unwrap(),
            "{cell:?}"
        );
    }
    assert!(linked > 4, "{linked}");
}

#[tokio::test]
async fn asking_twice_costs_nothing_until_something_is_written() {
    let (area, shows) = studied().await;
    let path = format!("{}?of=people", routes::research_analysis(STUDY));
    let first: WorkedOut<AnalysisView> = area.worked_out(&path, &shows).await;
    area.pass(60_000);
    let second: WorkedOut<AnalysisView> = area.get(&path, &shows).await.json();
    assert!(second.current, "it is there at once");
    assert_eq!(second.read_at_unix_ms, first.read_at_unix_ms);
    assert_eq!(second.found, first.found);
    let body = json!({ "excluded": true, "why": "spoke on the phone" });
    let session = area.app.stored().await[0].id.clone();
    let exclude = routes::research_exclusion(STUDY, &session);
    let done = area.call(Method::POST, &exclude, &shows, Some(body)).await;
    assert_eq!(done.status, 200);
    let third: WorkedOut<AnalysisView> = area.worked_out(&path, &shows).await;
    assert!(third.read_at_unix_ms > first.read_at_unix_ms);
    let included = |answer: &WorkedOut<AnalysisView>| {
        let view = answer.found.as_ref().unwrap();
        let mut counts = view.versions[0].people.iter();
        counts.find(|it| it.name == "included").unwrap().people
    };
    assert_eq!((included(&first), included(&third)), (4, 3));
}

#[tokio::test]
async fn nobody_reads_typed_words_without_the_right_or_without_asking() {
    let (area, owner) = studied().await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let viewer = area.sign_in("vi").await;
    let told = area.file("numbers.json", "identifying=true", &owner).await;
    let told = String::from_utf8(told).unwrap();
    assert!(told.contains(WORDS), "there is something to hide");
    let noted = area.acts().await;
    let looked = (Some("ada".to_owned()), Act::Identified);
    assert_eq!(noted.iter().filter(|it| **it == looked).count(), 1);
    for shows in [&viewer, &owner] {
        let view = area.view("", shows).await;
        assert!(view.has_typed_words);
        let shown = serde_json::to_string(&view).unwrap();
        assert!(!shown.contains(WORDS));
        let version = &view.versions[0];
        let mut files = vec![
            "numbers.json".to_owned(),
            "results.txt".to_owned(),
            "report.html".to_owned(),
            "labels-to-code.csv".to_owned(),
        ];
        files.extend(
            version
                .tables
                .iter()
                .map(|it| format!("tables/{}.md", it.name)),
        );
        for figure in &version.figures {
            files.push(format!("figures/{}.csv", figure.name));
            let query = form(&[("name", &figure.name), ("version", &version.study_sha256)]);
            let path = format!("{}?{query}", routes::research_analysis_figure(STUDY));
            let drawing = area.get(&path, shows).await;
            assert_eq!(drawing.status, 200);
            assert!(!drawing.text().contains(WORDS), "{}", figure.name);
        }
        for name in files {
            let content = area.file(&name, "", shows).await;
            assert!(!String::from_utf8_lossy(&content).contains(WORDS), "{name}");
        }
        for path in [
            routes::research_automation(STUDY),
            routes::research_verification(STUDY),
        ] {
            let path = format!("{path}?of=people");
            area.worked_out::<serde_json::Value>(&path, shows).await;
            assert!(!area.get(&path, shows).await.text().contains(WORDS));
        }
    }
    // How many gave a name is no secret.
    let hidden = area.file("numbers.json", "", &viewer).await;
    let mut of_command = area.analysed(SessionSelection::People).await;
    assert!(of_command.hide_typed_words());
    assert_eq!(hidden, of_command.to_json().unwrap().into_bytes());
    for path in [
        routes::research_analysis(STUDY),
        routes::research_analysis_file(STUDY),
    ] {
        let path = format!("{path}?identifying=true");
        area.get(&path, &viewer).await.refused(ErrorCode::Forbidden);
    }
}

#[tokio::test]
async fn signs_verification_and_power_are_those_of_the_commands() {
    let (area, shows) = studied().await;
    let archive = &*area.app.state.storage;
    let path = format!("{}?of=people", routes::research_automation(STUDY));
    let shown: WorkedOut<AutomationView> = area.worked_out(&path, &shows).await;
    let shown = shown.found.unwrap();
    let command = study_signs(archive, STUDY, SessionSelection::People)
        .await
        .unwrap();
    assert_eq!(shown.sessions, command.sessions.len() as u64);
    assert_eq!(shown.signals.len(), command.signals.len());
    for (shown, signal) in shown.signals.iter().zip(&command.signals) {
        assert_eq!(shown.name, signal.name);
        assert_eq!(shown.quantiles, signal.quantiles);
        assert_eq!(shown.thresholds, signal.thresholds);
        assert_eq!(shown.flagged, signal.flagged as u64);
        let in_bars: u64 = shown.bars.iter().map(|it| it.sessions).sum();
        assert_eq!(in_bars, signal.sessions as u64);
        let flagged = shown.flagged_filter.as_deref();
        if let Some(filter) = flagged {
            assert_eq!(area.selected(filter, &shows).await, shown.flagged);
        }
    }

    let path = format!("{}?of=people", routes::research_verification(STUDY));
    let shown: WorkedOut<VerificationView> = area.worked_out(&path, &shows).await;
    let shown = shown.found.unwrap();
    let command = study_verification(archive, STUDY).await.unwrap();
    let of_people = command.contradicting().filter(|it| it.ordinal <= 6);
    let of_people: Vec<_> = of_people.collect();
    assert!(!of_people.is_empty(), "made-up distances are found");
    assert_eq!(shown.contradicting.len(), of_people.len());
    for (shown, session) in shown.contradicting.iter().zip(of_people) {
        let all = &session.report.contradictions;
        assert_eq!(shown.session.0, session.session);
        assert_eq!(shown.contradictions, all.len() as u64);
        let first = &shown.first[0];
        assert_eq!(first.words, all[0].to_string());
        let log = area.app.events(&shown.session, Author::Participant);
        let of_event = log.await.into_iter().find(|it| Some(it.seq) == all[0].seq);
        assert_eq!(first.at_ms, of_event.map(|it| it.envelope().unwrap().at_ms));
    }
}

#[tokio::test]
async fn power_is_that_of_the_command() {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Two conditions", "seed": 3,
        "analysis": { "metrics": ["response_time_s"], "conditions_vary": "within", "test": "t" },
        "parts": [
            { "kind": "stage", "id": "one", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2 } },
            { "kind": "stage", "id": "two", "task": {
                "kind": "reconstruction", "model": "sinelines-ae5", "questions": 2 } },
        ],
    });
    let area = Area::of(study).await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let shows = area.sign_in("vi").await;
    let entry = area.app.state.library.study(STUDY).unwrap();
    let query = "difference=3&sd=5&within=4&people=10,20&simulations=200";
    let path = format!("{}?{query}", routes::research_power(STUDY));
    let shown: WorkedOut<PowerView> = area.worked_out(&path, &shows).await;
    let shown = shown.found.unwrap();
    let request = PowerRequest {
        difference: Some(3.0),
        sd: Some(5.0),
        within: 4.0,
        from: None,
        people: vec![10, 20],
        wanted: 0.8,
        settings: Settings {
            alpha: 0.05,
            simulations: 200,
            seed: 1,
        },
        at_most: 2_000,
    };
    let command = power_of_study(None, &entry, &request, &|_, _| {}).await;
    let command = command.unwrap();
    let powers = |people: usize| {
        let mut all = command.powers.iter();
        all.find(|it| it.people == people).unwrap()
    };
    assert_eq!(shown.powers.len(), 2);
    for power in &shown.powers {
        let expected = powers(usize::try_from(power.people).unwrap());
        assert_eq!(power.power.to_bits(), expected.power.to_bits());
        assert_eq!(power.closed_form, expected.closed_form);
    }
    assert!(shown.powers[0].power < shown.powers[1].power);
    for (query, says) in [
        ("people=10", "say a difference"),
        ("difference=1&sd=1&people=1", "no number of people"),
        (
            "difference=1&sd=1&people=3&simulations=9999999",
            "simulated",
        ),
    ] {
        let path = format!("{}?{query}", routes::research_power(STUDY));
        let refused = area.get(&path, &shows).await.refused(ErrorCode::Refused);
        assert!(refused.message.contains(says), "{}", refused.message);
    }
    // Nobody has taken it, so nothing can be taken from anybody.
    let path = format!("{}?from=people&people=10", routes::research_power(STUDY));
    let answer: WorkedOut<PowerView> = area.get(&path, &shows).await.json();
    assert!(
        answer
            .problem
            .is_some_and(|it| it.contains("say too little"))
    );
}

#[tokio::test]
async fn tuning_and_balance_are_those_of_the_commands() {
    let study = json!({
        "format": 2, "id": STUDY, "title": "Two models", "seed": 3,
        "design": { "factors": [{ "name": "arm", "levels": ["a", "b"] }], "assignment": { "cap": 20 } },
        "parts": [
            { "kind": "stage", "id": "one", "task": {
                "kind": "reconstruction", "model": "sinelines-gt5", "questions": 2 } },
        ],
    });
    let area = Area::of(study).await;
    area.add("vi", false, &[(STUDY, Role::Viewer, false)]).await;
    let shows = area.sign_in("vi").await;
    let state = &area.app.state;
    let entry = state.library.study(STUDY).unwrap();
    let query = "questions=4&thresholds=0.05&times=30&seed=2";
    let path = format!("{}?{query}", routes::research_tuning(STUDY));
    let shown: WorkedOut<TuningView> = area.worked_out(&path, &shows).await;
    let shown = shown.found.unwrap();
    let request = TuningRequest {
        questions: 4,
        thresholds: vec![0.05],
        times: vec![30.0],
        strategies: Vec::new(),
        seed: 2,
    };
    // As on the command line: what it prints, by another number of threads.
    let command = tuned_study(&entry, &state.library.models(), &request, 3, &|_, _| {}).unwrap();
    let printed = serde_json::to_value(&command).unwrap();
    let rows = printed["rows"].as_array().unwrap();
    assert_eq!(rows.len(), shown.figure.data.rows.len());
    assert!(rows.iter().any(|row| row["solved"] != 0));
    for (row, cells) in rows.iter().zip(&shown.figure.data.rows) {
        let exact = |place: usize| cells[place].exact.join("");
        assert_eq!(exact(0), row["model"].as_str().unwrap());
        assert_eq!(exact(1), row["strategy"].as_str().unwrap());
        let number = |place: usize| exact(place).parse::<f64>().ok();
        assert_eq!(number(2), row["threshold"].as_f64());
        assert_eq!(number(3), row["seconds"].as_f64());
        let (solved, questions) = (row["solved"].as_f64(), row["questions"].as_f64());
        assert_eq!(number(5), questions);
        assert_eq!(number(6), Some(solved.unwrap() / questions.unwrap()));
        assert_eq!(number(7), row["median_s"].as_f64());
    }
    assert!(shown.figure.svg.contains("<svg"));
    assert_eq!(shown.summary.rows.len(), 1);

    let query = "arrivals=60&dropout=0.4&at_once=3&minutes=12&seed=5";
    let path = format!("{}?{query}", routes::research_balance(STUDY));
    let shown: WorkedOut<StudyBalance> = area.worked_out(&path, &shows).await;
    let shown = serde_json::to_value(shown.found.unwrap()).unwrap();
    let request = BalanceRequest {
        arrivals: 60,
        dropout: 0.4,
        at_once: 3,
        minutes: Some(12.0),
        seed: 5,
    };
    let command = balance_of_study(&entry, &request).unwrap();
    let printed = serde_json::to_value(&command.balance).unwrap();
    assert_eq!(shown["balance"], printed);
    assert_eq!(printed["cells"].as_array().unwrap().len(), 2);

    for (path, says) in [
        (routes::research_tuning(STUDY) + "?questions=0", "questions"),
        (
            routes::research_tuning(STUDY) + "?questions=5000",
            "questions",
        ),
        (routes::research_tuning(STUDY) + "?times=soon", "no number"),
        (
            routes::research_tuning(STUDY) + "?strategies=luck",
            "no strategy",
        ),
        (
            routes::research_balance(STUDY) + "?arrivals=9999999",
            "at most",
        ),
    ] {
        let refused = area.get(&path, &shows).await.refused(ErrorCode::Refused);
        assert!(refused.message.contains(says), "{}", refused.message);
    }
    for (path, says) in [
        (routes::research_tuning(STUDY) + "?times=900", "600"),
        (routes::research_tuning(STUDY) + "?thresholds=NaN", "NaN"),
        (routes::research_balance(STUDY) + "?dropout=2", "0 to 1"),
    ] {
        let answer: WorkedOut<serde_json::Value> = area.get(&path, &shows).await.json();
        assert!(answer.problem.is_some_and(|it| it.contains(says)), "{says}");
    }
}
