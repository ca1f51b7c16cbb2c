//! The samples of curl, Python and R in the guide and the description of the interface, run against a server.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Duration;

use serde_json::{Value, json};

use crate::command::run;
use crate::people::{STUDY, take_part_by};
use crate::platform_command::prepare;
use crate::program::Program;
use crate::requester::{Requester, TOKEN as PLATFORM_TOKEN};

/// Where the samples think that the server is.
const SHOWN: &str = "https://study.example.org";

/// The preamble of a block of the guide, in bash: the block is as written there, but a refusal ends it, and so does
/// the end of three seconds where it would listen for ever.
const SHELL: &str = r#"
set -euo pipefail
curl() {
  case "$*" in
    *"/live"*) command curl -sS --fail-with-body --max-time 3 "$@" || [ $? = 28 ] ;;
    *" --fail"*) command curl -sS --max-time 120 "$@" ;;
    *) command curl -sS --fail-with-body --max-time 120 "$@" ;;
  esac
}
redial() { "$REDIAL_BIN" "$@"; }
"#;

/// The preamble of the guide's code in Python: it listens for ever, here until it has shown the first event.
const IN_PYTHON: &str = "
import builtins, os

session = os.environ['SESSION']

def print(*shown):
    builtins.print(*shown)
    if isinstance(shown[0], dict):
        raise SystemExit

";

/// The same in R.
const IN_R: &str = "
session <- Sys.getenv('OTHER_SESSION')
str <- function(event) {
  utils::str(event)
  quit(status = 0)
}
";

/// A folder with a study on Prolific that people took part in, served, and somebody who may do everything.
struct Area {
    server: Program,
    token: String,
    /// The values of the guide's names: `$SESSION` and so on.
    names: Vec<(&'static str, String)>,
    _platform: Requester,
}

impl Area {
    fn open(folder: &Path) -> Self {
        prepare(folder, 20);
        let file = folder.join("studies").join(STUDY).join("study.json");
        let study = std::fs::read_to_string(&file).unwrap();
        let same = r#""questions":5,"same_for_all":{"seed":1}"#;
        let same = study.replace(r#""questions":5"#, same);
        assert_ne!(same, study);
        std::fs::write(&file, same).unwrap();
        let settings = "database = \"sqlite://test.db\"\nstudies = \"studies\"\n";
        std::fs::write(folder.join("redial.toml"), settings).unwrap();
        run(folder, &["user", "add", "ada@example.org", "--admin"]).succeeds();
        let owner = "user role ada@example.org --study curves --as owner";
        run(folder, &crate::command::words(owner)).succeeds();
        let make =
            "user token make ada@example.org --label l --study curves --scope read,export,manage";
        let made = run(folder, &crate::command::words(make)).succeeds();
        let token = made.lines().next().unwrap().to_owned();
        let platform = Requester::answering(|_| (404, json!({ "error": "nothing is here" })));
        let keys = folder.join("keys");
        std::fs::write(&keys, format!("PROLIFIC_API_TOKEN={PLATFORM_TOKEN}\n")).unwrap();
        let server = Program::start(folder, |command| {
            command.arg("--studies").arg(folder.join("studies"));
            command.arg("--platform-credentials").arg(&keys);
            command.args(["--decisions-wait", "3600", "--stand-in"]);
            command.arg(&platform.origin).stderr(Stdio::null());
        });
        let mut list = "Submission id,Participant id,Status\n".to_owned();
        for index in 0..3 {
            let person = format!("{index:024x}");
            let submission = format!("{:024x}", index + 16);
            list += &format!("{submission},{person},AWAITING REVIEW\n");
            let link =
                json!({ "PROLIFIC_PID": person, "STUDY_ID": "60", "SESSION_ID": submission });
            take_part_by(&server, index, link);
        }
        std::fs::write(folder.join("prolific_export.csv"), list).unwrap();
        let mut area = Self {
            server,
            token,
            names: Vec::new(),
            _platform: platform,
        };
        area.name(folder);
        area
    }

    /// Finds what the guide's names stand for.
    fn name(&mut self, folder: &Path) {
        let of = format!("/research/api/studies/{STUDY}");
        let listed = self.asked("GET", &format!("{of}/sessions"), None);
        let session = |index: usize| {
            listed["rows"][index]["session"]
                .as_str()
                .unwrap()
                .to_owned()
        };
        let decide = format!("{of}/sessions/{}/decisions", session(1));
        let decided = self.asked("POST", &decide, Some(&json!({ "kind": "approve" })));
        // It is made beside the answers that say how far it is.
        let questions = loop {
            let answer = self.asked("GET", &format!("{of}/questions"), None);
            if !answer["found"].is_null() {
                break answer["found"]["questions"].clone();
            }
            std::thread::sleep(Duration::from_millis(100));
        };
        let export = self.asked("POST", &format!("{of}/exports"), Some(&json!({})));
        let id = export["id"].as_str().unwrap().to_owned();
        self.names = vec![
            ("SESSION", session(0)),
            // A decision that Python made about the first cannot be made again.
            ("OTHER_SESSION", session(2)),
            ("DECISION", decided["number"].to_string()),
            (
                "QUESTION",
                questions[0]["question"].as_str().unwrap().to_owned(),
            ),
            ("ID", id),
        ];
        // It is made by then.
        let url = format!("url=$SERVER{of}/exports\n");
        let wait =
            "curl -H \"Authorization: Bearer $TOKEN\" --retry 100 -o made.zip $url/$ID/file\n";
        self.run("bash", folder, &format!("{SHELL}{url}{wait}"));
    }

    fn asked(&self, method: &str, path: &str, body: Option<&Value>) -> Value {
        let (status, answer) = self
            .server
            .request(method, path, Some(&self.token), body)
            .unwrap();
        assert!((200..300).contains(&status), "{method} {path}: {answer}");
        answer
    }

    fn origin(&self) -> String {
        format!("http://{}", self.server.address())
    }

    /// Runs a sample; gives what it printed.
    fn run(&self, program: &str, folder: &Path, source: &str) -> String {
        let file = folder.join("sample");
        let source = source
            .replace(SHOWN, &self.origin())
            .replace("TOKEN=…", &format!("TOKEN={}", self.token));
        std::fs::write(&file, &source).unwrap();
        let mut command = Command::new(program);
        command.arg(&file).current_dir(folder);
        command.envs(self.names.iter().cloned());
        command.env("REDIAL_BIN", env!("CARGO_BIN_EXE_redial"));
        command.env("SERVER", self.origin());
        let output = command.env("TOKEN", &self.token).env("study", STUDY);
        let output = output.output();
        let output = output.unwrap_or_else(|error| panic!("{program}: {error}"));
        let said = String::from_utf8_lossy(&output.stderr);
        let shown = String::from_utf8_lossy(&output.stdout);
        assert!(output.status.success(), "{source}\n{shown}\n{said}");
        shown.into_owned()
    }
}

/// The blocks of a language in a page of the guide.
fn blocks(page: &str, language: &str) -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let text = std::fs::read_to_string(root.join(page)).unwrap();
    let after = format!("```{language}\n");
    let blocks = text.split(&after).skip(1);
    let blocks = blocks.filter_map(|block| block.split("```").next());
    blocks.map(str::to_owned).collect()
}

/// The pages of the guide that show something of curl.
fn pages_with_curl() -> Vec<String> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut pages = vec![PathBuf::from("README.md")];
    let docs = std::fs::read_dir(root.join("docs")).unwrap();
    pages.extend(docs.map(|entry| Path::new("docs").join(entry.unwrap().file_name())));
    pages.sort();
    let shows = |page: &PathBuf| {
        std::fs::read_to_string(root.join(page)).is_ok_and(|text| text.contains("curl -"))
    };
    let pages = pages.into_iter().filter(shows);
    pages.map(|page| page.display().to_string()).collect()
}

/// Needs bash, curl and jq, which `cargo xtask test` installs where they are not.
#[test]
fn curl_of_the_guide_asks_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let area = Area::open(folder);
    let pages = pages_with_curl();
    assert_eq!(pages, ["docs/api.md", "docs/research-area.md"]);
    let mut requests = 0;
    for page in pages {
        for block in blocks(&page, "sh") {
            let asks = block.matches("curl ").count();
            if asks > 0 {
                let url = format!("url=$SERVER/research/api/studies/{STUDY}\n");
                area.run("bash", folder, &format!("{SHELL}{url}{block}"));
                requests += asks;
                let export = folder.join("curves.zip");
                if block.contains("curves.zip") {
                    assert!(std::fs::read(&export).unwrap().starts_with(b"PK"));
                    std::fs::remove_file(export).unwrap();
                }
            }
        }
    }
    assert!(requests >= 20, "{requests}");
}

/// Python with requests, which `PYTHON` may name.
fn python() -> String {
    std::env::var("PYTHON").unwrap_or_else(|_| "python3".to_owned())
}

/// `PYTHON` names a Python with requests; Debian: python3-requests, r-cran-httr2, r-cran-jsonlite.
#[test]
#[ignore = "needs Python with requests, and R with httr2"]
fn python_and_r_of_the_guide_ask_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let area = Area::open(folder);
    let page = "docs/api.md";
    let said = area.run(
        &python(),
        folder,
        &format!("{IN_PYTHON}{}", blocks(page, "python").join("\n")),
    );
    assert!(said.contains(STUDY), "{said}");
    std::fs::remove_file(folder.join("curves.zip")).unwrap();
    let mut in_r = blocks(page, "r");
    let version = "cat(packageVersion('httr2') >= '1.1')\n";
    if area.run("Rscript", folder, version) != "TRUE" {
        println!("not run: the live stream in R, which needs httr2 1.1");
        in_r.pop();
    }
    let said = area.run("Rscript", folder, &format!("{IN_R}{}", in_r.join("\n")));
    assert!(said.contains(STUDY), "{said}");
    assert!(folder.join("curves.zip").exists());
}

/// As above.
#[test]
#[ignore = "needs curl, Python with requests, and R with httr2"]
fn samples_of_the_description_ask_a_server() {
    let folder = tempfile::tempdir().unwrap();
    let folder = folder.path();
    let area = Area::open(folder);
    let description = area.asked("GET", "/api/openapi.json", None);
    let sample = |path: &str, method: &str, lang: &str| {
        let samples = description["paths"][path][method]["x-codeSamples"]
            .as_array()
            .unwrap();
        let sample = samples.iter().find(|it| it["lang"] == lang).unwrap();
        sample["source"].as_str().unwrap().to_owned()
    };
    // The list of studies, and an export that is begun.
    std::fs::write(folder.join("body.json"), r#"{"standings": ["counted"]}"#).unwrap();
    let exports = "/research/api/studies/{study}/exports";
    for (path, method, field) in [
        ("/research/api/studies", "get", "studies"),
        (exports, "post", "asked_at_unix_ms"),
    ] {
        let curl = area.run("bash", folder, &sample(path, method, "Shell"));
        let answer: Value = serde_json::from_str(&curl).unwrap();
        assert!(!answer[field].is_null(), "{curl}");
        let study = format!("study = \"{STUDY}\"\n");
        let source = format!("{study}{}", sample(path, method, "Python"));
        let said = area.run(&python(), folder, &source);
        assert!(said.contains(field), "{said}");
        let source = format!("{study}str({{ {} }})", sample(path, method, "R"));
        let said = area.run("Rscript", folder, &source);
        assert!(said.contains(field), "{said}");
    }
}
