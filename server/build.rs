//! Makes sure that the folder of the built browser app exists, so that it can be embedded.

fn main() {
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let dist = root.join("dist");
    if let Err(error) = std::fs::create_dir_all(&dist) {
        println!("cargo::error=cannot make {}: {error}", dist.display());
    }
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=migrations");
    // What is embedded: a file added there must reach the next binary.
    println!("cargo::rerun-if-changed={}", dist.display());
    println!("cargo::rerun-if-changed={}", root.join("studies").display());
}
