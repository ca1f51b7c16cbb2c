//! Everything that a row shows is of the test whose p stands in it.
//!
//! Expected numbers are R's (4.2.2; lme4 1.1, lmerTest 3.1, emmeans 1.8, ordinal 2022.11):
//! ```r
//! library(lme4); library(lmerTest); library(emmeans); library(ordinal)
//! d <- expand.grid(q=0:3, c=0:1, p=0:11)
//! d$y <- 20 + 3*d$c + ((d$p*37)%%11) + 2*((d$p*5+d$c*3)%%7) + ((d$p*31+d$c*17+d$q*13)%%19)/3
//! d$s <- as.integer(((d$p*7 + d$c*5 + d$q*3)%%10) < 5 + 2*d$c)
//! r <- expand.grid(c=0:1, p=0:11); r$r <- 1 + ((r$p*5 + r$c*2 + (r$p*r$p)%%3)%%6)
//! # between: d <- d[d$p%%2==d$c,]; r <- r[r$p%%2==r$c,]
//! d$c <- factor(d$c); d$p <- factor(d$p); d$pc <- interaction(d$p, d$c, drop=TRUE)
//! r$c <- factor(r$c); r$p <- factor(r$p)
//! of <- function(m) summary(pairs(emmeans(m, "c", lmer.df="satterthwaite")), infer=TRUE)
//! of(lmer(y ~ c + (1|p) + (1|pc), d)); of(glmer(s ~ c + (1|p) + (1|pc), d, binomial))
//! clmm(factor(r) ~ c + (1|p), data=r, gradTol=1e-6)
//! # between: of(lmer(y ~ c + (1|p), d)); of(glmer(s ~ c + (1|p), d, binomial)); clm(factor(r) ~ c, data=r)
//! a <- aggregate(y ~ p + c, d, mean); x <- a$y[a$c==0]; z <- a$y[a$c==1]
//! t.test(x, z, paired=TRUE); wilcox.test(round(x - z, 12), exact=FALSE) # ties are not rounding's
//! # between: t.test(x, z); t.test(x, z, var.equal=TRUE); wilcox.test(x, z, exact=FALSE)
//! # Wilson's intervals of rank-biserial correlations: r and as many observations as have its variance
//! wilson <- function(r, n) 2 * prop.test((1 + r) / 2 * n, n, correct=FALSE)$conf.int - 1
//! wilson(2 * 15 / 78 - 1, 3 * 12 * 13 / (2 * 25)) # between: wilson(2 * 17 / 36 - 1, 3 * 36 / 13)
//! # effect sizes, `root` by uniroot on pt(t, df, ncp): effectsize::hedges_g has the same to 1e-6
//! g <- function(t, df, unit) c(t, root(t, df, .975), root(t, df, .025)) * unit *
//!   exp(lgamma(df / 2) - log(sqrt(df / 2)) - lgamma((df - 1) / 2))
//! # units: 1 / sqrt(12); sqrt(1/6 + 1/6); t$stderr / sqrt((var(x) + var(z)) / 2)
//! # d: confint(pairs(emmeans(m, "c", lmer.df="satterthwaite"))) / sqrt(sum(as.data.frame(VarCorr(m))$vcov))
//! ```

use analysis::{Analysis, MetricComparison, Person, TestOfPair};

use super::made_up::{analysed, person, stage};

fn questions(p: usize, c: usize) -> super::made_up::Questions {
    (0..4)
        .map(|q| {
            let whole = 20 + 3 * c + (p * 37) % 11 + 2 * ((p * 5 + c * 3) % 7);
            let seconds = whole as f64 + ((p * 31 + c * 17 + q * 13) % 19) as f64 / 3.0;
            (seconds, (p * 7 + c * 5 + q * 3) % 10 < 5 + 2 * c, None)
        })
        .collect()
}

/// Twelve people, with both conditions or, between them, with one each in turn.
fn people(vary: &str) -> Vec<Person> {
    let of = |p: usize, c: usize| {
        let rating = (1 + (p * 5 + c * 2 + (p * p) % 3) % 6) as f64;
        stage(["one", "two"][c], questions(p, c), Some(rating))
    };
    (0..12)
        .map(|p| match vary {
            "within" => person(vec![of(p, 0), of(p, 1)]),
            _ => person(vec![of(p, p % 2)]),
        })
        .collect()
}

/// How conditions vary, test, metric, and what the test is; estimate, standard error, df, low, high, statistic
/// and p, those that there are; and how near R's they are, relative to the standard error or, for p and the
/// rest, to their size: what two optimisers of R differ by. Wilcoxon's estimate is 2 · 15 / 78 − 1, of the ranks;
/// the paired t-test of the rates has t(11) = −3.46, p = 0.0054.
const EXPECTED: &str = "\
within  t           response_time_s PairedT            -3.42361111111       2.09671104714  11.0          -8.03844101087  1.19121878866    -1.63284832012  0.130770281751   1e-9
within  rank        response_time_s Wilcoxon           -0.6153846153846154  -              -             -0.897679476891  0.0250486444605  15.0            0.06360450387504 1e-9
within  mixed_model response_time_s LinearMixedModel   -3.42361111111       2.09670617833  10.9998078326 -8.03844013098  1.19121790876    -1.6328521118   0.130769964041   1e-3
within  mixed_model completion_rate LogisticMixedModel -0.887303194932      0.429154973808 -             -1.72843148738  -0.0461749024819 -2.0675589218   0.0386815181796  1e-3
within  mixed_model difficulty      OrdinalMixedModel  -1.324253156489      0.920212753813 -             -3.127837012076 0.479330699098   -1.439072813328 0.150129893816   1e-2
between t           response_time_s StudentT           -1.59722222222       3.51783923755  10.0          -9.43545650245  6.241012058      -0.454035023879 0.659498587012   1e-9
between welch       response_time_s WelchT             -1.59722222222       3.51783923755  7.37106632509 -9.83144920003  6.63700475558    -0.454035023879 0.662871981679   1e-9
between rank        response_time_s MannWhitney        -0.05555555555555558 -              -             -0.599704778529  0.523726060895   17.0            0.936186293473   1e-9
between mixed_model response_time_s LinearMixedModel   -1.59722222222       3.51783937576  9.99999884196 -9.43545693344  6.24101248899    -0.454035006041 0.659498600523   1e-3
between mixed_model completion_rate LogisticMixedModel -0.887303194982      0.606916001006 -             -2.07683669859  0.30223030863    -1.4619868211   0.143744821338   1e-3
between mixed_model difficulty      OrdinalMixedModel  -0.724061922452      1.050102592996 -             -2.782225184797 1.334101339892   -0.689515412381 0.490498977665   1e-3";

/// The effect size of each test, and how near R's it is; odds ratios are checked against the estimates.
const EFFECTS: [(&str, &str, &str, [f64; 3], f64); 7] = [
    (
        "within",
        "PairedT",
        "g_z",
        [-0.438348374905, -0.985976443617, 0.126866460332],
        1e-7,
    ),
    (
        "within",
        "Wilcoxon",
        "r",
        [-0.615384615385, -0.897679476891, 0.0250486444605],
        1e-9,
    ),
    (
        "within",
        "LinearMixedModel",
        "d",
        [-0.615001911465, -1.443988784154, 0.213984961225],
        1e-4,
    ),
    (
        "between",
        "StudentT",
        "g",
        [-0.241885989923, -1.285376440224, 0.813410097651],
        1e-7,
    ),
    (
        "between",
        "WelchT",
        "g_av",
        [-0.234366752352, -1.245184205047, 0.791822660475],
        1e-7,
    ),
    (
        "between",
        "MannWhitney",
        "r",
        [-0.0555555555556, -0.599704778529, 0.523726060895],
        1e-9,
    ),
    (
        "between",
        "LinearMixedModel",
        "d",
        [-0.252949537593, -1.494278275798, 0.988379200612],
        1e-4,
    ),
];

struct Expected {
    vary: &'static str,
    test: &'static str,
    metric: &'static str,
    kind: &'static str,
    numbers: [Option<f64>; 7],
    within: f64,
}

fn all() -> impl Iterator<Item = Expected> {
    EXPECTED.lines().map(|line| {
        let cells: Vec<&str> = line.split_whitespace().collect();
        let [vary, test, metric, kind, numbers @ .., within] = &cells[..] else {
            panic!("{line}");
        };
        let numbers: Vec<Option<f64>> = numbers.iter().map(|cell| cell.parse().ok()).collect();
        Expected {
            vary,
            test,
            metric,
            kind,
            numbers: numbers.try_into().unwrap(),
            within: within.parse().unwrap(),
        }
    })
}

/// Estimate, standard error, df, low, high, statistic and p of a row of the text.
fn said(row: &str, kind: TestOfPair) -> [Option<f64>; 7] {
    let row = row.replace('−', "-");
    let mut cells = row
        .split("  ")
        .map(str::trim)
        .filter(|cell| !cell.is_empty());
    let mut next = || cells.next().unwrap().to_owned();
    let number = |text: &str| text.trim_start_matches("= ").parse::<f64>().ok();
    assert_eq!([next(), next()], ["one", "two"]);
    let (estimate, error, interval, test, p) = (next(), next(), next(), next(), next());
    let (low, high) = interval.split_once(" to ").unwrap_or_default();
    let (before, statistic) = test.split_once(" = ").unwrap();
    let df = before.strip_prefix(kind.symbol()).unwrap();
    let df = df.trim_matches(['(', ')']);
    [&estimate, &error, df, low, high, statistic, &p].map(number)
}

fn comparison(found: &Analysis) -> &MetricComparison {
    let mut planned = found.included.comparisons.iter().filter(|c| c.planned);
    planned.next().unwrap()
}

#[test]
fn every_number_of_a_row_is_the_declared_tests() {
    for expected in all() {
        let place = format!("{} {} {}", expected.vary, expected.test, expected.metric);
        let found = analysed(
            people(expected.vary),
            expected.vary,
            expected.test,
            expected.metric,
        );
        let comparison = comparison(&found);
        let pair = &comparison.pairs[0];
        let kind = pair.declared.test;
        assert_eq!(format!("{kind:?}"), expected.kind, "{place}");
        let result = *pair.declared.result.defined().unwrap();
        let estimate = pair.declared.estimate.defined().copied();
        let interval = result.interval;
        let numbers = [
            estimate,
            result.standard_error,
            result.df,
            Some(interval.low),
            Some(interval.high),
            Some(result.statistic),
            Some(result.p),
        ];
        for (index, (found, wanted)) in numbers.iter().zip(expected.numbers).enumerate() {
            let (Some(found), Some(wanted)) = (found, wanted) else {
                assert_eq!(*found, wanted, "{place}, number {index}");
                continue;
            };
            // Estimates and ends of intervals are known to a share of the standard error.
            let unit = match (index, expected.numbers[1]) {
                (0 | 3 | 4, Some(error)) => error,
                _ => wanted.abs(),
            };
            let off = (found - wanted).abs();
            assert!(
                off <= expected.within * unit,
                "{place}, number {index}: {found}, not {wanted}"
            );
        }

        // The same numbers in the text, the JSON, the tables and, there, in CSV.
        let text = found.to_text();
        let heads = text
            .lines()
            .find(|line| line.starts_with("First "))
            .unwrap();
        assert!(
            heads.contains(kind.name()) && heads.contains(kind.estimates()),
            "{place}: {heads}"
        );
        let row = text.lines().find(|line| line.starts_with("one ")).unwrap();
        for (said, number) in said(row, kind).iter().zip(numbers) {
            let (Some(said), Some(number)) = (said, number) else {
                assert_eq!(*said, number, "{place}: {row}");
                continue;
            };
            // As many digits as are shown.
            let off = (said - number).abs();
            assert!(
                off <= 0.006_f64.max(0.02 * number.abs()),
                "{place}: {said} in {row}"
            );
        }
        let json = serde_json::to_value(pair).unwrap();
        assert_eq!(json["declared"]["estimate"].as_f64(), estimate, "{place}");
        let of_result = &json["declared"]["result"];
        assert_eq!(of_result["p"].as_f64(), Some(result.p));
        assert_eq!(of_result["interval"]["low"].as_f64(), Some(interval.low));
        let effect = result.effect.unwrap();
        let size = effect.size;
        let sizes = [size.value, size.interval.low, size.interval.high];
        let known = EFFECTS
            .iter()
            .find(|(vary, known, ..)| *vary == expected.vary && *known == expected.kind);
        let (symbol, wanted, within) = match known {
            Some((_, _, symbol, wanted, within)) => (*symbol, *wanted, *within),
            None => (
                "OR",
                [estimate.unwrap(), interval.low, interval.high].map(f64::exp),
                1e-12,
            ),
        };
        assert_eq!(effect.measure.symbol(), symbol, "{place}");
        for (found, wanted) in sizes.iter().zip(wanted) {
            let off = (found - wanted).abs();
            assert!(off <= within, "{place}: {found}, not {wanted}");
        }
        assert_eq!(of_result["effect"]["value"].as_f64(), Some(size.value));
        let said = format!("{symbol} {}", analysis::numbers::number(size.value));
        assert!(row.contains(&said[..symbol.len() + 4]), "{place}: {row}");
        let tables = found.tables(&[]);
        let table = tables
            .iter()
            .find(|table| table.name == "pairs-both")
            .unwrap();
        let csv = table.to_csv();
        let mut lines = csv.lines();
        let heads: Vec<&str> = lines.next().unwrap().split(',').collect();
        let cells: Vec<&str> = lines.next().unwrap().split(',').collect();
        let cell = |head: &str| {
            let at = heads.iter().position(|found| *found == head).unwrap();
            cells[at].parse::<f64>().ok()
        };
        let columns = [
            "estimate",
            "standard_error",
            "df",
            "low",
            "high",
            "statistic",
            "pair_p",
        ];
        assert_eq!(columns.map(cell), numbers, "{place}: {csv}");
        let columns = ["effect_value", "effect_low", "effect_high"];
        assert_eq!(columns.map(cell), sizes.map(Some), "{place}: {csv}");
        assert!(csv.contains(&format!(",{symbol},")), "{place}: {csv}");
        assert!(
            table.caption.contains(effect.measure.name()),
            "{place}: {}",
            table.caption
        );
        let results = tables
            .iter()
            .find(|table| table.name == "results-both")
            .unwrap();
        let (markdown, csv) = (results.to_markdown(), results.to_csv());
        assert!(csv.contains(&result.p.to_string()), "{place}: {csv}");
        let all = match (expected.test, expected.vary) {
            ("t", _) => "ANOVA",
            ("welch", _) => "Welch",
            ("rank", "within") => "Friedman",
            ("rank", _) => "Kruskal–Wallis",
            _ => "Mixed model",
        };
        assert!(
            markdown.contains(&format!("| {all} |")),
            "{place}: {markdown}"
        );
    }
}

/// R, as above: `anova(lmer(...))` of the people within has F = 2.66621.
#[test]
fn the_test_of_all_conditions_goes_with_that_of_two() {
    let found = analysed(people("within"), "within", "mixed_model", "response_time_s");
    let tables = found.tables(&[]);
    let results = tables
        .iter()
        .find(|table| table.name == "results-both")
        .unwrap();
    let csv = results.to_csv();
    let head = csv.lines().next().unwrap();
    assert!(
        head.contains("mixed_model_statistic,mixed_model_df1,mixed_model_df2,mixed_model_p"),
        "{head}"
    );
    let at = head
        .split(',')
        .position(|head| head == "mixed_model_statistic")
        .unwrap();
    let f: f64 = csv
        .lines()
        .nth(1)
        .unwrap()
        .split(',')
        .nth(at)
        .unwrap()
        .parse()
        .unwrap();
    assert!((f - 2.666_21).abs() < 2.7e-3, "{f}");
    let methods = found.methods();
    assert!(
        methods.contains("contrasts of mixed models") && methods.contains("log odds ratios"),
        "{methods}"
    );
}

/// A person who met one condition alone is in the mixed model, and in no test of means.
#[test]
fn the_number_of_people_is_that_of_the_declared_test() {
    let mut people = people("within");
    people[0].stages.truncate(1);
    for (test, n, left_out) in [("t", 11, 1), ("mixed_model", 12, 0)] {
        let found = analysed(people.clone(), "within", test, "response_time_s");
        let comparison = comparison(&found);
        assert_eq!((comparison.n, comparison.left_out), (n, left_out), "{test}");
    }
}
