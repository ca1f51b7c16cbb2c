//! Networks that a measure calls: the model that is explained, and what explains it, from ONNX files.

use std::sync::{Mutex, PoisonError};

use anyhow::Context as _;
use import::encoder::RowNetwork;
use measures::array::Array;
use measures::inputs::{Model, Need};

use super::of_arrays::OfArrays;

/// The networks that were named.
pub struct Called(Vec<(Need, Network)>);

struct Network {
    name: String,
    network: RowNetwork,
    threads: usize,
    /// The first row that it could not compute, and why.
    failed: Mutex<Option<String>>,
}

impl Called {
    /// Opens every file of a network.
    ///
    /// # Errors
    /// Says which file cannot be read, and why.
    pub fn open(arrays: &OfArrays) -> anyhow::Result<Self> {
        let files = arrays.files.iter().filter(|(need, _)| need.is_called());
        let opened = files.map(|(need, path)| {
            let name = path.display().to_string();
            let network = import::onnx::open(path, None)
                .and_then(RowNetwork::new)
                .with_context(|| format!("--{}: {name}", need.name()))?;
            let network = Network {
                name,
                network,
                threads: arrays.threads,
                failed: Mutex::new(None),
            };
            Ok((*need, network))
        });
        Ok(Self(opened.collect::<anyhow::Result<_>>()?))
    }

    /// A network, if it was named.
    pub fn get(&self, need: Need) -> Option<&dyn Model> {
        let found = self.0.iter().find(|(it, _)| *it == need);
        found.map(|(_, network)| network as &dyn Model)
    }

    /// Whether every answer was computed.
    ///
    /// # Errors
    /// Says which network failed, and why: no number that follows from it counts.
    pub fn answered(&self) -> anyhow::Result<()> {
        for (_, network) in &self.0 {
            let failed = network
                .failed
                .lock()
                .unwrap_or_else(PoisonError::into_inner);
            if let Some(why) = failed.as_ref() {
                anyhow::bail!("{}: {why}", network.name);
            }
        }
        Ok(())
    }
}

impl Network {
    fn of_row(&self, row: &[f64]) -> Vec<f64> {
        let found = self.network.of_row(row).map_err(|why| why.to_string());
        let found = found.and_then(|row| match row.len() {
            found if found == self.network.outputs() => Ok(row),
            found => Err(format!("it gave {found} numbers")),
        });
        found.unwrap_or_else(|why| {
            let mut failed = self.failed.lock().unwrap_or_else(PoisonError::into_inner);
            failed.get_or_insert(why);
            vec![0.0; self.network.outputs()]
        })
    }
}

impl Model for Network {
    fn outputs(&self, inputs: &Array) -> Array {
        let rows: Vec<usize> = (0..inputs.rows()).collect();
        let each = rows.len().div_ceil(self.threads).max(1);
        let values = std::thread::scope(|scope| {
            let parts: Vec<_> = rows
                .chunks(each)
                .map(|part| {
                    scope.spawn(move || {
                        let rows = part.iter().flat_map(|&row| self.of_row(inputs.row(row)));
                        rows.collect::<Vec<f64>>()
                    })
                })
                .collect();
            let joined = parts.into_iter().map(|part| match part.join() {
                Ok(values) => values,
                Err(broken) => std::panic::resume_unwind(broken),
            });
            joined.flatten().collect::<Vec<f64>>()
        });
        let shape = vec![inputs.rows(), self.network.outputs()];
        // Each row has as many numbers as the network says, or as many zeros.
        Array::new(shape, values).expect("a row of outputs for each row of inputs")
    }
}
