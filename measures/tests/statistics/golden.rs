//! The numbers of `tests/golden/statistics.json` and `tails.json`.

use measures::statistics::anova::{one_way, repeated, welch};
use measures::statistics::correction::{Correction, adjust};
use measures::statistics::distribution::{f_sf, t_sf};
use measures::statistics::t_test::{Variances, independent, paired};
use measures::statistics::{Undefined, describe};
use serde_json::Value;

use super::{number, numbers, rows, same, within};

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/statistics.json")).unwrap()
}

#[test]
fn descriptions() {
    let golden = golden();
    for model in ["AE", "VAE", "GT"] {
        let found = describe(&numbers(&golden["data"][model])).unwrap();
        let expected = &golden["describe"][model];
        assert_eq!(found.n, 15);
        same(found.mean, &expected["mean"]);
        same(found.sd_population, &expected["sd_ddof0"]);
        same(found.sd_sample.unwrap(), &expected["sd_ddof1"]);
        same(found.median, &expected["median"]);
        same(found.quartile_1, &expected["q25"]);
        same(found.quartile_3, &expected["q75"]);
    }
}

#[test]
fn paired_t() {
    let golden = golden();
    for (a, b) in [("AE", "VAE"), ("AE", "GT"), ("VAE", "GT")] {
        let (x, y) = (numbers(&golden["data"][a]), numbers(&golden["data"][b]));
        let found = paired(&x, &y).unwrap();
        let expected = &golden["paired_t"][format!("{a}_{b}")];
        same(found.test.t, &expected["t"]);
        same(found.test.df, &expected["df"]);
        same(found.test.p.two_sided, &expected["p_two"]);
        same(found.test.p.less, &expected["p_less"]);
        same(found.test.p.greater, &expected["p_greater"]);
        same(found.test.difference, &expected["mean_diff"]);
        same(found.test.interval.low, &expected["ci95"][0]);
        same(found.test.interval.high, &expected["ci95"][1]);
        same(found.d_z.value, &expected["d_z"]);
        same(found.d_av.value, &expected["d_av"]);
    }
}

#[test]
fn independent_t() {
    let golden = golden();
    for case in ["AE_SS_equal_n", "unequal_n"] {
        let expected = &golden["independent_t"][case];
        let (x, y) = (numbers(&expected["x"]), numbers(&expected["y"]));
        for (key, variances) in [
            ("student", Variances::Pooled),
            ("welch", Variances::Separate),
        ] {
            let found = independent(&x, &y, variances).unwrap();
            same(found.test.t, &expected[key]["t"]);
            same(found.test.df, &expected[key]["df"]);
            same(found.test.p.two_sided, &expected[key]["p"]);
            same(found.test.interval.low, &expected[key]["ci95"][0]);
            same(found.test.interval.high, &expected[key]["ci95"][1]);
            if variances == Variances::Pooled {
                same(found.d.value, &expected["cohen_d_pooled"]);
                // pingouin corrects by the approximation 1 − 3 / (4 df − 1).
                within(found.g.unwrap().value, &expected["hedges_g"], 1e-3, 0.0);
            }
        }
    }
}

#[test]
fn one_way_anova() {
    let golden = golden();
    let groups: Vec<Vec<f64>> = ["AE", "VAE", "GT"]
        .map(|model| numbers(&golden["data"][model]))
        .into();
    let found = one_way(&groups).unwrap();
    let expected = &golden["anova_oneway"]["balanced"];
    same(found.test.f, &expected["F"]);
    same(found.test.p, &expected["p"]);
    same(found.test.df1, &expected["df1"]);
    same(found.test.df2, &expected["df2"]);
    same(found.squares_between, &expected["ss_between"]);
    same(found.squares_within, &expected["ss_within"]);
    same(found.test.partial_eta_squared.value, &expected["eta2"]);
    same(found.test.partial_omega_squared.value, &expected["omega2"]);

    let expected = &golden["anova_oneway"]["unbalanced"];
    let groups = rows(&expected["groups"]);
    let found = one_way(&groups).unwrap();
    same(found.test.f, &expected["F"]);
    same(found.test.p, &expected["p"]);
    let found = welch(&groups).unwrap();
    same(found.f, &expected["welch"]["F"]);
    same(found.df1, &expected["welch"]["ddof1"]);
    same(found.df2, &expected["welch"]["ddof2"]);
    same(found.p, &expected["welch"]["p_unc"]);
}

#[test]
fn repeated_measures_anova() {
    let golden = golden();
    let columns = ["AE", "VAE", "GT"].map(|model| numbers(&golden["data"][model]));
    let people: Vec<Vec<f64>> = (0..15)
        .map(|i| columns.iter().map(|c| c[i]).collect())
        .collect();
    let found = repeated(&people).unwrap();
    let expected = &golden["anova_rm"]["AE_VAE_GT"];
    same(found.test.f, &expected["F"]);
    same(found.test.df1, &expected["df1"]);
    same(found.test.df2, &expected["df2"]);
    same(found.test.p, &expected["p_uncorrected"]);
    same(found.epsilon.unwrap(), &expected["eps_gg"]);
    let manual = &expected["manual"];
    same(found.p_greenhouse_geisser.unwrap(), &manual["p_gg"]);
    same(found.squares_conditions, &manual["ss_cond"]);
    same(found.squares_people, &manual["ss_subj"]);
    same(found.squares_error, &manual["ss_err"]);
    same(
        found.test.partial_eta_squared.value,
        &manual["partial_eta2"],
    );

    let expected = &golden["anova_rm"]["k4_n8"];
    let found = repeated(&rows(&expected["matrix_subject_by_condition"])).unwrap();
    same(found.test.f, &expected["F"]);
    same(found.test.p, &expected["p_uncorrected"]);
    same(found.epsilon.unwrap(), &expected["eps_gg"]);
    let expected = &expected["pingouin"]["m"]["p_GG_corr"];
    same(found.p_greenhouse_geisser.unwrap(), expected);
}

#[test]
fn corrections() {
    let golden = &golden()["corrections"];
    let p: Vec<Option<f64>> = numbers(&golden["p"]).into_iter().map(Some).collect();
    for (key, correction) in [
        ("bonferroni", Correction::Bonferroni),
        ("holm", Correction::Holm),
        ("fdr_bh", Correction::Fdr),
    ] {
        // The order of a family does not matter.
        let backwards: Vec<Option<f64>> = p.iter().rev().copied().collect();
        let found = adjust(correction, &p);
        let mut again = adjust(correction, &backwards);
        again.reverse();
        assert_eq!(found, again);
        for (found, expected) in found.iter().zip(golden[key].as_array().unwrap()) {
            same(found.unwrap(), expected);
        }
    }
    let raw = golden["bonferroni_alpha_435"].as_f64().unwrap();
    same(raw * 435.0, &Value::from(0.05));
}

/// scipy gives 0, NaN or infinity here; what we say instead is that it is not defined.
#[test]
fn what_does_not_vary_is_undefined() {
    let edges = &golden()["edges"];
    assert_eq!(edges["rel_identical"][0], "nan");
    assert_eq!(edges["rel_const_shift"][0], "inf");
    let x = [0.1, 0.2, 0.4];
    assert_eq!(paired(&x, &x).err(), Some(Undefined::Constant));
    let shifted = [0.3, 0.4, 0.6];
    assert_eq!(paired(&x, &shifted).err(), Some(Undefined::Constant));
    let constant = independent(&[1.0; 3], &[2.0; 3], Variances::Separate);
    assert_eq!(constant.err(), Some(Undefined::Constant));
    for groups in [vec![vec![1.0; 3]; 3], vec![vec![1.0; 3], vec![2.0; 3]]] {
        assert_eq!(one_way(&groups).err(), Some(Undefined::Constant));
    }
    assert!(matches!(
        independent(&[1.0], &[2.0, 3.0], Variances::Pooled),
        Err(Undefined::TooFew { .. })
    ));
}

/// 50 digits of mpmath.
#[test]
fn tails() {
    let tails: Value = serde_json::from_str(include_str!("../golden/tails.json")).unwrap();
    for row in tails["t"].as_array().unwrap() {
        let found = t_sf(number(&row["t"]), number(&row["df"]));
        within(found, &row["sf_exact"], 1e-9, 0.0);
    }
    for row in tails["f"].as_array().unwrap() {
        let found = f_sf(number(&row["f"]), number(&row["d1"]), number(&row["d2"]));
        within(found, &row["sf_exact"], 1e-9, 0.0);
    }
}
