//! Measuring a model on held-out rows.

use anyhow::Result;
use candle_core::Tensor;
use models::card::{HeldOut, HeldOutLatents};

use crate::data::Rows;
use crate::model::Trained;
use crate::recipe::Objective;
use crate::run::{EVALUATION_STREAM, Run, stream};

/// Rows measured at a time.
const CHUNK: usize = 250;

/// What was found out about a model that encodes.
pub struct MeasuredModel {
    /// How well it reconstructs.
    pub held_out: HeldOut,
    /// The latent vector of each row, or the mean of its distribution; the continuous
    /// dimensions alone.
    pub latents: Vec<Vec<f32>>,
    /// The factors of each row; empty vectors where there are none.
    pub factors: Vec<Vec<f64>>,
}

/// Encodes and decodes `rows`.
///
/// # Errors
/// When a tensor cannot be computed.
pub fn measure(run: &Run, trained: &Trained, rows: &[u32]) -> Result<MeasuredModel> {
    let mut rng = stream(run.schedule.seed, EVALUATION_STREAM);
    let (mut of_draws, mut of_means) = (0.0, 0.0);
    let (mut latents, mut factors) = (Vec::new(), Vec::new());
    for chunk in rows.chunks(CHUNK) {
        let batch = Rows::of(&*run.task.dataset, chunk);
        let encoding = trained.encode(&batch)?;
        of_means += squared_errors(run, trained, &encoding.mean, &batch)?;
        if encoding.log_variance.is_some() {
            of_draws += squared_errors(run, trained, &encoding.draw(&mut rng)?, &batch)?;
        }
        latents.extend(encoding.mean.to_vec2()?);
        factors.extend(
            chunk
                .iter()
                .map(|&row| run.task.dataset.factors(row as usize)),
        );
    }
    let mean = |sum: f64| sum / rows.len() as f64;
    let draws = run.model.objective.is_variational();
    let held_out = HeldOut {
        instances: rows.len(),
        squared_error: mean(if draws { of_draws } else { of_means }),
        latents: match run.model.objective {
            Objective::GroundTruth => HeldOutLatents::Factors,
            _ if draws => HeldOutLatents::Sampled,
            _ => HeldOutLatents::Encoded,
        },
        squared_error_of_means: draws.then(|| mean(of_means)),
        paper_squared_error: run.recipe.paper_squared_error,
    };
    Ok(MeasuredModel {
        held_out,
        latents,
        factors,
    })
}

/// Sum over the rows of Σ(x − x̂)² when they are decoded from `z`.
fn squared_errors(run: &Run, trained: &Trained, z: &Tensor, rows: &Rows) -> Result<f64> {
    let input = run.model.decoder_input(z, &rows.labels)?;
    let found: Vec<f32> = trained.decode(&input)?.flatten_all()?.to_vec1()?;
    let pairs = found.iter().zip(&rows.instances);
    Ok(pairs.map(|(a, b)| f64::from(a - b).powi(2)).sum())
}
