use super::*;

fn parsed(address: &str) -> Route {
    let (path, query) = address.split_once('?').unwrap_or((address, ""));
    Route::parse(path, query)
}

#[test]
fn every_page_is_found_by_its_own_address() {
    let query = SessionsQuery {
        columns: "ordinal,standing".to_owned(),
        sort: "-events".to_owned(),
        filter: "standing=counted|excluded;user_agent~a b&c=ü".to_owned(),
        page: 3,
        rows: Some(100),
    };
    let study = || "curves".to_owned();
    let session = "0123456789abcdef".to_owned();
    for route in [
        Route::Studies,
        Route::Study(study()),
        Route::People {
            study: study(),
            query: query.clone(),
        },
        Route::participants("curves"),
        Route::Replay {
            study: study(),
            session: session.clone(),
            at: None,
            list: None,
        },
        Route::Replay {
            study: study(),
            session: session.clone(),
            at: Some("12m30.5s".to_owned()),
            list: Some(query),
        },
        // From the table of all sessions.
        Route::Replay {
            study: study(),
            session,
            at: None,
            list: Some(SessionsQuery::default()),
        },
        Route::Questions {
            study: study(),
            on: OnQuestion::default(),
        },
        Route::Questions {
            study: study(),
            on: OnQuestion {
                of: ResultOf::Simulated,
                question: Some("0123456789abcdef".to_owned()),
                without: vec!["solved".to_owned(), "cut".to_owned()],
            },
        },
        Route::Beside {
            study: study(),
            beside: Beside {
                sessions: vec!["a".to_owned(), "b".to_owned()],
                common: Some(Common::Question("0123456789abcdef".to_owned())),
                at: Some("12.5s".to_owned()),
            },
        },
        Route::Beside {
            study: study(),
            beside: Beside {
                sessions: Vec::new(),
                common: Some(Common::Model("a b&c".to_owned())),
                at: None,
            },
        },
        Route::Decisions(study()),
        Route::Match(study()),
        Route::Exports(study()),
        Route::Analysis {
            study: study(),
            of: ResultOf::People,
        },
        Route::Analysis {
            study: study(),
            of: ResultOf::Simulated,
        },
        Route::Trust {
            study: study(),
            of: ResultOf::Simulated,
        },
        Route::Plan(study()),
        Route::replay("curves", "0123456789abcdef", Some(90_500)),
        Route::Account,
        Route::Audit,
    ] {
        assert_eq!(parsed(&route.to_string()), route, "{route}");
    }
}

#[test]
fn a_moment_stands_in_the_address_as_people_write_it() {
    let address = "/research/studies/curves/replay/0123456789abcdef?t=12m30.5s";
    assert_eq!(parsed(address).to_string(), address);
}

#[test]
fn from_a_session_one_comes_back_to_the_same_table() {
    let table = parsed("/research/studies/a/people?sort=-events&filter=standing%3Dcounted&page=2");
    let Route::People { study, query } = &table else {
        panic!("{table}");
    };
    assert_eq!(Route::back_to(study, Some(query)), table);
    assert_eq!(Route::back_to("a", None), Route::participants("a"));
}

#[test]
fn what_is_no_page_is_unknown_and_odd_numbers_are_left_out() {
    assert_eq!(parsed("/research/"), Route::Studies);
    for address in [
        "/research/x",
        "/research/studies/a/b",
        "/study/a",
        "/research/studies/a/replay",
    ] {
        assert_eq!(parsed(address), Route::Unknown, "{address}");
    }
    let query = SessionsQuery::default();
    let study = "a".to_owned();
    assert_eq!(
        parsed("/research/studies/a/people?page=-1&rows=many&new=1"),
        Route::People { study, query }
    );
}
