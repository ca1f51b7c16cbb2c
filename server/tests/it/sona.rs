//! Credit at SONA. The answers are those of SONA's documentation of the server-side completion URL.

use api::SessionStarted;
use serde_json::{Value, json};
use server::storage::CreditState;

use crate::app::{App, STUDY, Setup, study_with};
use crate::stand_in::StandIn;
use crate::system::TestSystem;

pub const GIVEN: &str = r#"<WebstudyCreditResponse xmlns:a="a" xmlns:i="i"><WebstudyCreditResult>
    <a:Errors i:nil="true"/><a:Result><a:anon_id_code i:nil="true"/>
    <a:credit_status>G</a:credit_status><a:signup_id>123</a:signup_id>
    <a:survey_code>98765</a:survey_code></a:Result>
    </WebstudyCreditResult></WebstudyCreditResponse>"#;

const ERROR: &str = r#"<WebstudyCreditResponse xmlns:a="a" xmlns:i="i"><WebstudyCreditResult>
    <a:Errors><a:Error><a:message>Credit token is invalid</a:message></a:Error></a:Errors>
    <a:Result i:nil="true"/></WebstudyCreditResult></WebstudyCreditResponse>"#;

const PATH: &str = "/services/SonaAPI.svc/WebstudyCredit?experiment_id=123\
                    &credit_token=9185d436e5f94b1581b0918162e8&survey_code=";

fn setup(sona: &StandIn, system: &TestSystem) -> Setup {
    let recruitment = json!({ "recruitment": [{
        "platform": "sona", "site": "yourschool.sona-systems.com", "experiment_id": 123,
        "credit_token_file": "sona.txt"
    }] });
    Setup {
        study: study_with(recruitment),
        stand_ins: vec![sona.origin.clone()],
        system: system.system(),
        ..Setup::default()
    }
}

async fn start(app: &App, code: &str) -> SessionStarted {
    let body: Value = json!({ "attempt": format!("{code:0>16}"), "link": { "survey_code": code } });
    app.ask_to_start(body).await.json()
}

async fn state(app: &App, started: &SessionStarted) -> (CreditState, u64, String) {
    let credits = app.state.storage.credits(STUDY).await.unwrap();
    let credit = credits
        .into_iter()
        .find(|credit| credit.session == started.plan.session)
        .unwrap();
    (credit.state, credit.attempts, credit.answer)
}

#[tokio::test]
async fn credit_is_asked_for_until_sona_answers_even_after_a_restart() {
    let sona = StandIn::saying(503, "down").await;
    let system = TestSystem::at(1_900_000_000_000);
    let app = App::with(setup(&sona, &system)).await;
    let ask = async |app: &App| app.state.sessions.ask_for_credit().await.unwrap();

    let started = start(&app, "98765").await;
    assert_eq!(ask(&app).await, 0, "it goes on");
    app.append_all(&started).await;
    assert_eq!(ask(&app).await, 1);
    assert_eq!(sona.asked(), [format!("{PATH}98765")]);
    let (waiting, attempts, why) = state(&app, &started).await;
    assert_eq!((waiting, attempts), (CreditState::Waiting, 1));
    assert!(why.contains("503"), "{why}");
    assert_eq!(ask(&app).await, 0, "not at once again");
    // Pauses grow: 10 s, 20 s …
    system.pass(10_000);
    sona.say(200, "<html>maintenance</html>");
    assert_eq!(ask(&app).await, 1);
    system.pass(10_000);
    assert_eq!(ask(&app).await, 0);

    let app = app.restart().await;
    system.pass(10_000);
    sona.say(200, GIVEN);
    assert_eq!(ask(&app).await, 1);
    let (given, attempts, said) = state(&app, &started).await;
    assert_eq!((given, attempts), (CreditState::Given, 3));
    assert_eq!(said, "credit_status G");
    system.pass(7 * 24 * 3_600 * 1_000);
    assert_eq!(ask(&app).await, 0, "once");

    // What SONA says is an answer, also if it says no.
    let other = start(&app, "11111").await;
    app.append_all(&other).await;
    sona.say(200, ERROR);
    assert_eq!(ask(&app).await, 1);
    let (refused, _, said) = state(&app, &other).await;
    assert_eq!(refused, CreditState::Refused);
    assert_eq!(said, "Credit token is invalid");
    system.pass(7 * 24 * 3_600 * 1_000);
    assert_eq!(ask(&app).await, 0);

    // Who takes everything back right after the end gets credit all the same.
    let third = start(&app, "22222").await;
    app.append_all(&third).await;
    let erased = app.erase(&third).await;
    assert!(erased.status.is_success(), "{}", erased.text());
    sona.asked();
    sona.say(200, GIVEN);
    assert_eq!(ask(&app).await, 1);
    assert_eq!(sona.asked(), [format!("{PATH}22222")]);
    assert_eq!(state(&app, &third).await.0, CreditState::Given);
}
