//! Text on a raster sheet, in `DejaVu` Sans, which comes along: a server need not have fonts.

use ab_glyph::{Font, FontRef, Glyph, Point, PxScale, ScaleFont, point};

use super::Anchor;

/// The two weights in which a sheet writes.
pub struct Letters {
    regular: FontRef<'static>,
    bold: FontRef<'static>,
}

impl Letters {
    /// Reads the fonts.
    ///
    /// # Errors
    /// When they are damaged.
    pub fn new() -> anyhow::Result<Self> {
        Ok(Self {
            regular: FontRef::try_from_slice(dejavu::sans::regular())?,
            bold: FontRef::try_from_slice(dejavu::sans::bold())?,
        })
    }

    /// Draws a line of text with its baseline at `at`, `size` pixels to the em: calls
    /// `cover(x, y, share)` for every pixel that a letter covers, by that share.
    pub fn draw(
        &self,
        text: &str,
        bold: bool,
        size: f32,
        at: (f32, f32),
        anchor: Anchor,
        mut cover: impl FnMut(i32, i32, f32),
    ) {
        let font = if bold { &self.bold } else { &self.regular };
        // ab_glyph's scale is the height of a line; a font size is that of an em.
        let em = font.units_per_em().unwrap_or(font.height_unscaled());
        let scale = PxScale::from(size * font.height_unscaled() / em);
        let scaled = font.as_scaled(scale);
        let mut x = 0.0;
        let mut glyphs: Vec<Glyph> = Vec::new();
        for letter in text.chars() {
            let id = scaled.glyph_id(letter);
            if let Some(before) = glyphs.last() {
                x += scaled.kern(before.id, id);
            }
            glyphs.push(id.with_scale_and_position(scale, point(x, 0.0)));
            x += scaled.h_advance(id);
        }
        let left = match anchor {
            Anchor::Start => at.0,
            Anchor::Middle => at.0 - x / 2.0,
            Anchor::End => at.0 - x,
        };
        for mut glyph in glyphs {
            let Point { x, .. } = glyph.position;
            glyph.position = point(left + x, at.1);
            if let Some(outline) = font.outline_glyph(glyph) {
                let corner = outline.px_bounds().min;
                outline.draw(|x, y, share| {
                    cover(
                        corner.x as i32 + x as i32,
                        corner.y as i32 + y as i32,
                        share,
                    );
                });
            }
        }
    }
}
