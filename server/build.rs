//! Makes sure that the folder of the built browser app exists, so that it can be embedded, says by a hash which code
//! makes numbers of logs, and lists the steps that make a database's tables.

use std::collections::BTreeMap;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::path::{Path, PathBuf};

/// A hash of all source files that a row of the table of sessions can depend on. What is kept of such rows is of no use
/// to a program with another one.
fn folds(root: &Path) -> u64 {
    let mut files = BTreeMap::new();
    for folder in ["domain/src", "domain/json", "measures/src", "server/src"] {
        let folder = root.join(folder);
        println!("cargo::rerun-if-changed={}", folder.display());
        collect(&folder, &mut files);
    }
    let lock = root.join("Cargo.lock");
    println!("cargo::rerun-if-changed={}", lock.display());
    files.insert(lock.clone(), std::fs::read(&lock).unwrap_or_default());
    let mut hasher = DefaultHasher::new();
    for (path, bytes) in files {
        // Not where the sources lie: a program is the same from every folder.
        path.strip_prefix(root).unwrap_or(&path).hash(&mut hasher);
        bytes.hash(&mut hasher);
    }
    hasher.finish()
}

fn collect(folder: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        let path = entry.path();
        if path.is_dir() {
            collect(&path, files);
        } else if let Ok(bytes) = std::fs::read(&path) {
            files.insert(path, bytes);
        }
    }
}

/// Lists the files `0001_what_it_does.sql` of a folder as Rust: numbers, words and contents. sqlx has a macro for it, with
/// which all its databases are compiled once more for the compiler.
fn steps(name: &str, folder: &Path) -> Result<String, String> {
    let mut files = BTreeMap::new();
    collect(folder, &mut files);
    // What editors leave beside them is no step.
    files.retain(|path, _| path.extension().is_some_and(|it| it == "sql"));
    if files.is_empty() {
        return Err(format!("{} has no file NUMBER_WORDS.sql", folder.display()));
    }
    let mut list = format!("pub(in super::super) const {name}: &[Step] = &[\n");
    for path in files.keys() {
        let stem = path.file_stem().and_then(|stem| stem.to_str());
        let step = stem.and_then(|stem| {
            let (number, words) = stem.split_once('_')?;
            Some((number.parse::<i64>().ok()?, words.replace('_', " ")))
        });
        let Some((number, words)) = step else {
            return Err(format!("{} is not called NUMBER_WORDS.sql", path.display()));
        };
        let file = path.to_string_lossy();
        list += &format!("({number}, {words:?}, include_str!({file:?})),\n");
    }
    Ok(list + "];\n")
}

/// The steps of both kinds of databases, for `server/src/storage/sql/formats.rs`.
fn list_steps(folder: &Path) -> Result<(), String> {
    let list = steps("SQLITE_STEPS", &folder.join("sqlite"))?
        + &steps("POSTGRES_STEPS", &folder.join("postgres"))?;
    let out = std::env::var_os("OUT_DIR").ok_or("cargo does not say where to write")?;
    let file = Path::new(&out).join("steps.rs");
    std::fs::write(&file, list).map_err(|error| format!("{}: {error}", file.display()))
}

fn main() {
    // Asked when it runs: checkouts that share a target folder share this program, too.
    let Some(folder) = std::env::var_os("CARGO_MANIFEST_DIR") else {
        println!("cargo::error=cargo does not say where this package is");
        return;
    };
    let root = Path::new(&folder).join("..");
    let dist = root.join("dist");
    if let Err(error) = std::fs::create_dir_all(&dist) {
        println!("cargo::error=cannot make {}: {error}", dist.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=migrations");
    // What is embedded: a file added there must reach the next binary.
    println!("cargo::rerun-if-changed={}", dist.display());
    println!("cargo::rerun-if-changed={}", root.join("studies").display());
    if let Err(error) = list_steps(&Path::new(&folder).join("migrations")) {
        println!("cargo::error={error}");
    }
    println!("cargo::rustc-env=REDIAL_FOLDS={:016x}", folds(&root));
}
