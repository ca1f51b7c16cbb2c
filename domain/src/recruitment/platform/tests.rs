use std::collections::BTreeMap;

use super::*;

fn link(pairs: &[(&str, &str)]) -> Parameters {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn name_of<'a>(arrived: &'a Arrived<'_>) -> Option<&'a str> {
    arrived.participant.as_ref().map(ParticipantName::as_str)
}

fn prolific_with(codes: &[(Code, &str)]) -> Recruitment {
    let codes = codes.iter().map(|(code, text)| (*code, (*text).to_owned()));
    Recruitment::Prolific(Prolific {
        signed: None,
        codes: codes.collect(),
    })
}

fn prolific() -> Recruitment {
    prolific_with(&[(Code::Completed, "C1"), (Code::NoConsent, "C2")])
}

const MTURK: Recruitment = Recruitment::Mturk(Mturk {});

fn worker(assignment: &str, submit_to: &str) -> Parameters {
    link(&[
        ("assignmentId", assignment),
        ("hitId", "H"),
        ("workerId", "W"),
        ("turkSubmitTo", submit_to),
    ])
}

#[test]
fn the_parameters_of_the_link_say_which_platform_it_is() {
    let all = [MTURK, prolific()];
    let pid = link(&[
        ("PROLIFIC_PID", " P "),
        ("STUDY_ID", "S"),
        ("SESSION_ID", "X"),
    ]);
    let arrived = arrive(&all, &pid, &[]).unwrap();
    assert_eq!(arrived.from.facts().name, "prolific");
    assert_eq!(name_of(&arrived), Some("P"));
    assert_eq!(arrived.submission.as_deref(), Some("X"));
    let arrived = worker("A", "https://www.mturk.com/");
    let arrived = arrive(&all, &arrived, &[]).unwrap();
    assert_eq!(arrived.from.facts().name, "mturk");
    assert!(!arrived.preview);
    // Connect has an assignmentId, too.
    let connect = Recruitment::Connect(Connect {
        complete_url: "https://connect.cloudresearch.com/x".into(),
        partial_url: None,
    });
    let both = [MTURK, connect];
    let person = link(&[
        ("participantId", "P"),
        ("assignmentId", "A"),
        ("projectId", "J"),
    ]);
    assert_eq!(
        arrive(&both, &person, &[]).unwrap().from.facts().name,
        "connect"
    );
}

#[test]
fn a_link_of_none_of_the_platforms_leads_nowhere_unless_links_are_listed() {
    let plain = link(&[("participant", "P07")]);
    let refused = arrive(&[MTURK, prolific()], &plain, &[]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "this study is opened from Mechanical Turk or Prolific"
    );
    let with_link = [Recruitment::Link(Link {}), prolific()];
    for recruitment in [&with_link[..], &[]] {
        let arrived = arrive(recruitment, &plain, &[]).unwrap();
        assert_eq!(name_of(&arrived), Some("P07"));
        assert_eq!(arrived.from.facts().name, "link");
    }
}

#[test]
fn a_link_of_a_platform_that_names_nobody_leads_nowhere() {
    let link_too = [Recruitment::Link(Link {}), prolific()];
    let refused = |recruitment: &[Recruitment], pairs: &[(&str, &str)]| match arrive(
        recruitment,
        &link(pairs),
        &[],
    ) {
        Err(NotArrived::Nameless { parameter, why }) => (parameter, why),
        other => panic!("{pairs:?}: {other:?}"),
    };
    // Not even as a plain link, where those are listed.
    let blank = [("PROLIFIC_PID", " "), ("participant", "P07")];
    assert_eq!(
        refused(&link_too, &blank),
        ("PROLIFIC_PID", NameFault::Empty)
    );
    let template = [("PROLIFIC_PID", "5f"), ("SESSION_ID", "{{%SESSION_ID%}}")];
    assert_eq!(
        refused(&[prolific()], &template),
        ("SESSION_ID", NameFault::Placeholder)
    );
    let undefined = [("participant", "undefined")];
    assert_eq!(
        refused(&[], &undefined),
        ("participant", NameFault::NoValue)
    );
    // A parameter that another platform would read is not looked at, nor kept.
    let elsewhere = link(&[("participant", "P07"), ("workerId", "undefined")]);
    let arrived = arrive(&[], &elsewhere, &[]).unwrap();
    assert_eq!(arrived.link, link(&[("participant", "P07")]));
}

#[test]
fn the_page_sends_what_stands_in_its_link_also_where_it_is_wrong() {
    let long = "x".repeat(MAX_PARAMETER + 9);
    let there = [
        ("participant", " "),
        ("PROLIFIC_PID", &*long),
        ("other", "1"),
    ];
    let there = link(&there);
    let sent = parameters_in(|name| there.get(name).cloned());
    assert_eq!(sent.len(), 2);
    assert_eq!(sent["participant"], " ");
    assert_eq!(sent["PROLIFIC_PID"].len(), MAX_PARAMETER + 1);
}

#[test]
fn a_look_at_a_task_of_mturk_is_a_preview() {
    let look = link(&[
        ("assignmentId", "ASSIGNMENT_ID_NOT_AVAILABLE"),
        ("hitId", "H"),
    ]);
    let arrived = arrive(&[MTURK], &look, &[]).unwrap();
    assert!(arrived.preview);
    assert_eq!(arrived.participant, None);
}

#[test]
fn a_form_goes_to_mechanical_turk_or_to_a_declared_stand_in() {
    for (host, stand_ins, fits) in [
        ("https://www.mturk.com", &[][..], true),
        ("https://workersandbox.mturk.com/", &[], true),
        ("https://www.mturk.com.evil.example", &[], false),
        ("http://www.mturk.com", &[], false),
        ("http://127.0.0.1:9", &[], false),
        (
            "http://127.0.0.1:9",
            &["http://127.0.0.1:9".to_owned()][..],
            true,
        ),
    ] {
        let arrived = arrive(&[MTURK], &worker("A", host), stand_ins).is_ok();
        assert_eq!(arrived, fits, "{host}");
    }
    for missing in ["assignmentId", "turkSubmitTo"] {
        let mut link = worker("A", "https://www.mturk.com");
        link.remove(missing);
        let refused = arrive(&[MTURK], &link, &[]).unwrap_err();
        assert!(refused.to_string().contains(missing), "{refused}");
    }
}

#[test]
fn each_platform_is_gone_back_to_in_its_own_way() {
    let came = worker("A", "https://www.mturk.com");
    let summary = [("solved", "3".to_owned())];
    let departure = |ended: Ended, code: Option<&'static str>| Departure {
        link: &came,
        ended,
        code,
        summary: &summary,
    };
    let done = departure(Ended::Completed, Some("OURS"));
    let form = MTURK.way_back(&done).unwrap();
    assert_eq!(form.url, "https://www.mturk.com/mturk/externalSubmit");
    let fields = [
        ("assignmentId", "A"),
        ("completionCode", "OURS"),
        ("solved", "3"),
    ];
    let fields: BTreeMap<String, String> = link(&fields);
    assert_eq!(form.form, fields);
    // It takes nothing else from us: the participant returns the task there.
    for ended in [Ended::ScreenedOut, Ended::Withdrawn] {
        let by_hand = MTURK.way_back(&departure(ended, None)).unwrap();
        assert_eq!(
            (by_hand.platform.as_str(), by_hand.url.as_str()),
            ("Mechanical Turk", "")
        );
    }

    let ways = |ended| prolific().way_back(&departure(ended, Some("OURS")));
    let back = ways(Ended::Completed).unwrap();
    assert_eq!(
        back.url,
        "https://app.prolific.com/submissions/complete?cc=C1"
    );
    assert_eq!(back.code.as_deref(), Some("C1"));
    assert_eq!(ways(Ended::NoConsent).unwrap().code.as_deref(), Some("C2"));
    // People who failed checks are paid like all others where there is no code of their own for that.
    let failed = ways(Ended::AttentionChecksFailed).unwrap();
    assert_eq!(failed.code.as_deref(), Some("C1"));
    assert_eq!(ways(Ended::ScreenedOut), None);
    assert_eq!(ways(Ended::IncompatibleDevice), None);
    let with_code = prolific_with(&[(Code::IncompatibleDevice, "C7")]);
    let back = with_code.way_back(&departure(Ended::IncompatibleDevice, None));
    assert_eq!(back.unwrap().code.as_deref(), Some("C7"));
}

#[test]
fn settings_that_lead_nowhere_are_found() {
    let empty = Recruitment::Prolific(Prolific {
        signed: None,
        codes: BTreeMap::new(),
    });
    assert_eq!(empty.faults().len(), 1);
    let code = "C1&cc=X".to_owned();
    let odd = Recruitment::Prolific(Prolific {
        signed: None,
        codes: [(Code::Completed, code)].into(),
    });
    assert_eq!(odd.faults()[0].found, "'C1&cc=X'");
    let elsewhere = Recruitment::Connect(Connect {
        complete_url: "https://example.org/".into(),
        partial_url: None,
    });
    assert_eq!(elsewhere.faults()[0].field, "complete_url");
    assert_eq!(prolific().faults(), []);
}

#[test]
fn a_signed_link_says_what_was_signed_and_nothing_else() {
    let came = link(&[("PROLIFIC_PID", "5f"), ("prolific_token", "x.y.z")]);
    let signed = |name: &str| match name {
        "PROLIFIC_PID" => Some("5f".to_owned()),
        "STUDY_ID" => Some("60".to_owned()),
        "SESSION_ID" => Some("61".to_owned()),
        _ => None,
    };
    let complete = [
        ("PROLIFIC_PID", "5f"),
        ("STUDY_ID", "60"),
        ("SESSION_ID", "61"),
    ];
    assert_eq!(signed_link(&came, signed), Ok(link(&complete)));
    let other = link(&[("PROLIFIC_PID", "5e"), ("prolific_token", "x.y.z")]);
    assert_eq!(signed_link(&other, signed), Err("PROLIFIC_PID"));
    let unsigned = |name: &str| signed(name).filter(|_| name != "SESSION_ID");
    let all = link(&complete);
    assert_eq!(signed_link(&all, unsigned), Err("SESSION_ID"));

    let ours = SignedLinks {
        domain: "study.example.org".to_owned(),
    };
    for (audience, is_meant) in [
        ("study.example.org", true),
        ("https://study.example.org", true),
        (
            "https://Study.example.org:443/study/curves?PROLIFIC_PID=5f",
            true,
        ),
        ("https://study.example.org.evil.example/", false),
        ("https://study.example.org@evil.example/", false),
        ("https://evil.example/?study.example.org", false),
        ("", false),
    ] {
        assert_eq!(ours.is_meant(audience), is_meant, "{audience}");
    }
}

#[test]
fn sona_is_asked_with_the_parameters_of_its_documentation() {
    let sona: Recruitment = serde_json::from_value(serde_json::json!({
        "platform": "sona", "site": "yourschool.sona-systems.com", "experiment_id": 123,
        "credit_token_file": "sona.txt"
    }))
    .unwrap();
    assert_eq!(sona.faults(), []);
    let arrived = link(&[("survey_code", "98765")]);
    let recruitment = [sona.clone()];
    let came = arrive(&recruitment, &arrived, &[]).unwrap();
    assert_eq!(name_of(&came), Some("98765"));
    let Recruitment::Sona(settings) = sona else {
        panic!("it is SONA")
    };
    assert_eq!(
        settings.credit_path("9185d436e5f94b1581b0918162e8", "98765"),
        "/services/SonaAPI.svc/WebstudyCredit?experiment_id=123\
         &credit_token=9185d436e5f94b1581b0918162e8&survey_code=98765"
    );
    assert!(
        settings
            .credit_path("t", "a&b=c d")
            .ends_with("survey_code=a%26b%3Dc%20d")
    );
    let elsewhere = Recruitment::Sona(Sona {
        site: "sona-systems.com.evil.example".to_owned(),
        ..settings
    });
    assert_eq!(elsewhere.faults()[0].field, "site");
}
