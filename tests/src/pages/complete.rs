//! The last page.

use anyhow::{Context, Result};
use domain::session::event::QuestionRef;
use serde_json::{Value, json};

use crate::browser::Browser;

/// Completion code and what was recorded.
pub struct Complete<'b>(pub &'b Browser);

/// One row of what was recorded, as the page has it.
#[derive(Debug, Clone, PartialEq)]
pub struct RecordedQuestion {
    /// Which question.
    pub at: QuestionRef,
    /// How it ended: `solved`, `skipped` and so on.
    pub outcome: String,
    /// Response time in seconds.
    pub response_time_s: f64,
    /// Active time in seconds.
    pub active_time_s: f64,
    /// Slide distance in slider widths, where dials are moved.
    pub slide_distance: Option<f64>,
    /// Error AUC, undivided, where there is a target.
    pub error_auc: Option<f64>,
}

impl Complete<'_> {
    /// The completion code, once it is there.
    pub async fn code(&self) -> Result<String> {
        let element = self.0.element("completion-code").await?;
        Ok(element.text().await?)
    }

    /// Opens what was recorded and reads it.
    ///
    /// # Errors
    /// When it is not there, or no number where one should be.
    pub async fn records(&self) -> Result<Vec<RecordedQuestion>> {
        let open =
            "return document.querySelector('details.records, details:has([data-record])')?.open";
        if self.0.look(open, vec![]).await? == json!(false) {
            self.0
                .click_css("details:has([data-record]) > summary")
                .await?;
        }
        let script =
            "return [...document.querySelectorAll('[data-record]')].map(r => ({...r.dataset}))";
        let rows = self.0.look(script, vec![]).await?;
        rows.as_array()
            .context("rows were expected")?
            .iter()
            .map(row)
            .collect()
    }
}

fn row(data: &Value) -> Result<RecordedQuestion> {
    let text = |key: &str| {
        data[key]
            .as_str()
            .with_context(|| format!("no {key} in {data}"))
    };
    let float = |key: &str| anyhow::Ok(text(key)?.parse::<f64>()?);
    let index = |key: &str| anyhow::Ok(text(key)?.parse::<usize>()?);
    Ok(RecordedQuestion {
        at: QuestionRef::new(index("stage")?, index("question")?),
        outcome: text("outcome")?.to_owned(),
        response_time_s: float("responseTimeS")?,
        active_time_s: float("activeTimeS")?,
        slide_distance: data["slideDistance"].as_str().map(str::parse).transpose()?,
        error_auc: data["errorAuc"].as_str().map(str::parse).transpose()?,
    })
}
