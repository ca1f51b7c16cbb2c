//! People for whom a provider of OpenID Connect vouches.

use server::storage::{Identity, User, UserChange};

use super::scene::Scene;
use super::users::{added, begin, made, sign_in, user};

pub async fn a_provider_vouches_for_one_person_and_once_for_each(scene: Scene) {
    let (ada, bob) = (added(&scene, "ada").await, added(&scene, "bob").await);
    let identity = |subject: &str| Identity {
        issuer: "https://id.example.org".to_owned(),
        subject: format!("{} {subject}", scene.study),
    };
    let link = |user: &str, identity: &Identity| UserChange::Link {
        user: user.to_owned(),
        identity: identity.clone(),
        at_unix_ms: 2_000,
    };
    let first = identity("first");
    let found = async |identity: &Identity| {
        let found = scene.other.user_of_identity(identity).await.unwrap();
        found.map(|user| user.name)
    };
    assert_eq!(found(&first).await, None);
    assert!(made(&scene, link(&ada, &first)).await);
    assert_eq!(found(&first).await, Some(ada.clone()));
    let read = scene.other.user(&ada).await.unwrap().unwrap();
    assert_eq!(read.identities, std::slice::from_ref(&first));
    // Neither is somebody else's, nor does she get another one there.
    assert!(!made(&scene, link(&bob, &first)).await);
    assert!(!made(&scene, link(&ada, &identity("second"))).await);
    assert!(!made(&scene, link("nobody at all", &identity("second"))).await);
    assert!(made(&scene, link(&bob, &identity("second"))).await);
    // The same name at another provider is another identity.
    let elsewhere = Identity {
        issuer: "https://other.example.org".to_owned(),
        ..first
    };
    assert_eq!(found(&elsewhere).await, None);
    assert!(made(&scene, link(&ada, &elsewhere)).await);
}

pub async fn whoever_waits_is_counted_and_has_no_sign_in_until_admitted(scene: Scene) {
    let waiting = |name: &str| User {
        waits: true,
        identities: vec![Identity {
            issuer: "https://id.example.org".to_owned(),
            subject: format!("{} {name}", scene.study),
        }],
        ..user(&scene, name)
    };
    let add = |user: &User, most| UserChange::AddWaiting {
        user: user.clone(),
        most,
    };
    // Other cases of this suite may have people who wait.
    let before = scene.storage.users().await.unwrap();
    let before = before.iter().filter(|it| it.waits && !it.disabled).count();
    let (ada, bob) = (waiting("ada"), waiting("bob"));
    assert!(!made(&scene, add(&ada, before)).await);
    assert!(made(&scene, add(&ada, before + 1)).await);
    assert!(!made(&scene, add(&ada, before + 9)).await, "she is there");
    let found = scene.other.user_of_identity(&ada.identities[0]).await;
    assert_eq!(found.unwrap(), Some(ada.clone()));
    assert!(
        !made(
            &scene,
            begin(&sign_in(&scene, &ada.name, "first", 1_000), 0)
        )
        .await
    );
    // Who is disabled waits no more.
    let disabled = UserChange::SetDisabled {
        user: ada.name.clone(),
        disabled: true,
    };
    assert!(made(&scene, disabled).await);
    assert!(made(&scene, add(&bob, before + 1)).await);
    let admit = |user: &User| UserChange::Admit {
        user: user.name.clone(),
    };
    assert!(made(&scene, admit(&bob)).await);
    assert!(!made(&scene, admit(&bob)).await, "he is in");
    assert!(
        made(
            &scene,
            begin(&sign_in(&scene, &bob.name, "second", 1_000), 0)
        )
        .await
    );
    let nobody = UserChange::Admit {
        user: "nobody at all".to_owned(),
    };
    assert!(!made(&scene, nobody).await);
}
