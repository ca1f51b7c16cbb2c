//! A lab's pictures: an array, or a folder of PNG files.

use std::path::Path;

use arrays::NumericArray;
use domain::concepts::{MAX_SIDE, PictureShape};
use models::ordinary_file::{self, Links};

use crate::error::{ConceptError, Problems};

/// Most bytes of one file that is read.
const MOST_BYTES: u64 = 4 << 30;

/// Pictures of one shape, with values in 0…1.
#[derive(Debug, Clone, PartialEq)]
pub struct Pictures {
    shape: PictureShape,
    /// Picture by picture, row by row, channels last.
    values: Vec<f32>,
}

impl Pictures {
    /// From an array `[pictures, rows, columns]`, with 1 or 3 behind for channels. Values are in 0…1, or
    /// all of them in 0…255 where any is above 1.
    ///
    /// # Errors
    /// Another shape; values beyond, with their places.
    pub fn of_array(array: &NumericArray) -> Result<Self, ConceptError> {
        let shape = match array.shape[..] {
            [_, height, width] => PictureShape::new(height, width, 1),
            [_, height, width, channels @ (1 | 3)] => PictureShape::new(height, width, channels),
            _ => {
                return Err(ConceptError::problem(format!(
                    "pictures: shape {:?}; pictures × rows × columns, and 1 or 3 behind for colours",
                    array.shape
                )));
            }
        };
        let values = scaled("pictures", array)?;
        Self::checked(shape, values)
    }

    fn checked(shape: PictureShape, values: Vec<f32>) -> Result<Self, ConceptError> {
        let mut problems = Problems::default();
        if shape.height.max(shape.width) > MAX_SIDE {
            problems.add(format!(
                "pictures: {} rows and {} columns; at most {MAX_SIDE} of each: scale them down, since a page has to fetch \
                 them",
                shape.height, shape.width
            ));
        }
        problems.done()?;
        Ok(Self { shape, values })
    }

    /// Their shape.
    #[must_use]
    pub fn shape(&self) -> PictureShape {
        self.shape
    }

    /// How many there are.
    #[must_use]
    pub fn count(&self) -> usize {
        self.values.len() / self.one().max(1)
    }

    /// The values of a picture; empty if there is no such picture.
    #[must_use]
    pub fn get(&self, picture: usize) -> &[f32] {
        let one = self.one();
        let found = self.values.get(picture * one..(picture + 1) * one);
        found.unwrap_or_default()
    }

    fn one(&self) -> usize {
        self.shape.height * self.shape.width * self.shape.channels
    }
}

/// Values of an array in 0…1; those of one in 0…255 are divided.
pub(crate) fn scaled(name: &str, array: &NumericArray) -> Result<Vec<f32>, ConceptError> {
    let largest = array.values.iter().copied().fold(0.0, f64::max);
    let most = if largest > 1.0 { 255.0 } else { 1.0 };
    let width = array.width().max(1);
    let mut problems = Problems::default();
    let beyond = array.values.iter().enumerate();
    let beyond = beyond.filter(|(_, value)| !(0.0..=most).contains(*value));
    problems.of_array(beyond.map(|(at, value)| {
        format!(
            "{name}: row {}, value {}: {value}; from 0 to 1, or all from 0 to 255",
            at / width + 1,
            at % width + 1
        )
    }));
    problems.done()?;
    #[allow(clippy::cast_possible_truncation)] // pictures need no more
    Ok(array.values.iter().map(|v| (*v / most) as f32).collect())
}

/// Reads pictures: an `.npy` file, or a folder of PNG files in the order of their names.
///
/// # Errors
/// All that is wrong with them, or what cannot be read.
pub fn read_pictures(path: &Path) -> Result<Pictures, ConceptError> {
    if !path.is_dir() {
        return Pictures::of_array(&read_array(path)?);
    }
    let io = |error| ConceptError::Io {
        path: path.display().to_string(),
        error,
    };
    let mut files = Vec::new();
    for entry in std::fs::read_dir(path).map_err(io)? {
        let file = entry.map_err(io)?.path();
        let is_png = |ending: &std::ffi::OsStr| ending.eq_ignore_ascii_case("png");
        if file.extension().is_some_and(is_png) {
            files.push(file);
        }
    }
    files.sort();
    if files.is_empty() {
        return Err(ConceptError::problem(format!(
            "{}: there is no PNG file",
            path.display()
        )));
    }
    let mut problems = Problems::default();
    let mut shape = None;
    let mut values = Vec::new();
    for file in &files {
        match png(&bytes(file)?) {
            Ok((found, _)) if shape.is_some_and(|shape| shape != found) => problems.add(format!(
                "{}: {found:?}; all pictures have the shape of the first one",
                file.display()
            )),
            Ok((found, pixels)) => {
                shape = Some(found);
                values.extend(pixels);
            }
            Err(problem) => problems.add(format!("{}: {problem}", file.display())),
        }
    }
    problems.done()?;
    Pictures::checked(shape.unwrap_or(PictureShape::new(0, 0, 1)), values)
}

/// Reads an array from a file: `.npy`, or CSV.
///
/// # Errors
/// What is wrong with it, with its place; or why it cannot be read.
pub fn read_array(path: &Path) -> Result<NumericArray, ConceptError> {
    let name = path.display().to_string();
    NumericArray::read(&name, &bytes(path)?)
        .map_err(|error| ConceptError::problem(error.to_string()))
}

fn bytes(path: &Path) -> Result<Vec<u8>, ConceptError> {
    ordinary_file::read(path, Links::Followed, MOST_BYTES).map_err(|fault| ConceptError::File {
        path: path.display().to_string(),
        fault,
    })
}

/// The pixels of a PNG file in 0…1, without its opacity. Palettes and 16 bits are read as 8 bits a colour.
fn png(bytes: &[u8]) -> Result<(PictureShape, Vec<f32>), String> {
    let mut decoder = png::Decoder::new(std::io::Cursor::new(bytes));
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    let mut reader = decoder.read_info().map_err(|error| error.to_string())?;
    let size = reader.output_buffer_size().ok_or("it is too large")?;
    if size > MAX_SIDE * MAX_SIDE * 4 {
        return Err(format!("it is larger than {MAX_SIDE} × {MAX_SIDE} pixels"));
    }
    let mut pixels = vec![0; size];
    let frame = reader
        .next_frame(&mut pixels)
        .map_err(|error| error.to_string())?;
    let (channels, kept) = match frame.color_type {
        png::ColorType::Grayscale => (1, 1),
        png::ColorType::GrayscaleAlpha => (2, 1),
        png::ColorType::Rgb => (3, 3),
        png::ColorType::Rgba => (4, 3),
        png::ColorType::Indexed => return Err("its palette cannot be read".to_owned()),
    };
    let shape = PictureShape::new(frame.height as usize, frame.width as usize, kept);
    let pixels = pixels
        .chunks_exact(channels)
        .flat_map(|pixel| &pixel[..kept]);
    Ok((shape, pixels.map(|byte| f32::from(*byte) / 255.0).collect()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn array(shape: &[usize], values: &[f64]) -> NumericArray {
        NumericArray {
            shape: shape.to_vec(),
            values: values.to_vec(),
        }
    }

    #[test]
    fn arrays_in_0_to_1_and_in_0_to_255_are_read() {
        let unit = Pictures::of_array(&array(&[2, 1, 2], &[0.0, 1.0, 0.5, 0.25])).unwrap();
        assert_eq!((unit.count(), unit.get(1)), (2, &[0.5, 0.25][..]));
        let bytes = Pictures::of_array(&array(&[1, 1, 1, 3], &[0.0, 255.0, 51.0])).unwrap();
        assert_eq!(bytes.shape(), PictureShape::new(1, 1, 3));
        assert_eq!(bytes.get(0), [0.0, 1.0, 0.2]);
        assert!(bytes.get(1).is_empty());
    }

    #[test]
    fn values_beyond_and_other_shapes_are_named_with_their_place() {
        let beyond = array(&[2, 1, 2], &[0.0, 300.0, -1.0, 7.0]);
        let error = Pictures::of_array(&beyond).unwrap_err().to_string();
        assert!(error.contains("row 1, value 2: 300"), "{error}");
        assert!(error.contains("row 2, value 1: -1"), "{error}");
        let flat = Pictures::of_array(&array(&[4, 2], &[0.0; 8])).unwrap_err();
        assert!(flat.to_string().contains("[4, 2]"), "{flat}");
        let large = array(&[1, 1, 257], &[0.0; 257]);
        let error = Pictures::of_array(&large).unwrap_err().to_string();
        assert!(error.contains("at most 256"), "{error}");
    }

    #[test]
    fn a_folder_of_png_files_is_read_in_the_order_of_names() {
        let folder = std::env::temp_dir().join(format!("redial-png-{}", std::process::id()));
        std::fs::create_dir_all(&folder).unwrap();
        for (name, value) in [("b.png", 255), ("a.png", 51)] {
            let file = std::fs::File::create(folder.join(name)).unwrap();
            let mut encoder = png::Encoder::new(file, 2, 1);
            encoder.set_color(png::ColorType::Grayscale);
            let mut writer = encoder.write_header().unwrap();
            writer.write_image_data(&[value, 0]).unwrap();
        }
        let found = read_pictures(&folder).unwrap();
        assert_eq!(
            (found.get(0), found.get(1)),
            (&[0.2, 0.0][..], &[1.0, 0.0][..])
        );
        std::fs::remove_dir_all(&folder).unwrap();
    }
}
