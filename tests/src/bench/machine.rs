//! What the numbers were measured on.

use std::process::Command;

use crate::tools;

/// Prints processor, memory, system, browser and which build was measured.
pub fn print() {
    let cpus = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let field = |name: &str| {
        let line = cpus.lines().find(|line| line.starts_with(name));
        line.and_then(|line| line.split_once(':'))
            .map_or("unknown", |(_, value)| value.trim())
    };
    let cores = cpus
        .lines()
        .filter(|line| line.starts_with("processor"))
        .count();
    println!("processor  {} × {cores}", field("model name"));
    let memory = std::fs::read_to_string("/proc/meminfo").unwrap_or_default();
    let total = memory
        .lines()
        .next()
        .and_then(|line| line.split_whitespace().nth(1));
    let gib = total
        .and_then(|kib| kib.parse::<f64>().ok())
        .unwrap_or_default()
        / 1024.0
        / 1024.0;
    println!("memory     {gib:.0} GiB");
    println!("system     {}", said(Command::new("uname").arg("-sr")));
    if let Ok(chrome) = tools::chrome() {
        println!("browser    {}", said(Command::new(chrome).arg("--version")));
    }
    if let Ok(server) = tools::server() {
        println!("server     {}", server.display());
    }
    let folder = std::env::temp_dir();
    let system = said(Command::new("stat").args(["-f", "-c", "%T"]).arg(&folder));
    println!("databases  {} ({system})", folder.display());
    println!("load       {} before this began", load());
}

/// How many programs have wanted a core in the last minute, on average: the more, the worse every
/// figure.
#[must_use]
pub fn load() -> String {
    let load = std::fs::read_to_string("/proc/loadavg").unwrap_or_default();
    load.split(' ').next().unwrap_or_default().to_owned()
}

/// The first line a program prints.
fn said(command: &mut Command) -> String {
    let output = command
        .output()
        .map(|output| output.stdout)
        .unwrap_or_default();
    let text = String::from_utf8_lossy(&output);
    text.lines().next().unwrap_or("unknown").trim().to_owned()
}
