//! `scipy.json`.

use measures::statistics::anova::one_way;
use measures::statistics::bootstrap::{bca, mean, replicates};
use measures::statistics::contingency::{chi_squared, fisher};
use measures::statistics::distribution::{
    chi_squared_sf, noncentral_f_cdf, noncentral_t_cdf, normal_quantile, t_upper_quantile,
};
use measures::statistics::quantile;
use measures::statistics::rank::{friedman, kruskal_wallis, mann_whitney, wilcoxon};
use measures::statistics::t_test::{Variances, independent, paired};
use rand_chacha::ChaCha20Rng;
use rand_chacha::rand_core::SeedableRng;
use serde_json::Value;

use super::{column, data, number, numbers, rates, rows, same, within};

fn scipy() -> Value {
    serde_json::from_str(include_str!("scipy.json")).unwrap()
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().unwrap()
}

#[test]
fn tests_on_ranks() {
    let (scipy, data, rates) = (scipy(), data(), rates());
    let found = wilcoxon(&column(&rates, 0), &column(&rates, 1)).unwrap();
    let statistic = found.rank_sum_positive.min(found.rank_sum_negative);
    same(statistic, &scipy["wilcoxon"]["statistic"]);
    same(found.p, &scipy["wilcoxon"]["p"]);
    same(found.rank_biserial, &scipy["wilcoxon"]["rank_biserial"]);

    let found = friedman(&rates).unwrap();
    same(found.chi_squared, &scipy["friedman"]["statistic"]);
    same(found.p, &scipy["friedman"]["p"]);
    same(found.effect, &scipy["friedman"]["w"]);

    let groups = rows(&data["groups"]);
    let found = kruskal_wallis(&groups).unwrap();
    same(found.chi_squared, &scipy["kruskal"]["statistic"]);
    same(found.p, &scipy["kruskal"]["p"]);

    let found = mann_whitney(&groups[0], &groups[2]).unwrap();
    same(found.u, &scipy["mann_whitney"]["u"]);
    same(found.p, &scipy["mann_whitney"]["p"]);
}

#[test]
fn tests_of_counts() {
    let (scipy, data) = (scipy(), data());
    let table: Vec<Vec<usize>> = serde_json::from_value(data["retention"].clone()).unwrap();
    let found = chi_squared(&table).unwrap();
    let expected = &scipy["chi_squared"];
    same(found.chi_squared, &expected["statistic"]);
    same(found.p, &expected["p"]);
    same(found.df, &expected["df"]);
    same(found.smallest_expected, &expected["smallest_expected"]);
    same(found.cramers_v, &expected["cramers_v"]);
    let two: Vec<[usize; 2]> = serde_json::from_value(data["retention"].clone()).unwrap();
    same(fisher(&two[..2]).unwrap(), &scipy["fisher_2x2"]);
    same(
        fisher(&[[40, 2], [9, 30]]).unwrap(),
        &scipy["fisher_2x2_far"],
    );
}

#[test]
fn intervals_of_effect_sizes() {
    let (scipy, data, rates) = (scipy(), data(), rates());
    let found = paired(&column(&rates, 0), &column(&rates, 1)).unwrap();
    same(found.test.t, &scipy["paired"]["t"]);
    same(found.test.p.two_sided, &scipy["paired"]["p"]);
    within(
        found.d_z.interval.low,
        &scipy["paired"]["d_z"][0],
        1e-6,
        0.0,
    );
    within(
        found.d_z.interval.high,
        &scipy["paired"]["d_z"][1],
        1e-6,
        0.0,
    );

    let groups = rows(&data["groups"]);
    let found = independent(&groups[0], &groups[2], Variances::Pooled).unwrap();
    same(found.test.t, &scipy["independent"]["t"]);
    within(
        found.d.interval.low,
        &scipy["independent"]["d"][0],
        1e-6,
        0.0,
    );
    within(
        found.d.interval.high,
        &scipy["independent"]["d"][1],
        1e-6,
        0.0,
    );

    let found = one_way(&groups).unwrap().test;
    same(found.f, &scipy["one_way"]["f"]);
    same(found.p, &scipy["one_way"]["p"]);
    let interval = found.partial_eta_squared.interval;
    within(interval.low, &scipy["one_way"]["interval"][0], 1e-6, 0.0);
    within(interval.high, &scipy["one_way"]["interval"][1], 1e-6, 0.0);

    // F so small that no noncentrality leaves 95 % below it: the interval begins at 0.
    let small = one_way(&groups[..2]).unwrap().test;
    same(small.f, &scipy["one_way_small"]["f"]);
    assert_eq!(small.partial_eta_squared.interval.low, 0.0);
}

#[test]
fn distributions() {
    let scipy = scipy();
    let get = |row: &Value, key: &str| number(&row[key]);
    for row in list(&scipy, "noncentral_t") {
        let found = noncentral_t_cdf(get(row, "t"), get(row, "df"), get(row, "delta"));
        within(found, &row["cdf"], 1e-7, 0.0);
    }
    for row in list(&scipy, "noncentral_f") {
        let (d1, d2) = (get(row, "df1"), get(row, "df2"));
        let found = noncentral_f_cdf(get(row, "f"), d1, d2, get(row, "lambda"));
        within(found, &row["cdf"], 1e-9, 0.0);
    }
    for row in list(&scipy, "t_quantile") {
        same(
            t_upper_quantile(get(row, "tail"), get(row, "df")),
            &row["t"],
        );
    }
    for row in list(&scipy, "normal_quantile") {
        same(normal_quantile(get(row, "p")), &row["z"]);
    }
    for row in list(&scipy, "chi_squared_tail") {
        same(chi_squared_sf(get(row, "x"), get(row, "df")), &row["p"]);
    }
    let skewed = numbers(&data()["skewed"]);
    for (share, expected) in scipy["quantiles"].as_object().unwrap() {
        same(quantile(&skewed, share.parse().unwrap()).unwrap(), expected);
    }
}

#[test]
fn the_ends_of_a_bootstrap_interval_from_the_same_replicates() {
    let (scipy, skewed) = (scipy(), numbers(&data()["skewed"]));
    let stored = numbers(&scipy["bca"]["replicates"]);
    let found = bca(&skewed, mean, &stored, 0.95).unwrap();
    same(found.low, &scipy["bca"]["low"]);
    same(found.high, &scipy["bca"]["high"]);
}

/// With replicates of our own, the ends differ from scipy's by chance alone.
#[test]
fn a_bootstrap_is_seeded_and_agrees_with_scipys() {
    let (scipy, skewed) = (scipy(), numbers(&data()["skewed"]));
    let draw = || replicates(&skewed, mean, 9999, &mut ChaCha20Rng::seed_from_u64(3)).unwrap();
    let drawn = draw();
    assert_eq!(drawn, draw());
    let found = bca(&skewed, mean, &drawn, 0.95).unwrap();
    within(found.low, &scipy["bca_full"]["low"], 0.02, 0.0);
    within(found.high, &scipy["bca_full"]["high"], 0.02, 0.0);
}

/// Rates of ten questions, as tenths and as counts: sums of tenths differ by a bit with their
/// order, sums of counts do not. Both scales give the same interval, and scipy's of the counts
/// (`bootstrap` with 300,000 resamples, seed 9: 8.6 to 9.8), up to a step of a fifteenth.
#[test]
fn replicates_that_equal_the_estimate_up_to_rounding_do_so() {
    let counts = [
        6.0, 9.0, 9.0, 10.0, 10.0, 10.0, 9.0, 10.0, 10.0, 10.0, 10.0, 9.0, 10.0, 10.0, 10.0,
    ];
    let tenths = counts.map(|count| count / 10.0);
    let interval = |values: &[f64]| {
        let drawn = replicates(values, mean, 9999, &mut ChaCha20Rng::seed_from_u64(3)).unwrap();
        bca(values, mean, &drawn, 0.95).unwrap()
    };
    let (exact, rounded) = (interval(&counts), interval(&tenths));
    let same = |found: f64, expected: f64| {
        assert!((found - expected).abs() < 1e-9, "{found} is not {expected}");
    };
    same(rounded.low, exact.low / 10.0);
    same(rounded.high, exact.high / 10.0);
    assert!((exact.low - 8.6).abs() < 1.0 / 15.0 + 1e-9, "{exact:?}");
    assert!((exact.high - 9.8).abs() < 1.0 / 15.0 + 1e-9, "{exact:?}");
}
