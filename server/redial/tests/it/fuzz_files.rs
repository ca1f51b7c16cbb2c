//! Spoiled files of every format that people bring: none makes the program panic, and each is read or
//! refused with words.
//!
//! 10,000 files in all; 500,000 with `REDIAL_LONG=1`. ONNX files have a test of their own, in
//! `models/import/tests`.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::{Path, PathBuf};

use domain::session::Session;
use domain::session::event::Envelope;
use domain::session::plan::SessionPlan;
use domain::study::check::{CheckContext, check};
use domain::study::draw::ModelSource;
use import::NumericArray;
use models::bundle::CARD_FILE;
use models::bundle::{Bundle, HELD_OUT_FILE, WEIGHTS_FILE};
use rand::{Rng, RngExt, SeedableRng};
use rand_chacha::ChaCha8Rng;
use serde_json::{Value, json};
use server::zoo::Models;

fn files_of_each_format() -> usize {
    if std::env::var_os("REDIAL_LONG").is_some() {
        100_000
    } else {
        2_000
    }
}

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("../..")
}

fn read(path: &str) -> Vec<u8> {
    std::fs::read(root().join(path)).unwrap()
}

/// Values that programs trip over.
fn odd_value(rng: &mut impl Rng) -> Value {
    match rng.random_range(0..14) {
        0 => Value::Null,
        1 => json!(true),
        2 => json!(-1),
        3 => json!(0),
        4 => json!(u64::MAX),
        5 => json!(1e308),
        6 => json!(-1e-308),
        7 => json!(rng.random_range(-10..1_000)),
        8 => json!([]),
        9 => json!({}),
        10 => json!(""),
        11 => json!("\u{0}\u{202e}🙂"),
        12 => json!("x".repeat(10_000)),
        _ => json!([[[{ "kind": "stage" }]]]),
    }
}

fn places(value: &Value, here: &str, found: &mut Vec<String>) {
    found.push(here.to_owned());
    match value {
        Value::Array(values) => {
            for (index, value) in values.iter().enumerate() {
                places(value, &format!("{here}/{index}"), found);
            }
        }
        Value::Object(fields) => {
            for (key, value) in fields {
                let key = key.replace('~', "~0").replace('/', "~1");
                places(value, &format!("{here}/{key}"), found);
            }
        }
        _ => {}
    }
}

/// JSON with a few values replaced, moved or taken out.
fn spoiled_json(seed: &Value, rng: &mut impl Rng) -> Vec<u8> {
    let mut value = seed.clone();
    for _ in 0..rng.random_range(1..4) {
        let mut found = Vec::new();
        places(&value, "", &mut found);
        let place = &found[rng.random_range(0..found.len())];
        let other = value
            .pointer(&found[rng.random_range(0..found.len())])
            .cloned();
        let new = if rng.random_bool(0.3) {
            other.unwrap_or_default()
        } else {
            odd_value(rng)
        };
        match place.rsplit_once('/') {
            Some((parent, key)) if rng.random_bool(0.2) => {
                if let Some(Value::Object(fields)) = value.pointer_mut(parent) {
                    fields.remove(key);
                }
            }
            _ => *value.pointer_mut(place).unwrap() = new,
        }
    }
    value.to_string().into_bytes()
}

/// Bytes with a few flipped, put in, taken out or repeated.
fn spoiled_bytes(seed: &[u8], rng: &mut impl Rng) -> Vec<u8> {
    let mut bytes = seed.to_vec();
    for _ in 0..rng.random_range(1..6) {
        let at = rng.random_range(0..=bytes.len());
        let length = rng.random_range(0..=(bytes.len() - at).min(40));
        match rng.random_range(0..6) {
            0 => bytes.truncate(at),
            1 => {
                bytes.drain(at..at + length);
            }
            2 => bytes.insert(at, rng.random()),
            3 => {
                let again = bytes[at..at + length].to_vec();
                bytes.splice(at..at, again);
            }
            _ if at < bytes.len() => bytes[at] ^= 1 << rng.random_range(0..8),
            _ => {}
        }
    }
    bytes
}

/// Feeds spoiled files to a reader. A spoiled file need not be refused, but some must be.
fn feed(format: &str, seeds: &[Vec<u8>], mut reader: impl FnMut(&[u8]) -> Result<(), String>) {
    let mut rng = ChaCha8Rng::seed_from_u64(2021);
    let parsed: Vec<Option<Value>> = seeds
        .iter()
        .map(|it| serde_json::from_slice(it).ok())
        .collect();
    for seed in seeds {
        assert_eq!(reader(seed), Ok(()), "{format}: a file that is sound");
    }
    let (count, mut refused) = (files_of_each_format(), 0);
    for n in 0..count {
        let seed = n % seeds.len();
        let bytes = match &parsed[seed] {
            Some(value) if rng.random_bool(0.6) => spoiled_json(value, &mut rng),
            _ => spoiled_bytes(&seeds[seed], &mut rng),
        };
        match catch_unwind(AssertUnwindSafe(|| reader(&bytes))) {
            Ok(Ok(())) => {}
            Ok(Err(why)) => {
                assert!(
                    !why.trim().is_empty(),
                    "{format}: file {n} is refused without a word"
                );
                refused += 1;
            }
            Err(_) => {
                let kept = std::env::temp_dir().join(format!("redial-fuzz-{n}"));
                std::fs::write(&kept, &bytes).unwrap();
                panic!("{format}: file {n} makes a panic; it is {}", kept.display());
            }
        }
    }
    println!("{format}: {refused} of {count} files are refused");
    assert!(
        refused * 5 > count,
        "{format}: only {refused} of {count} are refused"
    );
}

struct AnyFile(Models);

impl CheckContext for AnyFile {
    fn models(&self) -> &dyn ModelSource {
        &self.0
    }
    fn model_names(&self) -> Vec<String> {
        self.0.names().map(str::to_owned).collect()
    }
    fn file(&self, _: &str) -> Result<(), String> {
        Ok(())
    }
}

#[test]
fn study_files() {
    let studies = std::fs::read_dir(root().join("studies")).unwrap();
    let files = studies.map(|entry| entry.unwrap().path().join("study.json"));
    let seeds: Vec<Vec<u8>> = files.filter_map(|file| std::fs::read(file).ok()).collect();
    assert!(seeds.len() > 5);
    let context = AnyFile(Models::load(None).unwrap());
    feed("study file", &seeds, |bytes| {
        let text = std::str::from_utf8(bytes).map_err(|error| error.to_string())?;
        check(text, &context).map(drop).map_err(|problems| {
            let words: Vec<String> = problems.iter().map(ToString::to_string).collect();
            words.join("\n")
        })
    });
}

#[test]
fn cards() {
    let folder = "models/zoo/sinelines-gt5";
    let card = read(&format!("{folder}/{CARD_FILE}"));
    let circles = read(&format!("models/zoo/circles/{CARD_FILE}"));
    feed("card", &[card, circles], |bytes| {
        Bundle::from_bytes(bytes, None, None)
            .map(drop)
            .map_err(|error| error.to_string())
    });
}

#[test]
fn weights_and_held_out_rows() {
    // The smallest of the shipped models that has both.
    let folder = "models/zoo/sinelines-ae5";
    let card = read(&format!("{folder}/{CARD_FILE}"));
    let (weights, held_out) = (
        read(&format!("{folder}/{WEIGHTS_FILE}")),
        read(&format!("{folder}/{HELD_OUT_FILE}")),
    );
    let spoil_header = |seed: &[u8]| {
        // The header says names, types, shapes and places: the rest is numbers.
        let length = usize::try_from(u64::from_le_bytes(seed[..8].try_into().unwrap())).unwrap();
        (seed[..8 + length].to_vec(), seed[8 + length..].to_vec())
    };
    let (header, numbers) = spoil_header(&weights);
    feed("weights", &[header], |bytes| {
        let whole = [bytes, &numbers].concat();
        Bundle::from_bytes(&card, Some(&whole), Some(&held_out))
            // Layers are compiled when they decode.
            .map(|bundle| drop(bundle.decoder().decode(&bundle.held_out()[0])))
            .map_err(|error| error.to_string())
    });
}

#[test]
fn npy_files() {
    let mut sound = b"\x93NUMPY\x01\x00".to_vec();
    let header = "{'descr': '<f4', 'fortran_order': False, 'shape': (3, 2), }";
    let padded = format!("{header:<117}\n");
    sound.extend(u16::try_from(padded.len()).unwrap().to_le_bytes());
    sound.extend(padded.as_bytes());
    sound.extend((0_u8..6).flat_map(|n| f32::from(n).to_le_bytes()));
    feed("npy file", &[sound], |bytes| {
        NumericArray::read("latents.npy", bytes)
            .map(drop)
            .map_err(|error| error.to_string())
    });
}

#[test]
fn logs() {
    let plan: SessionPlan =
        serde_json::from_slice(&read("domain/tests/logs/v2.plan.json")).unwrap();
    let log = String::from_utf8(read("domain/tests/logs/v2.events.jsonl")).unwrap();
    let lines: Vec<&str> = log.lines().take(40).collect();
    let seeds: Vec<Vec<u8>> = vec![format!("[{}]", lines.join(",")).into_bytes()];
    feed("log", &seeds, |bytes| {
        let log: Vec<Envelope> =
            serde_json::from_slice(bytes).map_err(|error| error.to_string())?;
        let replayed = Session::new(plan.clone()).replayed(&log);
        replayed
            .map(drop)
            .map_err(|(_, refusal)| refusal.to_string())
    });
}
