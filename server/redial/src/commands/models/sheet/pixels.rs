//! Pictures as bytes, as participants see them.

use domain::model::{Display, InstanceShape};

/// Bytes of a picture, row by row, channels last.
pub(super) struct Pixels {
    pub(super) width: usize,
    pub(super) height: usize,
    /// 1 (grey) or 3.
    pub(super) channels: usize,
    pub(super) bytes: Vec<u8>,
}

/// The bytes of an instance; `None` for a series. What is not finite is black.
pub(super) fn pixels(shape: InstanceShape, display: &Display, values: &[f32]) -> Option<Pixels> {
    let InstanceShape::Image {
        height,
        width,
        channels,
    } = shape
    else {
        return None;
    };
    let byte = |&value: &f32| (display.brightness(value) * 255.0).round() as u8;
    Some(Pixels {
        width,
        height,
        channels,
        bytes: values.iter().map(byte).collect(),
    })
}

/// A PNG file.
pub(super) fn png(pixels: &Pixels) -> Result<Vec<u8>, png::EncodingError> {
    let mut file = Vec::new();
    let side = |length: usize| u32::try_from(length).unwrap_or(u32::MAX);
    let mut encoder = png::Encoder::new(&mut file, side(pixels.width), side(pixels.height));
    encoder.set_depth(png::BitDepth::Eight);
    encoder.set_color(if pixels.channels == 3 {
        png::ColorType::Rgb
    } else {
        png::ColorType::Grayscale
    });
    encoder.write_header()?.write_image_data(&pixels.bytes)?;
    Ok(file)
}
