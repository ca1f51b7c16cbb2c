//! The app's own decoders, called in the browser through what the decoder module exports.

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};

use crate::browser::Browser;

/// Card and weights of `model`, and the decoder module.
const LOAD: &str = "
    const [model, sha256, vectors, runs] = args;
    const loader = await import(document.getElementById('decoder').href);
    const opened = await loader.open();
    const { module } = opened;
    const get = async path => {
      const answer = await fetch(`/api/bundles/${sha256}/${path}`);
      if (!answer.ok) throw new Error(`${model}/${path}: ${answer.status}`);
      return answer;
    };
    const card = await (await get('card.json')).text();
    const weights = new Uint8Array(
      JSON.parse(card).weights_sha256 ? await (await get('weights')).arrayBuffer() : 0);";

/// The name by which a shipped model is fetched: the hash of its bundle.
fn bundle_sha256(model: &str) -> Result<String> {
    let zoo = models::Zoo::shipped()?;
    let bundle = zoo
        .get(model)
        .with_context(|| format!("no model {model}"))?;
    Ok(bundle.fingerprint().to_owned())
}

/// Opens the app, whose page says where the decoder module is.
pub async fn open(browser: &Browser, address: &str) -> Result<()> {
    browser.goto(&format!("http://{address}/")).await?;
    browser.await_screen("home").await
}

/// g(z) of each vector, in the browser.
pub async fn decode(browser: &Browser, model: &str, zs: &[Vec<f64>]) -> Result<Vec<Vec<f64>>> {
    let script = format!(
        "{LOAD}
        return vectors.map(z => [...module.redial_decode(card, weights, new Float64Array(z))]);"
    );
    let found = browser
        .look_async(
            &script,
            vec![json!(model), json!(bundle_sha256(model)?), json!(zs)],
        )
        .await?;
    ensure!(found.is_array(), "{model}: {found}");
    Ok(serde_json::from_value(found)?)
}

/// g(z) of each vector of a graph, as the app gets it: on candle, from the module that is fetched for
/// it. Refuses a page that had that module before, or has not asked for it after. The model is named
/// by the hash of its bundle, too.
pub async fn decode_on_candle(
    browser: &Browser,
    model: &str,
    sha256: &str,
    zs: &[Vec<f64>],
) -> Result<Vec<Vec<f64>>> {
    let script = format!(
        "{LOAD}
        const asked = () => performance.getEntriesByType('resource')
          .filter(entry => entry.name.includes('decoder_candle')).length;
        const before = asked();
        const decoder = await opened.load(card, weights);
        if (before || !asked()) throw new Error(`candle: ${{before}} before, ${{asked()}} after`);
        return vectors.map(z => [...decoder.decode(new Float64Array(z))]);"
    );
    let arguments = vec![json!(model), json!(sha256), json!(zs)];
    let found = browser.look_async(&script, arguments).await?;
    ensure!(found.is_array(), "{model}: {found}");
    Ok(serde_json::from_value(found)?)
}

/// Milliseconds per decode, `runs` times over, in the browser; the module warms up by itself.
pub async fn time(
    browser: &Browser,
    model: &str,
    zs: &[Vec<f64>],
    runs: usize,
) -> Result<Vec<f64>> {
    let script = format!(
        "{LOAD}
        const batch = new Float64Array(vectors.flat());
        return [...module.redial_bench_decode(card, weights, batch, runs)];"
    );
    let arguments = vec![
        json!(model),
        json!(bundle_sha256(model)?),
        json!(zs),
        json!(runs),
    ];
    let found: Value = browser.look_async(&script, arguments).await?;
    serde_json::from_value(found).with_context(|| format!("times of {model}"))
}
