//! Commands as people run them, and what they say.

use std::path::Path;
use std::process::Command;

use serde_json::Value;

/// A command's output, and whether it went well.
pub struct Said {
    command: String,
    done: bool,
    stdout: String,
    stderr: String,
}

/// Runs a command to its end.
pub fn outcome(command: &mut Command) -> Said {
    let output = command.output().unwrap();
    Said {
        command: format!("{command:?}"),
        done: output.status.success(),
        stdout: String::from_utf8(output.stdout).unwrap(),
        stderr: String::from_utf8(output.stderr).unwrap(),
    }
}

/// The program on the database of a folder, and on its studies where it has some.
pub fn redial(folder: &Path, args: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_redial"));
    command.args(args).arg("--database");
    command.arg(format!("sqlite://{}/test.db", folder.display()));
    let studies = folder.join("studies");
    if studies.is_dir() {
        command.arg("--studies").arg(studies);
    }
    command.current_dir(folder).env("REDIAL_LOG", "error");
    command
}

/// Runs the program on what a folder has.
pub fn run(folder: &Path, args: &[&str]) -> Said {
    outcome(&mut redial(folder, args))
}

/// A command line's words.
pub fn words(line: &str) -> Vec<&str> {
    line.split(' ').collect()
}

/// The rows of a file of lines of JSON.
pub fn json_lines(text: &str) -> Vec<Value> {
    let lines = text.lines().map(serde_json::from_str);
    lines.collect::<Result<_, _>>().unwrap()
}

impl Said {
    /// All that was printed, whatever became of the command.
    pub fn text(&self) -> String {
        format!("{}{}", self.stdout, self.stderr)
    }

    /// All that was printed by a command that went well.
    #[track_caller]
    pub fn succeeds(self) -> String {
        self.says(&[])
    }

    /// The same, in which all of these words are.
    #[track_caller]
    pub fn says(self, words: &[&str]) -> String {
        self.with(true, words)
    }

    /// All that was printed by a command that failed, in which all of these words are.
    #[track_caller]
    pub fn refuses(self, words: &[&str]) -> String {
        self.with(false, words)
    }

    /// The output of a command that went well, as JSON.
    #[track_caller]
    pub fn json(self) -> Value {
        assert!(self.done, "{}: {}", self.command, self.stderr);
        serde_json::from_str(&self.stdout).unwrap()
    }

    #[track_caller]
    fn with(self, done: bool, words: &[&str]) -> String {
        let text = self.text();
        assert_eq!(self.done, done, "{}: {text}", self.command);
        for word in words {
            assert!(
                text.contains(word),
                "{}: no '{word}' in {text}",
                self.command
            );
        }
        text
    }
}
