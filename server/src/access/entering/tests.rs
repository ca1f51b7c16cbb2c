//! That nobody can tell by the work which names there are.
#![allow(clippy::unwrap_used)]

use std::net::Ipv4Addr;
use std::sync::atomic::Ordering;

use super::super::*;
use crate::storage;

#[tokio::test]
async fn a_known_account_and_an_unknown_one_cost_the_same_work() {
    let folder = tempfile::tempdir().unwrap();
    let storage = storage::open(&storage::url_of(&folder.path().join("a.db"))).await;
    let access = Access::new(storage.unwrap(), System::default(), Processor::default());
    let caller = |last: u8| Caller {
        origin: std::net::IpAddr::V4(Ipv4Addr::new(192, 0, 2, last)).into(),
        browser: String::new(),
    };
    for name in ["ada", "disabled", "no-password"] {
        let key = access.add(None, name, false).await.unwrap().reveal();
        if name != "no-password" {
            let password = "correct horse battery".to_owned();
            let caller = caller(1);
            let set = access.set_password_by_link(&key, password, &caller);
            set.await.unwrap();
        }
    }
    access.set_disabled(None, "disabled", true).await.unwrap();
    let right = "correct horse battery";
    let long = "x".repeat(100_000);
    for (number, (name, password)) in [
        ("ada", right),
        ("ada", "wrong wrong wrong"),
        ("disabled", right),
        ("no-password", right),
        ("nobody", right),
        ("no name at all", right),
        ("ada", ""),
        ("nobody", ""),
        ("ada", &long),
        ("nobody", &long),
    ]
    .into_iter()
    .enumerate()
    {
        let before = access.passwords.verified.load(Ordering::Relaxed);
        let caller = caller(u8::try_from(number).unwrap() + 10);
        let entered = access.sign_in(name, password.to_owned(), &caller).await;
        assert_eq!(
            entered.is_ok(),
            (name, password) == ("ada", right),
            "{name}"
        );
        let work = access.passwords.verified.load(Ordering::Relaxed) - before;
        assert_eq!(work, 1, "{name} with {} characters", password.len());
    }
}
