//! How wide text is, and how it is broken into lines.
//!
//! Figures are laid out with the letters of `DejaVu` Sans Condensed, which PNG and PDF carry.
//! A browser may show an SVG with another font of its list; those are about as wide.

use std::sync::OnceLock;

use ttf_parser::Face;

/// Fonts that an SVG asks for.
pub(crate) const FAMILY: &str =
    "'DejaVu Sans Condensed', 'Helvetica Neue', Helvetica, Arial, 'DejaVu Sans', sans-serif";

/// The regular and the bold font.
pub(crate) fn fonts() -> [&'static [u8]; 2] {
    [
        dejavu::sans_condensed::regular(),
        dejavu::sans_condensed::bold(),
    ]
}

/// Width of a text of a size, in the unit of the size.
pub(crate) fn width(text: &str, size: f64, bold: bool) -> f64 {
    static FACES: OnceLock<[Option<Face<'static>>; 2]> = OnceLock::new();
    let faces = FACES.get_or_init(|| fonts().map(|font| Face::parse(font, 0).ok()));
    let em = |letter: char| {
        let face = faces[usize::from(bold)].as_ref()?;
        let advance = face.glyph_hor_advance(face.glyph_index(letter)?)?;
        Some(f64::from(advance) / f64::from(face.units_per_em()))
    };
    // Letters that the font does not have will be drawn by another font, if at all.
    let ems: f64 = text.chars().map(|letter| em(letter).unwrap_or(1.0)).sum();
    ems * size
}

/// The text, cut and with an ellipsis if it is wider than this.
pub(crate) fn cut(text: &str, size: f64, bold: bool, widest: f64) -> String {
    if width(text, size, bold) <= widest {
        return text.to_owned();
    }
    let mut kept = String::new();
    for letter in text.chars() {
        let longer = format!("{kept}{letter}…");
        if width(&longer, size, bold) > widest {
            break;
        }
        kept.push(letter);
    }
    kept.trim_end().to_owned() + "…"
}

/// The text in lines that are no wider than this, at most `most` of them; what is too long is
/// cut.
pub(crate) fn wrapped(text: &str, size: f64, widest: f64, most: usize) -> Vec<String> {
    let mut lines: Vec<String> = vec![String::new()];
    for word in text.split_whitespace() {
        let last = lines.len() - 1;
        let longer = if lines[last].is_empty() {
            word.to_owned()
        } else {
            format!("{} {word}", lines[last])
        };
        if lines[last].is_empty() || width(&longer, size, false) <= widest || lines.len() == most {
            lines[last] = longer;
        } else {
            lines.push(word.to_owned());
        }
    }
    lines
        .iter()
        .map(|line| cut(line, size, false, widest))
        .collect()
}
