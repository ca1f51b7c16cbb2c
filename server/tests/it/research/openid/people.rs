//! Who somebody is here for whom the provider vouches.

use api::research::{Act, Me, Membership, OpenIdOutcome, People, Role, Waiting, WaysToSignIn};
use api::{ErrorCode, routes};
use axum::http::Method;
use serde_json::{Value, json};

use super::provider::CLIENT;
use super::{ADA, Scene, address, confirmed, cookie, shows};
use crate::app::STUDY;
use crate::research::{PASSWORD, Shows};

#[tokio::test]
async fn an_account_named_like_the_confirmed_address_is_signed_in_and_known_from_then_on() {
    let scene = Scene::new("refuse").await;
    let Scene { area, provider } = &scene;
    area.app.state.access.add(None, ADA, false).await.unwrap();
    let ways: WaysToSignIn = area.get(routes::SIGN_IN, &Shows::default()).await.json();
    assert_eq!(ways.openid.as_deref(), Some("Campus"));
    assert!(
        provider.asked().is_empty(),
        "nothing is asked before it is needed"
    );
    let page = "/research/studies/small/sessions?filter=standing%3Dcounted&page=1";
    let away = scene.begin_from(page).await;
    let asked = &away.asked.0;
    assert_eq!(asked["response_type"], "code");
    assert_eq!(asked["client_id"], CLIENT);
    assert_eq!(asked["scope"], "openid email");
    assert_eq!(
        asked["redirect_uri"],
        "http://localhost:8080/research/api/openid/back"
    );
    let code = provider.code(&away.asked, "subject 1", confirmed("Ada@Example.org"));
    let answer = scene.back_with(&away, &code).await;
    assert_eq!(address(&answer), page);
    let me: Me = area.me(&shows(&answer)).await.json();
    assert!(me.name == ADA && me.change_key.is_some());
    // The cookie of the way there is taken away.
    let name = away.cookie.split('=').next().unwrap();
    let sent: Vec<&str> = answer
        .headers
        .get_all("set-cookie")
        .into_iter()
        .map(|it| it.to_str().unwrap())
        .collect();
    assert!(
        sent.iter()
            .any(|it| it.starts_with(&format!("{name}=;")) && it.contains("Max-Age=0")),
        "{sent:?}"
    );
    // From now on the address does not matter.
    let again = scene.sign_in("subject 1", json!({})).await;
    assert_eq!(area.me(&shows(&again)).await.json::<Me>().name, ADA);
    let entries = area
        .app
        .state
        .storage
        .audit_log(None, None, 10)
        .await
        .unwrap();
    let entries: Vec<_> = entries
        .iter()
        .rev()
        .map(|it| (it.by.as_deref(), it.act, it.about.clone()))
        .collect();
    let how = Some(format!("OpenID Connect: {}", provider.issuer));
    assert_eq!(
        entries[1..],
        [
            (Some(ADA), Act::AccountLinked, Some(provider.issuer.clone())),
            (Some(ADA), Act::SignedIn, how.clone()),
            (Some(ADA), Act::SignedIn, how),
        ]
    );
    // What it publishes is fetched once.
    let asked = provider.asked();
    assert_eq!(asked.iter().filter(|it| **it == "configuration").count(), 1);
}

#[tokio::test]
async fn an_address_that_is_not_confirmed_says_nothing() {
    let scene = Scene::new("refuse").await;
    let access = &scene.area.app.state.access;
    access.add(None, ADA, false).await.unwrap();
    for said in [
        json!({}),
        json!({ "email": ADA }),
        json!({ "email": ADA, "email_verified": false }),
        json!({ "email": ADA, "email_verified": "false" }),
        confirmed("somebody@example.org"),
        confirmed("no name to sign in with"),
    ] {
        let found = scene.outcome("subject 1", said.clone()).await;
        assert_eq!(found, OpenIdOutcome::Unknown, "{said}");
    }
    // Told beside the token, of the same person.
    let tells = |said: Value| scene.provider.change(|ways| ways.user_info = Some(said));
    tells(json!({ "sub": "subject 2", "email": ADA, "email_verified": true }));
    assert_eq!(
        scene.outcome("subject 1", json!({})).await,
        OpenIdOutcome::Unknown
    );
    tells(json!({ "sub": "subject 1", "email": ADA }));
    assert_eq!(
        scene.outcome("subject 1", json!({})).await,
        OpenIdOutcome::Unknown
    );
    tells(json!({ "sub": "subject 1", "email": ADA, "email_verified": true }));
    assert!(cookie(&scene.sign_in("subject 1", json!({})).await).is_some());
    // The address was given to somebody else since: the account is not theirs.
    let found = scene.outcome("subject 3", confirmed(ADA)).await;
    assert_eq!(found, OpenIdOutcome::Unknown);
}

#[tokio::test]
async fn whoever_is_unknown_waits_until_somebody_lets_them_in() {
    let scene = Scene::new("wait").await;
    let Scene { area, .. } = &scene;
    let bob = "bob@example.org";
    assert_eq!(
        scene.outcome("subject 1", confirmed(bob)).await,
        OpenIdOutcome::Waits
    );
    assert_eq!(
        scene.outcome("subject 1", confirmed(bob)).await,
        OpenIdOutcome::Waits
    );
    let access = &area.app.state.access;
    assert!(
        !access.has_accounts().await.unwrap(),
        "the lab's key holds on"
    );
    // By what the provider calls them, where it tells no address; by neither where that is no name.
    assert_eq!(
        scene.outcome("0000-0002-1825-0097", json!({})).await,
        OpenIdOutcome::Waits
    );
    assert_eq!(
        scene.outcome("an odd subject", json!({})).await,
        OpenIdOutcome::Waits
    );
    // Nor by an address that somebody has.
    assert_eq!(
        scene.outcome("subject 2", confirmed(bob)).await,
        OpenIdOutcome::Waits
    );
    area.add("root", true, &[]).await;
    let root = area.sign_in("root").await;
    let people: People = area.get(routes::PEOPLE, &root).await.json();
    let names: Vec<&str> = people
        .people
        .iter()
        .filter(|it| it.waits)
        .map(|it| &*it.name)
        .collect();
    assert_eq!(names[..2], ["0000-0002-1825-0097", bob]);
    assert!(
        names.len() == 4 && names[2].starts_with("person-"),
        "{names:?}"
    );

    let admit = async |name: &str| {
        let body = Some(json!({ "name": name }));
        area.call(Method::POST, routes::ADMISSIONS, &root, body)
            .await
    };
    assert_eq!(admit(bob).await.status, 200);
    admit(bob).await.refused(ErrorCode::Refused);
    admit("nobody").await.refused(ErrorCode::NotFound);
    let bob_is = scene.person(&root, bob).await;
    assert!(!bob_is.waits && !bob_is.has_password);
    assert_eq!(bob_is.vouched_for_by, [&*scene.provider.issuer]);
    let answer = scene.sign_in("subject 1", json!({})).await;
    assert_eq!(address(&answer), "/research/account");
    let me: Me = area.me(&shows(&answer)).await.json();
    assert!(me.name == bob && !me.admin && me.studies.is_empty());
    let study = area
        .get(&routes::research_study(STUDY), &shows(&answer))
        .await;
    study.refused(ErrorCode::Forbidden);
    let membership = Membership {
        study: STUDY.to_owned(),
        role: Role::Viewer,
        identifying: false,
    };
    access.join(None, bob, membership).await.unwrap();
    assert_eq!(
        area.get(&routes::research_study(STUDY), &shows(&answer))
            .await
            .status,
        200
    );
    let acts = area.acts().await;
    assert_eq!(acts[0], (None, Act::EntryAsked));
    assert!(acts.contains(&(Some("root".to_owned()), Act::AccountAdmitted)));
    // An owner lets others into their own study, and nobody twice.
    area.add("ola", false, &[(STUDY, Role::Owner, false)]).await;
    let ola = area.sign_in("ola").await;
    let admissions = routes::research_admissions(STUDY);
    let waiting: Waiting = area.get(&admissions, &ola).await.json();
    let subject_2 = names[2];
    assert!(waiting.people.iter().any(|it| it.name == subject_2));
    let let_in = json!({ "name": subject_2, "role": "analyst" });
    let call = async || {
        area.call(Method::POST, &admissions, &ola, Some(let_in.clone()))
            .await
    };
    assert_eq!(call().await.status, 200);
    call().await.refused(ErrorCode::Refused);
    let analyst = scene.person(&root, subject_2).await;
    assert!(!analyst.waits && analyst.studies[0].role == Role::Analyst);
    let waiting: Waiting = area.get(&admissions, &ola).await.json();
    assert!(waiting.people.iter().all(|it| it.name != subject_2));
    area.get(&admissions, &shows(&answer))
        .await
        .refused(ErrorCode::Forbidden);
    // The others still wait; a password of theirs opens nothing either.
    let key = access
        .reset(None, "0000-0002-1825-0097")
        .await
        .unwrap()
        .reveal();
    let body = json!({ "key": key, "password": PASSWORD });
    let set = area
        .call(
            Method::POST,
            routes::PASSWORD_BY_LINK,
            &Shows::default(),
            Some(body),
        )
        .await;
    assert_eq!(set.status, 200);
    area.try_to_sign_in("0000-0002-1825-0097", PASSWORD)
        .await
        .refused(ErrorCode::Unauthorised);
}

#[tokio::test]
async fn only_so_many_wait() {
    let scene = Scene::new("wait").await;
    for number in 0..100 {
        let subject = format!("subject-{number}");
        assert_eq!(
            scene.outcome(&subject, json!({})).await,
            OpenIdOutcome::Waits
        );
    }
    assert_eq!(
        scene.outcome("one-more", json!({})).await,
        OpenIdOutcome::TooManyWait
    );
    // Who is sent away makes room.
    let access = &scene.area.app.state.access;
    access.set_disabled(None, "subject-7", true).await.unwrap();
    assert_eq!(
        scene.outcome("one-more", json!({})).await,
        OpenIdOutcome::Waits
    );
    assert_eq!(
        scene.outcome("subject-7", json!({})).await,
        OpenIdOutcome::ShutOut
    );
}

#[tokio::test]
async fn whoever_is_disabled_stays_out() {
    let scene = Scene::new("wait").await;
    let access = &scene.area.app.state.access;
    for name in [ADA, "bob@example.org"] {
        access.add(None, name, false).await.unwrap();
    }
    let first = scene.sign_in("subject 1", confirmed(ADA)).await;
    access.set_disabled(None, ADA, true).await.unwrap();
    scene
        .area
        .me(&shows(&first))
        .await
        .refused(ErrorCode::Unauthorised);
    assert_eq!(
        scene.outcome("subject 1", confirmed(ADA)).await,
        OpenIdOutcome::ShutOut
    );
    // Also one that was never linked; nor do they come in as somebody new.
    access
        .set_disabled(None, "bob@example.org", true)
        .await
        .unwrap();
    let found = scene
        .outcome("subject 2", confirmed("bob@example.org"))
        .await;
    assert_eq!(found, OpenIdOutcome::ShutOut);
    access.set_disabled(None, ADA, false).await.unwrap();
    assert!(cookie(&scene.sign_in("subject 1", json!({})).await).is_some());
}
