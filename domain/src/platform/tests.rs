use std::collections::BTreeMap;

use super::*;

fn link(pairs: &[(&str, &str)]) -> Parameters {
    let owned = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
    pairs.iter().map(owned).collect()
}

fn prolific() -> Recruitment {
    let codes = [(Code::Completed, "C1"), (Code::NoConsent, "C2")];
    Recruitment::Prolific(Prolific {
        codes: codes.map(|(code, text)| (code, text.to_owned())).into(),
    })
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
    assert_eq!(arrived.participant.as_deref(), Some("P"));
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
    let plain = link(&[("participant", "P07"), ("PROLIFIC_PID", " ")]);
    let refused = arrive(&[MTURK, prolific()], &plain, &[]).unwrap_err();
    assert_eq!(
        refused.to_string(),
        "this study is opened from Mechanical Turk or Prolific"
    );
    let with_link = [Recruitment::Link(Link {}), prolific()];
    for recruitment in [&with_link[..], &[]] {
        let arrived = arrive(recruitment, &plain, &[]).unwrap();
        assert_eq!(arrived.participant.as_deref(), Some("P07"));
        assert_eq!(arrived.from.facts().name, "link");
    }
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
    assert_eq!(MTURK.way_back(&departure(Ended::ScreenedOut, None)), None);

    let ways = |ended| prolific().way_back(&departure(ended, Some("OURS")));
    let back = ways(Ended::Completed).unwrap();
    assert_eq!(
        back.url,
        "https://app.prolific.com/submissions/complete?cc=C1"
    );
    assert_eq!(back.code.as_deref(), Some("C1"));
    assert_eq!(ways(Ended::NoConsent).unwrap().code.as_deref(), Some("C2"));
    // Who has no code of their own for failed checks is paid like all others.
    let failed = ways(Ended::AttentionChecksFailed).unwrap();
    assert_eq!(failed.code.as_deref(), Some("C1"));
    assert_eq!(ways(Ended::ScreenedOut), None);
}

#[test]
fn settings_that_lead_nowhere_are_found() {
    let empty = Recruitment::Prolific(Prolific {
        codes: BTreeMap::new(),
    });
    assert_eq!(empty.faults().len(), 1);
    let code = "C1&cc=X".to_owned();
    let odd = Recruitment::Prolific(Prolific {
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
