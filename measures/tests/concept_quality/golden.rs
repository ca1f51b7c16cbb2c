//! Numbers of `../golden/concept_quality.json`; `../golden/concept_quality.py` computes each of them from its inputs
//! with numpy, scipy and scikit-learn.

use measures::array::Array;
use measures::concept_quality::auc::{auc, one_against_rest};
use measures::concept_quality::leakage::LEAKAGE;
use measures::concept_quality::niche::{correlations, niche_scores, niches};
use measures::concept_quality::niche_released::released_impurity;
use measures::concept_quality::oracle_impurity::{align, distance, independent, oracle_impurity};
use measures::disentanglement::infomec::explicitness::explicitness;
use measures::disentanglement::infomec::{INFOMEC, active};
use measures::inputs::{Inputs, Model, Need};
use measures::logistic::Design;
use measures::measure::Request;
use measures::monosemanticity::MONOSEMANTICITY;
use measures::split::Split;
use serde_json::Value;

/// What every number is held to.
const TOLERANCE: f64 = 1e-9;

fn golden() -> Value {
    serde_json::from_str(include_str!("../golden/concept_quality.json")).unwrap()
}

fn numbers(value: &Value) -> Vec<f64> {
    let numbers = value.as_array().unwrap().iter();
    numbers.map(|v| v.as_f64().unwrap_or(f64::NAN)).collect()
}

fn rows(value: &Value) -> Vec<Vec<f64>> {
    value.as_array().unwrap().iter().map(numbers).collect()
}

fn array(value: &Value) -> Array {
    Array::from_rows(&rows(value)).unwrap()
}

fn column(value: &Value) -> Array {
    let values = numbers(value);
    Array::new(vec![values.len()], values).unwrap()
}

fn truths(value: &Value) -> Vec<Vec<bool>> {
    let truths = |row: &Value| {
        row.as_array()
            .unwrap()
            .iter()
            .map(|v| v.as_bool().unwrap())
            .collect()
    };
    value.as_array().unwrap().iter().map(truths).collect()
}

/// For each label whether it holds of each row.
fn holds(labels: &Array) -> Vec<Vec<bool>> {
    let columns = labels.by_column();
    columns
        .iter()
        .map(|c| c.iter().map(|&v| v == 1.0).collect())
        .collect()
}

fn close(found: f64, expected: f64, what: &str) {
    assert!(
        (found - expected).abs() <= TOLERANCE,
        "{what}: {found}, not {expected}"
    );
}

fn all_close(found: &[Option<f64>], expected: &[f64], what: &str) {
    assert_eq!(found.len(), expected.len(), "{what}");
    for (found, expected) in found.iter().zip(expected) {
        close(found.unwrap(), *expected, what);
    }
}

#[test]
fn auc_agrees_with_scikit_learn() {
    let case = &golden()["auc"];
    let positive: Vec<bool> = numbers(&case["y"]).iter().map(|&y| y == 1.0).collect();
    let found = auc(&numbers(&case["score"]), &positive).unwrap();
    close(found, case["auc"].as_f64().unwrap(), "AUC");
    assert_eq!(auc(&[1.0; 8], &positive), case["constant_score"].as_f64());
    assert_eq!(
        auc(&[1.0, 2.0], &[true, true]),
        None,
        "a single class has no AUC"
    );
    assert_eq!(auc(&[], &[]), None);
    let classes =
        |case: &Value| -> Vec<usize> { numbers(case).iter().map(|&y| y as usize).collect() };
    let found = one_against_rest(&array(&case["p3"]).by_column(), &classes(&case["y3"]));
    close(
        found.unwrap(),
        case["ovr_macro"].as_f64().unwrap(),
        "one against rest",
    );
    // python3 -c "roc_auc_score(y3, p3, multi_class='ovr', average='weighted')": each class by its share of the rows.
    // multi_class='ovo', average='macro': each two classes by themselves, by the score of either.
    let (scores, of) = (array(&case["p3"]).by_column(), classes(&case["y3"]));
    let against = |class: usize, rows: &dyn Fn(usize) -> bool| {
        let rows: Vec<usize> = (0..of.len()).filter(|&row| rows(of[row])).collect();
        let scores: Vec<f64> = rows.iter().map(|&row| scores[class][row]).collect();
        let positive: Vec<bool> = rows.iter().map(|&row| of[row] == class).collect();
        auc(&scores, &positive).unwrap()
    };
    let share =
        |class: usize| of.iter().filter(|&&it| it == class).count() as f64 / of.len() as f64;
    let weighted = (0..3).map(|class| share(class) * against(class, &|_| true));
    let expected = case["ovr_weighted"].as_f64().unwrap();
    close(weighted.sum(), expected, "one against rest, weighted");
    let pairs = [(0, 1), (0, 2), (1, 2)].map(|(a, b)| {
        let both = |class: usize| class == a || class == b;
        (against(a, &both) + against(b, &both)) / 2.0
    });
    let expected = case["ovo_macro"].as_f64().unwrap();
    close(pairs.iter().sum::<f64>() / 3.0, expected, "one against one");
    let case = &golden()["auc_absent_label"];
    let scores = array(&case["p"]).by_column();
    let classes = classes(&case["y"]);
    let expected = case["mean_over_present"].as_f64().unwrap();
    close(
        one_against_rest(&scores, &classes).unwrap(),
        expected,
        "an absent label",
    );
    for (class, expected) in numbers(&case["per_label"]).into_iter().enumerate() {
        let positive: Vec<bool> = classes.iter().map(|&c| c == class).collect();
        match auc(&scores[class], &positive) {
            Some(found) => close(found, expected, "one label"),
            None => assert!(expected.is_nan()),
        }
    }
}

#[test]
fn oracle_impurity_agrees_with_numpy() {
    let case = &golden()["ois"];
    let (mut purity, oracle) = (rows(&case["purity"]), rows(&case["oracle"]));
    let wanted = |key: &str| case[key].as_f64().unwrap();
    close(oracle_impurity(&purity, &oracle), wanted("ois"), "OIS");
    let found = oracle_impurity(&purity, &independent(3));
    close(found, wanted("non_oracle"), "non-oracle");
    (0..3).for_each(|i| purity[i][i] = oracle[i][i]);
    close(
        oracle_impurity(&purity, &oracle),
        wanted("no_diag"),
        "off the diagonal",
    );
    let aligned = &case["align"];
    let purity = rows(&aligned["purity_4x3"]);
    let codes = align(&purity);
    let expected = numbers(&aligned["alignment_col_to_row"]);
    assert_eq!(
        codes.iter().map(|&c| c as f64).collect::<Vec<_>>(),
        expected
    );
    let purity: Vec<Vec<f64>> = codes.iter().map(|&code| purity[code].clone()).collect();
    assert_eq!(purity, rows(&aligned["aligned"]));
    let expected = aligned["spec_score"].as_f64().unwrap();
    close(oracle_impurity(&purity, &oracle), expected, "aligned");
    let expected = aligned["released_score_unnormalised"].as_f64().unwrap();
    close(distance(&purity, &oracle), expected, "as released");
    for case in [&case["worst"], &golden()["ois_above_one"]] {
        let found = oracle_impurity(&rows(&case["purity"]), &rows(&case["oracle"]));
        close(
            found,
            case["ois"].as_f64().unwrap(),
            "at and above the bound",
        );
    }
}

/// 1 / (1 + e^−(x W + b)), W by code, entry and label.
struct Linear {
    /// A row for each number of a code's row.
    weights: Vec<Vec<f64>>,
    biases: Vec<f64>,
}

impl Model for Linear {
    fn outputs(&self, inputs: &Array) -> Array {
        let width = self.biases.len();
        let values = (0..inputs.rows()).flat_map(|row| {
            (0..width).map(move |label| {
                let products = inputs.row(row).iter().zip(&self.weights);
                let z = products.fold(self.biases[label], |z, (x, w)| z + x * w[label]);
                1.0 / (1.0 + (-z).exp())
            })
        });
        Array::new(vec![inputs.rows(), width], values.collect()).unwrap()
    }
}

fn linear(case: &Value) -> Linear {
    Linear {
        weights: rows(&case["W"]),
        biases: numbers(&case["b"]),
    }
}

fn mean(values: &[Option<f64>]) -> f64 {
    values.iter().map(|v| v.unwrap()).sum::<f64>() / values.len() as f64
}

#[test]
fn niches_agree_with_numpy_and_scikit_learn() {
    let case = &golden()["niche"];
    let (codes, labels) = (array(&case["c"]), array(&case["y"]));
    let model = linear(case);
    let found = correlations(&codes, &model.outputs(&codes).by_column());
    for (found, expected) in found.iter().zip(rows(&case["abs_corr_concept_vs_output"])) {
        all_close(found, &expected, "correlation");
    }
    let at = |beta: f64| {
        let niches = niches(&found, beta);
        let scores = niche_scores(&model, &codes, &holds(&labels), &niches);
        (niches, scores)
    };
    for (beta, wanted) in [
        (0.2, case),
        (0.95, &case["beta095"]),
        (1.0, &case["empty_niche"]),
    ] {
        let (niches, scores) = at(beta);
        if beta < 1.0 {
            assert_eq!(niches, truths(&wanted["niche"]), "β = {beta}");
        }
        all_close(&scores.purity, &numbers(&wanted["NPS_per_label"]), "NPS");
        all_close(&scores.impurity, &numbers(&wanted["NIS_per_label"]), "NIS");
    }
    let (_, scores) = at(0.2);
    close(mean(&scores.purity), case["NPS"].as_f64().unwrap(), "NPS");
    close(mean(&scores.impurity), case["NIS"].as_f64().unwrap(), "NIS");
    assert_eq!(
        at(1.0).1.purity,
        [Some(0.5); 3],
        "an empty niche scores exactly ½"
    );
    let curves = &golden()["niche_curves"];
    let betas = numbers(&curves["beta"]);
    let [nps, nis, sizes] = ["NPS", "NIS", "size"].map(|key| numbers(&curves[key]));
    for (step, &beta) in betas.iter().enumerate() {
        assert_eq!(beta, step as f64 * 0.05, "the β of the measure's curve");
        let (_, scores) = at(beta);
        close(mean(&scores.purity), nps[step], "NPS over β");
        close(mean(&scores.impurity), nis[step], "NIS over β");
        let size = scores.sizes.iter().sum::<usize>() as f64 / 3.0;
        close(size, sizes[step], "size over β");
    }
}

#[test]
fn released_niche_scores_agree_with_numpy_and_scikit_learn() {
    let golden = golden();
    let case = &golden["niche"];
    let (codes, labels) = (array(&case["c"]), array(&case["y"]));
    let found = correlations(&codes, &labels.by_column());
    let signed = rows(&case["released"]["corr_concept_vs_truth"]);
    for (found, expected) in found.iter().zip(&signed) {
        let absolute: Vec<f64> = expected.iter().map(|v| v.abs()).collect();
        all_close(found, &absolute, "correlation with the truth");
    }
    assert_eq!(niches(&found, 0.2), truths(&case["released"]["niche"]));
    let released =
        |softmax| released_impurity(&linear(case), &codes, &holds(&labels), &found, softmax);
    let later = released(false);
    let expected = numbers(&case["released"]["nis_curve_beta_0_to_095"]);
    all_close(&later.curve, &expected, "curve of cem");
    let expected = case["released"]["niche_impurity_score_trapezoid"].as_f64();
    close(later.score.unwrap(), expected.unwrap(), "score of cem");
    let first = released(true);
    let case = &golden["nis_released_concept_quality"];
    all_close(
        &first.curve,
        &numbers(&case["curve"]),
        "curve of concept-quality",
    );
    let expected = case["trapezoid"].as_f64().unwrap();
    close(first.score.unwrap(), expected, "score of concept-quality");
}

#[test]
fn a_constant_code_is_in_no_niche() {
    let case = &golden()["niche"];
    let mut values = array(&case["c"]);
    let rest: Vec<Vec<f64>> = (0..values.rows())
        .map(|row| vec![values.at(row, 0)[0], values.at(row, 1)[0], 0.5])
        .collect();
    values = Array::from_rows(&rest).unwrap();
    let found = correlations(&values, &array(&case["y"]).by_column());
    assert_eq!(found[2], [None; 3]);
    let constant = &case["constant_column"];
    for (found, expected) in found.iter().zip(rows(&constant["corr"])).take(2) {
        let absolute: Vec<f64> = expected.iter().map(|v| v.abs()).collect();
        all_close(found, &absolute, "correlation beside a constant");
    }
    assert_eq!(niches(&found, 0.2), truths(&constant["niche"]));
}

#[test]
fn codes_of_several_entries_agree_with_numpy() {
    let golden = golden();
    let case = &golden["niche_multi"];
    // numpy has entries before codes, a row here codes before entries.
    let by_entry: Vec<Vec<Vec<f64>>> = case["c_ndk"].as_array().unwrap().iter().map(rows).collect();
    let (d, k) = (by_entry[0].len(), by_entry[0][0].len());
    let values = by_entry.iter().flat_map(|entries| {
        (0..k).flat_map(move |code| entries.iter().map(move |entry| entry[code]))
    });
    let codes = Array::new(vec![by_entry.len(), k, d], values.collect()).unwrap();
    let by_entry: Vec<Vec<Vec<f64>>> = case["W_dkl"].as_array().unwrap().iter().map(rows).collect();
    let model = Linear {
        weights: (0..k)
            .flat_map(|code| by_entry.iter().map(move |entry| entry[code].clone()))
            .collect(),
        biases: numbers(&case["b"]),
    };
    let labels = holds(&array(&case["y"]));
    let found = correlations(&codes, &model.outputs(&codes).by_column());
    for (found, expected) in found.iter().zip(rows(&case["abs_corr_max_over_d"])) {
        all_close(found, &expected, "largest correlation over entries");
    }
    for beta in [0.2, 0.5] {
        let wanted = &golden[&format!("niche_multi_beta{beta}")];
        let niches = niches(&found, beta);
        assert_eq!(niches, truths(&wanted["niche"]));
        let scores = niche_scores(&model, &codes, &labels, &niches);
        all_close(&scores.purity, &numbers(&wanted["NPS_per_label"]), "NPS");
        all_close(&scores.impurity, &numbers(&wanted["NIS_per_label"]), "NIS");
    }
}

#[test]
fn infomec_agrees_with_scikit_learn() {
    let case = &golden()["infomec"];
    let (codes, labels) = (array(&case["latents"]), array(&case["sources"]));
    let inputs = Inputs::default()
        .with(Need::Codes, codes.clone())
        .with(Need::Labels, labels.clone());
    let outcome = INFOMEC.run(&inputs, &Request::default()).unwrap();
    let latents = codes.by_column();
    let active = active(&latents);
    let expected: Vec<bool> = case["active"]
        .as_array()
        .unwrap()
        .iter()
        .map(|v| v.as_bool().unwrap())
        .collect();
    assert_eq!(active, expected);
    for (found, expected) in outcome.tables[0]
        .rows
        .iter()
        .zip(rows(&case["nmi_ksg_k10_no_noise"]))
    {
        // The example has 0 for a latent that is left out.
        for ((found, expected), _) in found
            .iter()
            .zip(expected)
            .zip(&active)
            .filter(|(_, active)| **active)
        {
            close(found.unwrap(), expected, "NMI");
        }
    }
    let wanted = |key: &str| case[key].as_f64().unwrap();
    close(outcome.value("infom").unwrap(), wanted("InfoM"), "InfoM");
    close(outcome.value("infoc").unwrap(), wanted("InfoC"), "InfoC");
    // scikit-learn's own minimum is right to about this.
    let all: Vec<usize> = (0..codes.rows()).collect();
    let split = Split {
        train: all.clone(),
        test: all,
    };
    let design = Design::new(&codes, &split.train);
    let mut sum = 0.0;
    for (source, expected) in labels
        .by_column()
        .iter()
        .zip(numbers(&case["InfoE_per_source"]))
    {
        let found = explicitness(&codes, &design, source, &split);
        assert!(found.settled);
        let value = found.value.unwrap();
        assert!((value - expected).abs() < 1e-7, "{value}, not {expected}");
        sum += value;
    }
    assert!((sum / 2.0 - wanted("InfoE")).abs() < 1e-7);
}

#[test]
fn leakage_agrees_with_scikit_learn() {
    let case = &golden()["leakage"];
    let inputs = Inputs::default()
        .with(Need::Codes, array(&case["c_hat"]))
        .with(Need::Labels, array(&case["c_true"]))
        .with(Need::Task, column(&case["y"]));
    let outcome = LEAKAGE.run(&inputs, &Request::default()).unwrap();
    let wanted = |key: &str| case[key].as_f64().unwrap();
    close(outcome.value("ctl").unwrap(), wanted("CTL"), "CTL");
    close(outcome.value("icl").unwrap(), wanted("ICL"), "ICL");
    let of_concepts = outcome
        .values
        .iter()
        .filter(|v| v.score.name == "ctl" && v.of.is_some());
    let of_concepts: Vec<Option<f64>> = of_concepts.map(|v| v.value).collect();
    all_close(
        &of_concepts,
        &numbers(&case["CTL_per_concept"]),
        "CTL of a concept",
    );
    for (i, expected) in rows(&case["ICL_matrix"]).iter().enumerate() {
        for (j, &expected) in expected.iter().enumerate() {
            match outcome.tables[0].rows[i][j] {
                Some(found) => close(found, expected, "ICL of a pair"),
                None => assert_eq!(i, j),
            }
        }
    }
}

/// numpy 2.4.6 and scikit-learn 1.9.1, `case` being `leakage` of the golden file:
///
/// ```python
/// from sklearn.feature_selection._mutual_info import _compute_mi_cc as cc, _compute_mi_cd as cd
/// from sklearn.metrics import mutual_info_score as mi
/// c, y, hat, bins = (np.array(case[k]) for k in ("c_true", "y", "c_hat", "codes"))
/// hat = np.sqrt(hat)  # so that no two distances are the same but for rounding
/// H = [mi(v, v) for v in bins.T]
/// print(np.mean([max(0, (cd(hat[:, i], y, 5) - mi(c[:, i], y)) / mi(y, y)) for i in range(3)]))
/// said = lambda i, j: cc(hat[:, i], hat[:, j], 5) / np.sqrt(H[i] * H[j])
/// true = lambda i, j: mi(c[:, i], c[:, j]) / np.sqrt(mi(c[:, i], c[:, i]) * mi(c[:, j], c[:, j]))
/// print(np.mean([max(0, said(i, j) - true(i, j)) for i, j in ((0, 1), (0, 2), (1, 2))]))
/// ```
#[test]
fn leakage_from_neighbours_agrees_with_scikit_learn() {
    let case = &golden()["leakage"];
    let codes = array(&case["c_hat"]);
    let roots = codes.values().iter().map(|v| v.sqrt()).collect();
    let inputs = Inputs::default()
        .with(
            Need::Codes,
            Array::new(codes.shape().to_vec(), roots).unwrap(),
        )
        .with(Need::Labels, array(&case["c_true"]))
        .with(Need::Task, column(&case["y"]));
    let request = Request {
        estimator: Some("ksg".to_owned()),
        parameters: vec![("neighbours".to_owned(), 5.0)],
        ..Request::default()
    };
    let outcome = LEAKAGE.run(&inputs, &request).unwrap();
    close(outcome.value("ctl").unwrap(), 0.14096012664909277, "CTL");
    close(outcome.value("icl").unwrap(), 0.05464097070510745, "ICL");
}

#[test]
fn monosemanticity_agrees_with_the_sum_over_pairs() {
    let case = &golden()["monosemanticity"];
    let inputs = Inputs::default()
        .with(Need::Codes, array(&case["activations"]))
        .with(Need::Embeddings, array(&case["embeddings_unit"]));
    let outcome = MONOSEMANTICITY.run(&inputs, &Request::default()).unwrap();
    for key in ["pairwise", "single_pass"] {
        let found: Vec<Option<f64>> = outcome.values[1..].iter().map(|v| v.value).collect();
        all_close(&found, &numbers(&case[key]), key);
    }
}
