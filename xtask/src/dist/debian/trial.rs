//! A try of the Debian package in a clean system of its own: installed, served, upgraded while somebody takes part,
//! removed, purged.

use crate::apt;
use crate::process::{BackgroundProgram, find_program, note, output, run, step};
use anyhow::{Context, Result, bail, ensure};
use serde_json::{Value, json};
use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

/// How long the program may take to say where it listens.
const PATIENCE: Duration = Duration::from_secs(60);

/// What the clean system has beside Debian's smallest.
const INCLUDED: &str = "--include=adduser,init-system-helpers";

/// Where the sources of packages of this machine are named.
const SOURCES: [&str; 2] = [
    "/etc/apt/sources.list.d/debian.sources",
    "/etc/apt/sources.list",
];

/// A Debian in a folder.
struct System<'a>(&'a Path);

impl System<'_> {
    /// Debian's smallest, with the packages and mirrors of this machine.
    fn make(root: &Path) -> Result<()> {
        let release = fs::read_to_string("/etc/os-release")?;
        let name = release
            .lines()
            .find_map(|line| line.strip_prefix("VERSION_CODENAME="))
            .context("/etc/os-release names no version of Debian")?;
        let sources = SOURCES.into_iter().find(|file| Path::new(file).is_file());
        let mut command = Command::new("mmdebstrap");
        command.args(["--quiet", "--variant=minbase", INCLUDED]);
        // Mirrors and proxies want what this machine's apt does.
        let settings = root.with_extension("apt.conf");
        let acquire = output(Command::new("apt-config").args(["dump", "Acquire"]))?;
        fs::write(&settings, acquire)?;
        command.arg(format!("--aptopt={}", settings.display()));
        run(command
            .arg(name)
            .arg(root)
            .arg(sources.context("there is no list of sources of packages")?))
    }

    fn command(&self, program: &str) -> Command {
        let mut command = Command::new("chroot");
        command.arg(self.0).arg(program);
        command.env("PATH", "/usr/sbin:/usr/bin:/sbin:/bin");
        command.env("DEBIAN_FRONTEND", "noninteractive");
        command
    }

    /// Installs a package that lies on this machine; gives what was said.
    fn install(&self, package: &Path) -> Result<String> {
        fs::copy(package, self.0.join("tmp/redial.deb"))?;
        output(self.command("dpkg").args(["--install", "/tmp/redial.deb"]))
    }

    /// Starts the service as its unit says: its command, its user, its folder.
    fn serve(&self) -> Result<Served> {
        let unit = fs::read_to_string(self.0.join("usr/lib/systemd/system/redial.service"))?;
        let setting = |name: &str| {
            let line = unit.lines().find_map(|line| line.strip_prefix(name));
            line.with_context(|| format!("the unit has no {name}"))
        };
        let (start, user, folder) = (
            setting("ExecStart=")?,
            setting("User=")?,
            setting("WorkingDirectory=")?,
        );
        let script = format!("cd {folder} && umask 0077 && exec {start}");
        let program = BackgroundProgram::start(self.command("setpriv").args([
            &format!("--reuid={user}"),
            &format!("--regid={user}"),
            "--init-groups",
            "--no-new-privs",
            "--bounding-set=-all",
            "sh",
            "-c",
            &script,
        ]))?;
        let line = program.line_that_begins_with("listening on ", PATIENCE)?;
        Ok(Served {
            url: line["listening on ".len()..].trim().to_owned(),
            _program: program,
        })
    }
}

/// The service, until the value is dropped.
struct Served {
    url: String,
    _program: BackgroundProgram,
}

impl Served {
    /// What it answers with; an error where it refuses.
    fn ask(&self, path: &str, token: Option<&str>, body: Option<&Value>) -> Result<Value> {
        let mut command = Command::new("curl");
        command.args([
            "--silent",
            "--show-error",
            "--fail-with-body",
            "--max-time",
            "30",
        ]);
        if let Some(token) = token {
            command.args(["-H", &format!("Authorization: Bearer {token}")]);
        }
        if let Some(body) = body {
            command.args(["--json", &body.to_string()]);
        }
        let said = output(command.arg(format!("{}{path}", self.url)))?;
        serde_json::from_str(&said).with_context(|| said)
    }
}

/// Tries a package, and a later one of it. `prepare` may put something into the clean system first.
///
/// # Errors
/// When something does not go as somebody who installs it expects.
pub fn try_out(
    package: &Path,
    later: &Path,
    prepare: impl FnOnce(&Path) -> Result<()>,
) -> Result<()> {
    step("trying the Debian package in a clean system");
    ensure!(apt::is_root(), "a system of its own needs root");
    for program in ["mmdebstrap", "curl"] {
        if find_program(program).is_none() {
            apt::install(program, &[program])?;
        }
    }
    let folder = tempfile::tempdir()?;
    let root = folder.path().join("root");
    System::make(&root)?;
    prepare(&root)?;
    let system = System(&root);
    system.install(package)?;
    let version = output(system.command("redial").arg("--version"))?;
    note(&version);
    for file in [
        "usr/share/man/man1/redial.1.gz",
        "usr/share/bash-completion/completions/redial",
        "usr/share/doc/redial/copyright",
    ] {
        ensure!(root.join(file).is_file(), "{file} was not installed");
    }
    // Nothing but this machine reaches it, until somebody says so.
    let settings = root.join("etc/redial/redial.toml");
    let text = fs::read_to_string(&settings)?;
    let bind = "bind = \"127.0.0.1:8080\"";
    ensure!(
        text.starts_with('#') && text.contains(&format!("\n{bind}\n")),
        "{text}"
    );
    // An address that is free on the machine where it is tried.
    let free = TcpListener::bind("127.0.0.1:0")?.local_addr()?;
    let changed = text.replace(bind, &format!("bind = \"{free}\""));
    fs::write(&settings, &changed)?;

    let served = system.serve()?;
    let attempt = json!({ "attempt": "a-try-of-the-package" });
    let started = served.ask("/api/studies/quickstart/sessions", None, Some(&attempt))?;
    let session = started["plan"]["session"].as_str().context("no session")?;
    let token = started["token"].as_str().context("no token")?.to_owned();
    let page = |seq: u64| json!({ "events": [{ "format": 2, "session": session, "seq": seq, "at_ms": 1, "kind": "page_opened", "page": {} }] });
    let events = format!("/api/sessions/{session}/events");
    let acked = served.ask(&events, Some(&token), Some(&page(0)))?;
    ensure!(acked["acked_len"] == 1, "{acked}");

    // Commands in the service's folder find its settings, so its database.
    let status = output(
        system
            .command("setpriv")
            .args([
                "--reuid=redial",
                "--regid=redial",
                "--init-groups",
                "sh",
                "-c",
            ])
            .arg("cd /var/lib/redial && redial database backup copy.db"),
    )?;
    ensure!(
        root.join("var/lib/redial/copy.db").is_file(),
        "no backup was made: {status}"
    );

    // Somebody takes part meanwhile.
    let said = system.install(later)?;
    ensure!(
        fs::read_to_string(&settings)? == changed,
        "settings were written over: {said}"
    );
    drop(served);
    let served = system.serve()?;
    let acked = served.ask(&events, Some(&token), Some(&page(1)))?;
    ensure!(acked["acked_len"] == 2, "after the upgrade: {acked}");
    note("upgraded while somebody took part; the session went on");
    drop(served);

    let data = root.join("var/lib/redial/redial.db");
    output(system.command("dpkg").args(["--remove", "redial"]))?;
    ensure!(
        !root.join("usr/bin/redial").exists(),
        "the program is still there"
    );
    ensure!(
        data.is_file() && settings.is_file(),
        "removing took data or settings"
    );
    let said = output(system.command("dpkg").args(["--purge", "redial"]))?;
    ensure!(
        said.contains("/var/lib/redial"),
        "purging does not say where the data are: {said}"
    );
    ensure!(!settings.exists(), "purging left the settings");
    if !data.is_file() {
        bail!("purging took the data");
    }
    note("removed and purged; the data of studies were kept");
    Ok(())
}
