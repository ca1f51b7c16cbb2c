//! Debian packages: installed where we may, named where we may not.

use crate::process::{find_program, note, output, run, step};
use anyhow::{Context, Result, bail};
use std::process::Command;

/// Installs packages, or fails with the command that would.
///
/// # Errors
/// When there is no apt-get, when we are not root, or when apt-get fails.
pub fn install(purpose: &str, packages: &[&str]) -> Result<()> {
    let by_hand = format!(
        "apt-get install --no-install-recommends {}",
        packages.join(" ")
    );
    if find_program("apt-get").is_none() {
        bail!(
            "{purpose} is missing and this machine has no apt-get; on Debian it comes with\n  {by_hand}"
        );
    }
    if !is_root() {
        bail!("{purpose} is missing; install it with\n  sudo {by_hand}");
    }
    step(&format!("installing {purpose} from Debian's packages"));
    // Another apt-get at work is waited for, five minutes at most.
    let patient = ["-q", "-o", "DPkg::Lock::Timeout=300"];
    // Lists that cannot be refreshed may still name what is wanted.
    if let Err(error) = run(Command::new("apt-get").args(patient).arg("update")) {
        note(&format!("going on with the lists as they are: {error:#}"));
    }
    run(Command::new("apt-get")
        .args(patient)
        .args(["install", "-y", "--no-install-recommends"])
        .args(packages)
        .env("DEBIAN_FRONTEND", "noninteractive"))
    .with_context(|| format!("{purpose} could not be installed: is the network reachable?"))
}

/// Whether we are root.
pub fn is_root() -> bool {
    output(Command::new("id").arg("-u")).is_ok_and(|id| id == "0")
}
