//! A sheet as PNG: its SVG, drawn by resvg.

use anyhow::Context;
use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::{Options, Tree};

use super::LaidOutSheet;
use super::svg::svg;

/// Pixels of the file for each pixel of the sheet, along a side.
const SCALE: f32 = 2.0;

/// Draws a scene. Its letters are those of `DejaVu` Sans, which comes along: a server need not
/// have fonts.
///
/// # Errors
/// When the picture cannot be encoded, or is too large for the memory.
pub fn raster(scene: &LaidOutSheet<'_>) -> anyhow::Result<Vec<u8>> {
    let mut options = Options::default();
    let fonts = options.fontdb_mut();
    for font in [dejavu::sans::regular(), dejavu::sans::bold()] {
        fonts.load_font_data(font.to_vec());
    }
    let tree = Tree::from_str(&svg(scene)?, &options)?;
    let size = tree.size().to_int_size();
    let size = size.scale_by(SCALE).context("a sheet without a size")?;
    let mut picture =
        Pixmap::new(size.width(), size.height()).context("the sheet is too large to be drawn")?;
    let scale = Transform::from_scale(SCALE, SCALE);
    resvg::render(&tree, scale, &mut picture.as_mut());
    Ok(picture.encode_png()?)
}
