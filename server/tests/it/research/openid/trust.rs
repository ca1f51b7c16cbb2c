//! What is believed of what comes back, and what is not.

use api::ErrorCode;
use api::research::OpenIdOutcome;
use jsonwebtoken::{Algorithm, EncodingKey};
use serde_json::{Value, json};

use super::provider::{CLIENT, SECRET, another_key};
use super::{ADA, Away, Scene, confirmed, cookie, outcome};
use crate::research::MINUTE_MS;

#[tokio::test]
async fn a_token_that_is_not_for_this_sign_in_opens_nothing() {
    let scene = Scene::new("wait").await;
    let access = &scene.area.app.state.access;
    access.add(None, ADA, false).await.unwrap();
    let now = crate::system::START_MS / 1_000;
    let with = |name: &str, value: Value| {
        let mut said = confirmed(ADA);
        said[name] = value;
        said
    };
    for said in [
        with("nonce", json!("of another sign-in")),
        with("nonce", Value::Null),
        with("aud", json!("another client")),
        with("aud", json!([CLIENT, "another client"])),
        with("aud", Value::Null),
        with("iss", json!("https://elsewhere.example")),
        with("exp", json!(now)),
        with("exp", Value::Null),
        with("sub", Value::Null),
    ] {
        let found = scene.outcome("subject 1", said.clone()).await;
        assert_eq!(found, OpenIdOutcome::Untrusted, "{said}");
    }
    // Another key, also one that everybody has who knows the client secret.
    for signs in [
        (Algorithm::ES256, another_key()),
        (
            Algorithm::HS256,
            EncodingKey::from_secret(SECRET.as_bytes()),
        ),
    ] {
        scene.provider.change(|ways| ways.signs_with = Some(signs));
        let found = scene.outcome("subject 1", confirmed(ADA)).await;
        assert_eq!(found, OpenIdOutcome::Untrusted);
    }
    let ada = scene
        .area
        .app
        .state
        .storage
        .user(ADA)
        .await
        .unwrap()
        .unwrap();
    assert!(ada.identities.is_empty());
    let users = scene.area.app.state.storage.users().await.unwrap();
    assert_eq!(users.len(), 1, "nobody waits");
    // The same with nothing wrong in it.
    scene.provider.change(|ways| ways.signs_with = None);
    let right = scene.sign_in("subject 1", confirmed(ADA)).await;
    assert!(cookie(&right).is_some());
}

#[tokio::test]
async fn a_sign_in_comes_back_once_to_the_browser_that_began_it_and_in_time() {
    let scene = Scene::new("refuse").await;
    let access = &scene.area.app.state.access;
    access.add(None, ADA, false).await.unwrap();
    let code = |away: &Away| {
        scene
            .provider
            .code(&away.asked, "subject 1", confirmed(ADA))
    };
    // Another state, none, and no cookie, or that of another browser.
    let away = scene.begin().await;
    let other = scene.begin().await;
    assert_eq!(
        outcome(&scene.back("code=code&state=made-up", &away.cookie).await),
        OpenIdOutcome::Over
    );
    assert_eq!(
        outcome(&scene.back("code=code", &away.cookie).await),
        OpenIdOutcome::Over
    );
    let stolen = Away {
        asked: away.asked.clone(),
        cookie: other.cookie.clone(),
    };
    assert_eq!(
        outcome(&scene.back_with(&stolen, &code(&away)).await),
        OpenIdOutcome::Over
    );
    let name = other.cookie.split('=').next().unwrap();
    let guessed = Away {
        asked: other.asked.clone(),
        cookie: format!("{name}=guessed"),
    };
    assert_eq!(
        outcome(&scene.back_with(&guessed, &code(&other)).await),
        OpenIdOutcome::Over
    );
    assert!(
        !scene.provider.asked().contains(&"token"),
        "no code was handed in"
    );
    // Two tabs do not disturb each other, and each comes back once.
    let (first, second) = (scene.begin().await, scene.begin().await);
    let both = format!("{}; {}", first.cookie, second.cookie);
    for away in [&first, &second] {
        let away = Away {
            asked: away.asked.clone(),
            cookie: both.clone(),
        };
        let code = code(&away);
        assert!(cookie(&scene.back_with(&away, &code).await).is_some());
        assert_eq!(
            outcome(&scene.back_with(&away, &code).await),
            OpenIdOutcome::Over
        );
    }
    // A code that was used, with a new sign-in.
    let away = scene.begin().await;
    assert_eq!(
        outcome(&scene.back_with(&away, "code 0").await),
        OpenIdOutcome::Untrusted
    );
    // One that was got in another sign-in: PKCE.
    let (victim, attacker) = (scene.begin().await, scene.begin().await);
    let code_of_victim = code(&victim);
    assert_eq!(
        outcome(&scene.back_with(&attacker, &code_of_victim).await),
        OpenIdOutcome::Untrusted
    );
    let (early, late) = (scene.begin().await, scene.begin().await);
    scene.area.pass(10 * MINUTE_MS - 1);
    assert!(cookie(&scene.back_with(&early, &code(&early)).await).is_some());
    scene.area.pass(1);
    assert_eq!(
        outcome(&scene.back_with(&late, &code(&late)).await),
        OpenIdOutcome::Over
    );
    // Somebody who thinks better of it.
    let away = scene.begin().await;
    let query = format!(
        "state={}&error=access_denied&error_description=no",
        away.asked.state()
    );
    assert_eq!(
        outcome(&scene.back(&query, &away.cookie).await),
        OpenIdOutcome::Declined
    );
}

#[tokio::test]
async fn a_provider_that_is_down_is_named_and_passwords_work() {
    let mut scene = Scene::new("refuse").await;
    scene.area.add("ada", false, &[]).await;
    let away = scene.begin().await;
    let code = scene.provider.code(&away.asked, "subject 1", json!({}));
    scene.provider.stop().await;
    // On the way back, with what it published still known.
    assert_eq!(
        outcome(&scene.back_with(&away, &code).await),
        OpenIdOutcome::NoAnswer
    );
    // A day later what it publishes is to be fetched anew.
    scene.area.pass(24 * 60 * MINUTE_MS);
    let refused = scene.area.app.send(Scene::asks_to_begin("")).await;
    let refused = refused.refused(ErrorCode::Unavailable);
    assert!(
        refused.message.contains("Campus does not answer"),
        "{}",
        refused.message
    );
    scene.area.sign_in("ada").await;
}

#[tokio::test]
async fn a_new_key_of_the_provider_is_fetched() {
    let scene = Scene::new("refuse").await;
    scene
        .area
        .app
        .state
        .access
        .add(None, ADA, false)
        .await
        .unwrap();
    assert!(cookie(&scene.sign_in("subject 1", confirmed(ADA)).await).is_some());
    scene.provider.new_key("second");
    // Not more often than once a minute.
    assert_eq!(
        scene.outcome("subject 1", json!({})).await,
        OpenIdOutcome::Untrusted
    );
    scene.area.pass(MINUTE_MS);
    assert!(cookie(&scene.sign_in("subject 1", json!({})).await).is_some());
    // A key under the name of another.
    scene.provider.new_key("second");
    assert_eq!(
        scene.outcome("subject 1", json!({})).await,
        OpenIdOutcome::Untrusted
    );
}
