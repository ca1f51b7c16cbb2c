use super::*;
use proptest::prelude::*;

fn continuous(min: f64, max: f64) -> Dimension {
    Dimension::continuous(min, max, DEFAULT_STEP)
}

#[test]
fn refuses_what_no_participant_could_use() {
    assert_eq!(LatentSpace::new(vec![]), Err(LatentError::NoDimensions));
    assert_eq!(
        LatentSpace::new(vec![
            continuous(0.0, 1.0),
            Dimension::Discrete { values: 3 }
        ]),
        Err(LatentError::DiscreteAfterContinuous { index: 1 })
    );
    assert!(LatentSpace::new(vec![Dimension::Discrete { values: 1 }]).is_err());
    assert!(LatentSpace::new(vec![continuous(1.0, 0.9)]).is_err());
    assert!(
        LatentSpace::new(vec![continuous(1.0, 1.0)]).is_ok(),
        "a dial of zero width stands still"
    );
    assert!(LatentSpace::new(vec![continuous(f64::NAN, 1.0)]).is_err());
}

#[test]
fn one_hot_blocks_come_first() {
    let space = LatentSpace::new(vec![
        Dimension::Discrete { values: 2 },
        continuous(-4.0, 4.0),
    ])
    .unwrap();
    assert_eq!(space.decoder_width(), 3);
    assert_eq!(
        space.decoder_input(&[1.0, 0.25]).unwrap(),
        vec![0.0, 1.0, 0.25]
    );
    for bad in [
        &[2.0, 0.0][..],
        &[0.5, 0.0],
        &[0.0, 4.1],
        &[0.0, f64::NAN],
        &[0.0],
    ] {
        assert!(space.decoder_input(bad).is_err(), "{bad:?}");
    }
}

#[test]
fn an_end_off_the_grid_loses_no_step() {
    let check = |min: f64, max: f64, value: f64, steps: i32, expected: f64| {
        let dial = continuous(min, max);
        assert_eq!(dial.stepped(value, steps), expected, "{value} {steps}");
    };
    check(-1.0, 1.234, 1.234, -1, 1.23);
    check(-1.0, 1.234, 1.234, -3, 1.21);
    check(-1.0, 1.234, 1.23, 1, 1.234);
    check(-1.0, 1.234, 1.234, 1, 1.234);
    check(-1.236, 1.0, -1.236, 1, -1.23);
    check(-1.236, 1.0, -1.23, -1, -1.236);
    check(-1.236, 1.0, 0.28, 1, 0.29);
    check(-1.236, 1.0, 0.29, -1, 0.28);
    check(-1.236, 1.0, 0.29, 0, 0.29);
    let choice = Dimension::Discrete { values: 3 };
    assert_eq!(choice.stepped(1.0, 1), 2.0);
    assert_eq!(choice.stepped(1.0, 2), 2.0);
    assert_eq!(choice.stepped(1.0, -2), 0.0);
}

#[test]
fn json_goes_through_the_same_checks() {
    let json = r#"[{"kind":"continuous","min":0,"max":1},{"kind":"discrete","values":3}]"#;
    let error = serde_json::from_str::<LatentSpace>(json)
        .unwrap_err()
        .to_string();
    assert!(error.contains("discrete dimensions come first"), "{error}");
}

proptest! {
    #[test]
    fn snapping_lands_in_range_and_is_idempotent(v in -20.0..20.0f64, lo in -5.0..0.0f64, w in 0.05..9.0f64) {
        let d = continuous(lo, lo + w);
        let s = d.snap(v);
        prop_assert!(LatentSpace::new(vec![d.clone()]).unwrap().validate(&[s]).is_ok());
        prop_assert_eq!(d.snap(s), s);
        let hundredths = s * 100.0;
        let at_an_end = s == lo || s == lo + w;
        prop_assert!(at_an_end || (hundredths - hundredths.round()).abs() < 1e-9);
    }

    #[test]
    fn a_step_leads_to_the_next_position_and_back(v in -20.0..20.0f64, lo in -5.0..0.0f64, w in 0.05..9.0f64) {
        let d = continuous(lo, lo + w);
        let here = d.snap(v);
        let (below, above) = (d.stepped(here, -1), d.stepped(here, 1));
        prop_assert!(here == lo || (below < here && d.stepped(below, 1) == here));
        prop_assert!(here == lo + w || (above > here && d.stepped(above, -1) == here));
    }
}
