//! People who have an account in the researcher's area, and what they did.

use api::research::{Act, Membership, Role, Scope};
use server::secrets::TokenHash;
use server::storage::{ApiToken, Audited, PasswordLink, SignIn, User, UserChange};

use super::scene::Scene;

/// Somebody of this case.
pub fn user(scene: &Scene, name: &str) -> User {
    User {
        name: format!("{}-{name}", scene.study),
        admin: false,
        disabled: false,
        waits: false,
        password: None,
        added_at_unix_ms: 1_000,
        memberships: Vec::new(),
        identities: Vec::new(),
    }
}

pub async fn made(scene: &Scene, change: UserChange) -> bool {
    scene.storage.change_user(change, None).await.unwrap()
}

pub async fn added(scene: &Scene, name: &str) -> String {
    let user = user(scene, name);
    assert!(made(scene, UserChange::Add(user.clone())).await);
    user.name
}

fn key(scene: &Scene, text: &str) -> TokenHash {
    TokenHash::of(&format!("{} {text}", scene.study))
}

pub fn sign_in(scene: &Scene, user: &str, id: &str, at_unix_ms: u64) -> SignIn {
    SignIn {
        id: format!("{}-{id}", scene.study),
        key: key(scene, id),
        user: user.to_owned(),
        address: "192.0.2.1".to_owned(),
        browser: "a browser".to_owned(),
        began_at_unix_ms: at_unix_ms,
        used_at_unix_ms: at_unix_ms,
    }
}

pub fn begin(sign_in: &SignIn, forgotten_before: u64) -> UserChange {
    UserChange::BeginSignIn {
        sign_in: sign_in.clone(),
        used_before_unix_ms: forgotten_before,
        began_before_unix_ms: 0,
    }
}

fn token(scene: &Scene, user: &str, id: &str, ends_at_unix_ms: u64) -> ApiToken {
    ApiToken {
        id: format!("{}-{id}", scene.study),
        key: key(scene, id),
        user: user.to_owned(),
        label: "nightly export".to_owned(),
        scopes: vec![Scope::Read, Scope::Export],
        studies: vec!["a".to_owned(), "b".to_owned()],
        made_at_unix_ms: 1_000,
        ends_at_unix_ms,
        used_at_unix_ms: None,
    }
}

pub async fn somebody_is_added_once_and_what_they_are_is_read_back(scene: Scene) {
    let mut ada = User {
        admin: true,
        memberships: vec![Membership {
            study: "a".to_owned(),
            role: Role::Analyst,
            identifying: true,
        }],
        ..user(&scene, "ada")
    };
    assert!(made(&scene, UserChange::Add(ada.clone())).await);
    assert!(!made(&scene, UserChange::Add(user(&scene, "ada"))).await);
    let found = scene.other.user(&ada.name).await.unwrap();
    assert_eq!(found.as_ref(), Some(&ada));

    let owner = Membership {
        study: "a".to_owned(),
        role: Role::Owner,
        identifying: false,
    };
    let user = ada.name.clone();
    let join = |user: &str| UserChange::Join {
        user: user.to_owned(),
        membership: owner.clone(),
    };
    assert!(made(&scene, join(&user)).await);
    assert!(!made(&scene, join("nobody at all")).await);
    ada.memberships = vec![owner.clone()];
    let all = scene.other.users().await.unwrap();
    assert!(all.contains(&ada));
    let leave = UserChange::Leave {
        user: user.clone(),
        study: "a".to_owned(),
    };
    assert!(made(&scene, leave.clone()).await);
    assert!(!made(&scene, leave).await);
    let no_admin = UserChange::SetAdmin { user, admin: false };
    assert!(made(&scene, no_admin).await);
    let found = scene.storage.user(&ada.name).await.unwrap().unwrap();
    assert!(!found.admin && found.memberships.is_empty());
}

pub async fn a_link_sets_a_password_once_and_until_it_ends(scene: Scene) {
    let name = added(&scene, "ada").await;
    let link = |text: &str, ends_at_unix_ms| PasswordLink {
        user: name.clone(),
        key: key(&scene, text),
        ends_at_unix_ms,
    };
    let set = |text: &str, now_unix_ms| UserChange::SetPasswordByLink {
        key: key(&scene, text),
        password: format!("hash of {text}"),
        now_unix_ms,
    };
    assert!(made(&scene, UserChange::Reset(link("first", 2_000))).await);
    assert!(made(&scene, UserChange::Reset(link("second", 3_000))).await);
    assert!(
        !made(&scene, set("first", 1_500)).await,
        "a later link took its place"
    );
    assert!(!made(&scene, set("second", 3_000)).await, "it is over");
    let found = scene.other.password_link(key(&scene, "second")).await;
    assert_eq!(found.unwrap(), Some(link("second", 3_000)));
    assert!(made(&scene, set("second", 2_999)).await);
    assert!(!made(&scene, set("second", 2_999)).await, "it was used");
    let password = scene.other.user(&name).await.unwrap().unwrap().password;
    assert_eq!(password.as_deref(), Some("hash of second"));
    let nobodys = PasswordLink {
        user: "nobody at all".to_owned(),
        ..link("third", 9_000)
    };
    assert!(!made(&scene, UserChange::Reset(nobodys)).await);
}

pub async fn a_sign_in_is_found_by_what_it_shows_until_it_ends(scene: Scene) {
    let name = added(&scene, "ada").await;
    let first = sign_in(&scene, &name, "first", 1_000);
    let second = sign_in(&scene, &name, "second", 2_000);
    assert!(made(&scene, begin(&first, 0)).await);
    assert!(made(&scene, begin(&second, 0)).await);
    let found = scene.other.sign_in(first.key).await.unwrap();
    assert_eq!(found.as_ref(), Some(&first));
    assert_eq!(
        scene.other.sign_in(key(&scene, "none")).await.unwrap(),
        None
    );
    let used = UserChange::UseSignIn {
        id: second.id.clone(),
        at_unix_ms: 5_000,
    };
    assert!(made(&scene, used).await);
    let all = scene.other.sign_ins(&name).await.unwrap();
    let ids: Vec<(&str, u64)> = all.iter().map(|it| (&*it.id, it.used_at_unix_ms)).collect();
    assert_eq!(ids, [(&*second.id, 5_000), (&*first.id, 1_000)]);

    let end = |user: &str| UserChange::EndSignIn {
        user: user.to_owned(),
        id: first.id.clone(),
    };
    assert!(!made(&scene, end("somebody else")).await);
    assert!(made(&scene, end(&name)).await);
    assert_eq!(scene.other.sign_in(first.key).await.unwrap(), None);

    // The second was last used at 5,000.
    let third = sign_in(&scene, &name, "third", 6_000);
    assert!(made(&scene, begin(&third, 5_001)).await);
    assert_eq!(scene.other.sign_in(second.key).await.unwrap(), None);
    let fourth = sign_in(&scene, &name, "fourth", 6_000);
    assert!(made(&scene, begin(&fourth, 0)).await);
    let password = UserChange::SetPassword {
        user: name.clone(),
        password: "a hash".to_owned(),
        but: fourth.id.clone(),
    };
    assert!(made(&scene, password).await);
    assert_eq!(scene.other.sign_ins(&name).await.unwrap(), [fourth]);
    assert!(
        !made(
            &scene,
            begin(&sign_in(&scene, "nobody at all", "fifth", 1), 0)
        )
        .await
    );
}

pub async fn whoever_is_disabled_has_no_sign_in_and_no_token(scene: Scene) {
    let name = added(&scene, "ada").await;
    let first = sign_in(&scene, &name, "first", 1_000);
    assert!(made(&scene, begin(&first, 0)).await);
    let add = |id: &str| UserChange::AddToken {
        token: token(&scene, &name, id, 9_000),
        most: 5,
    };
    assert!(made(&scene, add("token")).await);
    let disabled = |disabled| UserChange::SetDisabled {
        user: name.clone(),
        disabled,
    };
    let link = PasswordLink {
        user: name.clone(),
        key: key(&scene, "link"),
        ends_at_unix_ms: 9_000,
    };
    assert!(made(&scene, UserChange::Reset(link.clone())).await);
    assert!(made(&scene, disabled(true)).await);
    assert_eq!(scene.other.sign_in(first.key).await.unwrap(), None);
    assert_eq!(scene.other.api_tokens(&name).await.unwrap(), []);
    assert_eq!(scene.other.password_link(link.key).await.unwrap(), None);
    assert!(!made(&scene, begin(&sign_in(&scene, &name, "second", 2_000), 0)).await);
    assert!(!made(&scene, add("second")).await);
    assert!(made(&scene, disabled(false)).await);
    assert!(made(&scene, add("third")).await);
    assert!(made(&scene, begin(&sign_in(&scene, &name, "third", 2_000), 0)).await);
}

pub async fn tokens_are_counted_and_those_out_of_date_are_not(scene: Scene) {
    let name = added(&scene, "ada").await;
    let add = |id: &str, ends_at_unix_ms| UserChange::AddToken {
        token: token(&scene, &name, id, ends_at_unix_ms),
        most: 2,
    };
    // Made at 1,000.
    assert!(made(&scene, add("over", 1_000)).await);
    assert!(made(&scene, add("one", 9_000)).await);
    assert!(made(&scene, add("two", 9_000)).await);
    assert!(!made(&scene, add("three", 9_000)).await);
    let one = token(&scene, &name, "one", 9_000);
    let found = scene.other.api_token(one.key).await.unwrap();
    assert_eq!(found.as_ref(), Some(&one));
    let used = UserChange::UseToken {
        id: one.id.clone(),
        at_unix_ms: 4_000,
    };
    assert!(made(&scene, used).await);
    let end = |user: &str| UserChange::EndToken {
        user: user.to_owned(),
        id: token(&scene, &name, "two", 0).id,
    };
    assert!(!made(&scene, end("somebody else")).await);
    assert!(made(&scene, end(&name)).await);
    let left = scene.other.api_tokens(&name).await.unwrap();
    let used = ApiToken {
        used_at_unix_ms: Some(4_000),
        ..one
    };
    assert_eq!(left, [used]);
}

pub async fn the_audit_log_only_grows_and_tells_what_took_place(scene: Scene) {
    let entry = |at_unix_ms, study: Option<&str>| Audited {
        study: study.map(|study| format!("{}-{study}", scene.study)),
        about: Some("what".to_owned()),
        address: Some("192.0.2.1".to_owned()),
        ..Audited::by_command(Act::Exported, at_unix_ms)
    };
    let note = async |noted: Audited| {
        let noted = scene.storage.change_user(UserChange::Nothing, Some(noted));
        noted.await.unwrap()
    };
    assert!(note(entry(1, Some("a"))).await);
    assert!(note(entry(2, Some("b"))).await);
    assert!(note(entry(3, None)).await);
    // Nothing is noted of what did not take place.
    let leave = UserChange::Leave {
        user: "nobody at all".to_owned(),
        study: "a".to_owned(),
    };
    let left = scene.storage.change_user(leave, Some(entry(4, Some("a"))));
    assert!(!left.await.unwrap());
    let of = |study: &str| vec![format!("{}-{study}", scene.study)];
    let a = scene
        .other
        .audit_log(Some(&of("a")), None, 10)
        .await
        .unwrap();
    assert_eq!(a.len(), 1);
    assert_eq!((a[0].at_unix_ms, a[0].act), (1, Act::Exported));
    assert_eq!(a[0].about.as_deref(), Some("what"));
    let newest = scene.other.audit_log(None, None, 2).await.unwrap();
    let times: Vec<u64> = newest.iter().map(|entry| entry.at_unix_ms).collect();
    assert_eq!(times, [3, 2]);
    let older = scene.other.audit_log(None, Some(newest[1].number), 1).await;
    assert_eq!(older.unwrap()[0].at_unix_ms, 1);
    assert_eq!(
        scene.other.audit_log(Some(&[]), None, 10).await.unwrap(),
        []
    );
}
