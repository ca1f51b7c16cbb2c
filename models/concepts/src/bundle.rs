//! A bundle: card and arrays, checked.

use std::path::Path;

use arrays::{NumericArray, bytes_as_npy, npy_type};
use domain::concepts::{ConceptCard, Sheet};
use sha2::{Digest as _, Sha256};

use crate::error::{ConceptError, Problems};
use crate::files::{
    self, ALL_FILES, CARD_FILE, EXAMPLE_MAPS_FILE, EXAMPLE_PICTURES_FILE, Files, MAPS_FILE,
    PICTURES_FILE,
};

/// A bundle of concepts with everything that belongs to it, checked.
#[derive(Debug, Clone)]
pub struct ConceptBundle {
    card: ConceptCard,
    files: Files,
    sha256: String,
    /// Concept by concept, sample by sample.
    pictures: Vec<f32>,
    maps: Vec<f32>,
    example: Option<[Vec<f32>; 2]>,
}

impl ConceptBundle {
    /// Reads a bundle from its folder.
    ///
    /// # Errors
    /// All that is wrong with it; or a file that cannot be read.
    pub fn read(folder: &Path) -> Result<Self, ConceptError> {
        let bundle = Self::from_files(files::read(folder)?)?;
        match folder.file_name().and_then(std::ffi::OsStr::to_str) {
            Some(name) if name != bundle.card.name => Err(ConceptError::problem(format!(
                "{CARD_FILE}: name: found '{}'; '{name}', as the folder is called",
                bundle.card.name
            ))),
            _ => Ok(bundle),
        }
    }

    /// Puts a bundle together: pictures and maps in bytes, concept by concept, sample by sample; those of
    /// the example, where the card has one.
    ///
    /// # Errors
    /// All that is wrong with it.
    pub fn new(
        card: &ConceptCard,
        pictures: &[u8],
        maps: &[u8],
        example: Option<[&[u8]; 2]>,
    ) -> Result<Self, ConceptError> {
        let mut json = serde_json::to_vec_pretty(card)
            .map_err(|error| ConceptError::problem(format!("{CARD_FILE}: {error}")))?;
        json.push(b'\n');
        let [shape, of_maps] = Shapes::of(card).whole;
        let mut files = Files::from([
            (CARD_FILE, json),
            (PICTURES_FILE, bytes_as_npy(&shape, pictures)),
            (MAPS_FILE, bytes_as_npy(&of_maps, maps)),
        ]);
        if let Some([pictures, maps]) = example {
            let file = bytes_as_npy(&shape[1..], pictures);
            files.insert(EXAMPLE_PICTURES_FILE, file);
            files.insert(EXAMPLE_MAPS_FILE, bytes_as_npy(&of_maps[1..], maps));
        }
        Self::from_files(files)
    }

    pub(crate) fn from_files(files: Files) -> Result<Self, ConceptError> {
        let json = files.get(CARD_FILE);
        let json = json.ok_or_else(|| ConceptError::problem(format!("{CARD_FILE} is missing")))?;
        let card: ConceptCard = serde_json::from_slice(json)
            .map_err(|error| ConceptError::problem(format!("{CARD_FILE}: {error}")))?;
        let mut problems = Problems::default();
        for problem in card.problems() {
            problems.add(format!("{CARD_FILE}: {problem}"));
        }
        let shapes = Shapes::of(&card);
        let pictures = array(&files, PICTURES_FILE, &shapes.whole[0], &mut problems);
        let maps = array(&files, MAPS_FILE, &shapes.whole[1], &mut problems);
        let mut example = None;
        if card.example.is_some() {
            let [of_pictures, of_maps] = &shapes.whole;
            let pictures = array(
                &files,
                EXAMPLE_PICTURES_FILE,
                &of_pictures[1..],
                &mut problems,
            );
            let maps = array(&files, EXAMPLE_MAPS_FILE, &of_maps[1..], &mut problems);
            example = Some([pictures, maps]);
        } else {
            for name in [EXAMPLE_PICTURES_FILE, EXAMPLE_MAPS_FILE] {
                if files.contains_key(name) {
                    problems.add(format!("{name} is there, but the card has no example"));
                }
            }
        }
        problems.done()?;
        Ok(Self {
            sha256: sha256(&files),
            card,
            files,
            pictures,
            maps,
            example,
        })
    }

    /// Its card.
    #[must_use]
    pub fn card(&self) -> &ConceptCard {
        &self.card
    }

    /// SHA-256 in hex over all its files.
    #[must_use]
    pub fn sha256(&self) -> &str {
        &self.sha256
    }

    /// Its files, as they were read, by name.
    pub fn files(&self) -> impl Iterator<Item = (&'static str, &[u8])> {
        self.files
            .iter()
            .map(|(name, bytes)| (*name, bytes.as_slice()))
    }

    /// Writes the bundle into a new folder of its name within `parent`.
    ///
    /// # Errors
    /// When something is there already, or it cannot be written.
    pub fn write(&self, parent: &Path) -> Result<(), ConceptError> {
        files::write(&parent.join(&self.card.name), &self.files)
    }

    /// The samples of a concept with their maps; `None` if there is no such concept.
    #[must_use]
    pub fn sheet(&self, concept: usize) -> Option<Vec<f32>> {
        (concept < self.card.concepts.len()).then_some(())?;
        let [picture, map] = Shapes::of(&self.card).one;
        let samples = self.card.samples;
        let of_concept = |values: &[f32], one: usize| -> Option<Vec<f32>> {
            let start = concept * samples * one;
            Some(values.get(start..start + samples * one)?.to_vec())
        };
        let pictures = of_concept(&self.pictures, picture)?;
        let maps = of_concept(&self.maps, map)?;
        Some(sheet(&pictures, &maps, [picture, map]))
    }

    /// The samples of the worked example with their maps; `None` if there is none.
    #[must_use]
    pub fn example_sheet(&self) -> Option<Vec<f32>> {
        let [pictures, maps] = self.example.as_ref()?;
        Some(sheet(pictures, maps, Shapes::of(&self.card).one))
    }

    /// Pictures and maps of all samples in bytes, as they are stored.
    pub(crate) fn bytes(&self) -> [Vec<u8>; 2] {
        [&self.pictures, &self.maps].map(|values| values.iter().map(|v| byte(*v)).collect())
    }

    /// The same of the worked example.
    pub(crate) fn example_bytes(&self) -> Option<[Vec<u8>; 2]> {
        let example = self.example.as_ref()?;
        Some([0, 1].map(|part| example[part].iter().map(|v| byte(*v)).collect()))
    }
}

fn sheet(pictures: &[f32], maps: &[f32], [picture, map]: [usize; 2]) -> Vec<f32> {
    let pictures: Vec<&[f32]> = pictures.chunks(picture.max(1)).collect();
    let maps: Vec<&[f32]> = maps.chunks(map.max(1)).collect();
    Sheet::values(&pictures, &maps)
}

/// A value in 0…1 as a byte; what lies beyond is the nearest end.
#[allow(clippy::cast_possible_truncation, clippy::cast_sign_loss)] // clamped
pub(crate) fn byte(value: f32) -> u8 {
    (value.clamp(0.0, 1.0) * 255.0).round() as u8
}

/// The shapes that the arrays of a card have.
struct Shapes {
    /// Of all pictures, and of all maps.
    whole: [Vec<usize>; 2],
    /// Number of values of one picture, and of one map.
    one: [usize; 2],
}

impl Shapes {
    fn of(card: &ConceptCard) -> Self {
        let shape = card.shape;
        let maps = vec![card.concepts.len(), card.samples, shape.height, shape.width];
        let mut pictures = maps.clone();
        if shape.channels > 1 {
            pictures.push(shape.channels);
        }
        let pixels = shape.height.saturating_mul(shape.width);
        Self {
            whole: [pictures, maps],
            one: [pixels.saturating_mul(shape.channels), pixels],
        }
    }
}

/// An array of bytes as values in 0…1; nothing where it is missing or another one.
fn array(files: &Files, name: &'static str, shape: &[usize], problems: &mut Problems) -> Vec<f32> {
    let Some(bytes) = files.get(name) else {
        problems.add(format!("{name} is missing"));
        return Vec::new();
    };
    if let Some(found) = npy_type(bytes)
        && found != "|u1"
    {
        problems.add(format!(
            "{name}: values of type '{found}'; bytes ('|u1') from 0 to 255, as `redial concepts import` makes them"
        ));
        return Vec::new();
    }
    match NumericArray::read(name, bytes) {
        Err(error) => problems.add(error.to_string()),
        Ok(found) if found.shape != shape => problems.add(format!(
            "{name}: shape {:?}; {shape:?}, as the card says",
            found.shape
        )),
        // Bytes in the form of 64-bit floats: exact.
        #[allow(clippy::cast_possible_truncation)]
        Ok(found) => return found.values.iter().map(|v| (*v / 255.0) as f32).collect(),
    }
    Vec::new()
}

/// Every file's name and length go in before its bytes, so that bytes cannot move from one file to the
/// next unnoticed.
fn sha256(files: &Files) -> String {
    let mut digest = Sha256::new();
    for name in ALL_FILES {
        let bytes = files.get(name).map_or(&[][..], Vec::as_slice);
        digest.update(name);
        digest.update((bytes.len() as u64).to_le_bytes());
        digest.update(bytes);
    }
    let digest = digest.finalize();
    digest.iter().map(|byte| format!("{byte:02x}")).collect()
}
