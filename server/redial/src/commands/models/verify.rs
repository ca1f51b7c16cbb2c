//! `redial models verify`.

use anyhow::{bail, ensure};
use clap::Args;
use models::Zoo;
use models::zoo::NamedBundle;

use crate::config::Config;
use crate::output;

mod checks;

/// `redial models verify …`
#[derive(Debug, Clone, Args)]
pub struct VerifyModelsArgs {
    /// The models; without a name, all of them
    names: Vec<String>,
}

/// Runs `redial models verify`: reads bundles anew and looks for what is wrong.
/// Loading compares the weights' SHA-256, the tensors and the latent space with the card.
///
/// # Errors
/// When there is no such model, or a bundle is not as it should be, after one line for each has been printed.
pub fn verify(config: &Config, args: &VerifyModelsArgs) -> anyhow::Result<()> {
    let mut found = Zoo::each_shipped();
    if let Some(folder) = config.models.as_deref() {
        // A folder's bundle takes the place of a shipped one, but both are verified.
        found.extend(Zoo::each(folder)?);
    }
    if !args.names.is_empty() {
        let is_known = |name: &&String| found.iter().any(|(known, _)| known == *name);
        if let Some(unknown) = args.names.iter().find(|name| !is_known(name)) {
            bail!("there is no model '{unknown}'; `redial models list` names them all");
        }
        found.retain(|(name, _)| args.names.contains(name));
    }
    let width = found.iter().map(|(name, _)| name.len()).max().unwrap_or(0);
    let mut bad = Vec::new();
    for bundle in &found {
        let (name, _) = bundle;
        let line = match judge(bundle) {
            Ok(seen) => format!("{name:<width$}  good  {seen}\n"),
            Err(problems) => {
                bad.push(name.as_str());
                format!("{name:<width$}  BAD   {}\n", problems.join("; "))
            }
        };
        output::print(&line)?;
    }
    ensure!(
        bad.is_empty(),
        "{} of {} models are not as they should be: {}",
        bad.len(),
        found.len(),
        bad.join(", ")
    );
    Ok(())
}

/// What was looked at, or all that is wrong.
fn judge((_, bundle): &NamedBundle) -> Result<String, Vec<String>> {
    let bundle = bundle.as_ref().map_err(|error| vec![error.to_string()])?;
    let mut problems = Vec::new();
    let mut seen = Vec::new();
    for check in checks::ALL {
        match check(bundle) {
            Ok(Some(words)) => seen.push(words),
            Ok(None) => {}
            Err(problem) => problems.push(problem),
        }
    }
    if problems.is_empty() {
        Ok(seen.join(", "))
    } else {
        Err(problems)
    }
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use models::Bundle;
    use serde_json::{Value, json};

    use super::*;

    /// What is said about a shipped bundle whose card was edited.
    fn judged(name: &str, edit: impl Fn(&mut Value)) -> Result<String, String> {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../models/zoo")
            .join(name);
        let file = |file: &str| std::fs::read(folder.join(file)).ok();
        let mut card: Value = serde_json::from_slice(&file("card.json").unwrap()).unwrap();
        edit(&mut card);
        let bundle = Bundle::from_bytes(
            &serde_json::to_vec(&card).unwrap(),
            file("weights.safetensors").as_deref(),
            file("held_out.safetensors").as_deref(),
        );
        judge(&(name.to_owned(), bundle.map_err(Box::new))).map_err(|all| all.join("; "))
    }

    fn said_of_sinelines(field: &str, value: &Value) -> String {
        let found = judged("sinelines-ae5", |card| card[field] = value.clone());
        found.unwrap_or_else(|problem| format!("BAD {problem}"))
    }

    #[test]
    fn what_ships_is_good() {
        for (name, bundle) in Zoo::each_shipped() {
            let seen = judge(&(name.clone(), bundle)).unwrap();
            assert!(seen.contains("latents decode to"), "{name}: {seen}");
        }
    }

    #[test]
    fn weights_of_another_hash_are_named() {
        let found = judged("sinelines-ae5", |card| {
            card["weights_sha256"] = json!("0".repeat(64));
        });
        assert!(found.unwrap_err().contains("SHA-256"));
    }

    #[test]
    fn pictures_outside_their_range_are_named() {
        // A curve is no picture: it leaves [0, 1] where it should.
        let found = judged("sinelines-ae5", |card| {
            card["shape"] = json!({"kind": "image", "height": 8, "width": 8, "channels": 1});
        });
        assert!(found.unwrap_err().contains("outside [0, 1]"));
    }

    #[test]
    fn percentiles_must_fit_the_latents() {
        let wide = json!({"p1": -9.0, "p5": -8.0, "p48": 0.0, "p52": 0.1, "p95": 8.0, "p99": 9.0});
        let no = |value: Value| said_of_sinelines("percentiles", &value);
        assert!(no(json!([wide])).contains("of 1 dimensions, not 5"));
        assert!(no(json!([null, wide, wide, wide, wide])).contains("dial 1 has no"));
        assert!(no(json!([wide, wide, wide, wide, wide])).contains("dial 1: percentile 1"));
        let mut falling = wide.clone();
        falling["p99"] = json!(-10.0);
        assert!(no(json!([falling, wide, wide, wide, wide])).contains("do not ascend"));
    }

    #[test]
    fn percentiles_taken_from_the_latents_fit() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../models/zoo/sinelines-ae5");
        let held_out = Bundle::read(&folder).unwrap().held_out().to_vec();
        let of = |dial: usize, percent: f64| {
            let mut column: Vec<f64> = held_out.iter().map(|z| z[dial]).collect();
            column.sort_by(f64::total_cmp);
            column[(percent / 100.0 * (column.len() - 1) as f64) as usize]
        };
        let all: Vec<Value> = (0..5)
            .map(|dial| {
                let p = |percent| of(dial, percent);
                json!({"p1": p(1.0), "p5": p(5.0), "p48": p(48.0), "p52": p(52.0), "p95": p(95.0), "p99": p(99.0)})
            })
            .collect();
        let seen = said_of_sinelines("percentiles", &json!(all));
        assert!(seen.contains("percentiles fit"), "{seen}");
    }

    /// The shipped card says truly how its tensors are stored; each edit makes it lie.
    #[test]
    fn storage_must_be_what_the_file_holds() {
        let no = |edit: &dyn Fn(&mut Value)| {
            judged("sinelines-ae5", |card| edit(&mut card["storage"])).unwrap_err()
        };
        // A bias, which is always f32.
        let wrong = no(&|storage| storage["tensors"]["decoder.dense1.bias"] = json!("f16"));
        assert!(
            wrong.contains("decoder.dense1.bias is f32, the card says f16"),
            "{wrong}"
        );
        let extra = no(&|storage| storage["tensors"]["nobody"] = json!("f16"));
        assert!(extra.contains("no tensor nobody"), "{extra}");
        let dear = no(&|storage| storage["mean_distance_change"] = json!(0.5));
        assert!(dear.contains("not admissible"), "{dear}");
        let untold = no(&|storage| *storage = Value::Null);
        assert!(untold.contains("the card says f32"), "{untold}");
    }

    #[test]
    fn a_matrix_must_fit_the_model() {
        let matrix = |bits: f64, dci: f64| {
            json!({"instances": 9, "factors": ["a"], "factor_entropies": [2.0],
                "mutual_information": [[bits, 0.0, 0.0, 0.0, 0.0]], "dci": dci,
                "dci_as_published": 0.5})
        };
        let said = |value: Value| said_of_sinelines("disentanglement", &value);
        assert!(said(matrix(1.0, 0.5)).contains("disentanglement fits"));
        assert!(said(matrix(2.5, 0.5)).contains("2.5 bits about a factor of 2 bits"));
        assert!(said(matrix(1.0, 1.5)).contains("1.5 is not in [0, 1]"));
        let mut short = matrix(1.0, 0.5);
        short["mutual_information"] = json!([[1.0]]);
        assert!(said(short).contains("not a matrix of 1 factors and 5 dials"));
    }
}
