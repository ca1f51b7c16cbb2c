//! The picture that a canvas shows.

use anyhow::Result;
use serde_json::json;

use crate::browser::Browser;

/// The pixels of a canvas.
#[derive(Debug, PartialEq, Eq)]
pub struct Picture {
    /// Columns and rows.
    pub size: [usize; 2],
    /// Red, green and blue, row by row.
    pub pixels: Vec<[u8; 3]>,
}

impl Picture {
    /// Of the canvas that has this `data-testid`, or is inside what has it.
    pub async fn on_screen(browser: &Browser, test_id: &str) -> Result<Self> {
        let script = "
            const found = document.querySelector(`[data-testid=\"${arguments[0]}\"]`);
            const canvas = found.matches('canvas') ? found : found.querySelector('canvas');
            const { width, height } = canvas;
            const { data } = canvas.getContext('2d').getImageData(0, 0, width, height);
            const pixels = Array.from({ length: data.length / 4 },
                (_, i) => [...data.slice(4 * i, 4 * i + 3)]);
            return { size: [width, height], pixels };";
        let mut found = browser.look(script, vec![json!(test_id)]).await?;
        Ok(Self {
            size: serde_json::from_value(found["size"].take())?,
            pixels: serde_json::from_value(found["pixels"].take())?,
        })
    }
}
