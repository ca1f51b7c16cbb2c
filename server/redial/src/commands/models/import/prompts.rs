//! What no flag said: asked on the terminal, or listed.

use std::io::{BufRead, IsTerminal, Write};

use anyhow::{bail, ensure};

/// Where answers come from, and what could not be asked for.
pub struct Prompts<R> {
    answers: Option<R>,
    missing: Vec<String>,
}

impl Prompts<std::io::StdinLock<'static>> {
    /// Asks on standard input where that is a terminal.
    pub fn on_terminal() -> Self {
        let stdin = std::io::stdin();
        Self::of(stdin.is_terminal().then(|| stdin.lock()))
    }
}

impl<R: BufRead> Prompts<R> {
    /// Asks where there are answers.
    pub fn of(answers: Option<R>) -> Self {
        Self {
            answers,
            missing: Vec::new(),
        }
    }

    /// What is said after a suggestion, where somebody can take it.
    pub fn taken_by_enter(&self) -> &'static str {
        match self.answers {
            Some(_) => " (Enter takes it)",
            None => "",
        }
    }

    /// Notes that `flag` is needed, for [`all_there`](Self::all_there).
    pub fn note(&mut self, flag: &str, what: &str) {
        self.missing.push(format!("  {flag}  {what}"));
    }

    /// What a flag said, or else the answer to a question; asked again until it can be
    /// read. With nobody to answer the flag is noted as missing.
    ///
    /// # Errors
    /// When the terminal gives no more answers.
    pub fn unless_told<T>(
        &mut self,
        told: Option<T>,
        flag: &str,
        what: &str,
        read: impl Fn(&str) -> Result<T, String>,
    ) -> anyhow::Result<Option<T>> {
        if told.is_some() {
            return Ok(told);
        }
        let Some(answers) = &mut self.answers else {
            self.note(flag, what);
            return Ok(None);
        };
        let mut out = std::io::stderr();
        loop {
            write!(out, "{what}\n{flag} ")?;
            out.flush()?;
            let mut line = String::new();
            ensure!(answers.read_line(&mut line)? > 0, "{flag} was not answered");
            match read(line.trim()) {
                Ok(value) => return Ok(Some(value)),
                Err(problem) => writeln!(out, "  {problem}")?,
            }
        }
    }

    /// Stops with a list of all that is missing.
    ///
    /// # Errors
    /// When something is.
    pub fn all_there(&self) -> anyhow::Result<()> {
        if self.missing.is_empty() {
            return Ok(());
        }
        bail!(
            "more has to be known; on a terminal it is asked for:\n{}",
            self.missing.join("\n")
        )
    }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::super::flags::threshold;
    use super::*;

    #[test]
    fn it_asks_until_an_answer_can_be_read() {
        let mut ask = Prompts::of(Some(Cursor::new("half\n 0.5 \n")));
        let said = ask
            .unless_told(None, "--threshold", "When is it solved?", threshold)
            .unwrap();
        assert_eq!(said, Some(0.5));
        let told = ask.unless_told(Some(0.25), "--threshold", "When?", threshold);
        assert_eq!(told.unwrap(), Some(0.25));
        let silent = ask.unless_told(None, "--threshold", "When?", threshold);
        assert!(silent.unwrap_err().to_string().contains("--threshold"));
    }

    #[test]
    fn with_nobody_there_all_that_is_missing_is_listed() {
        let mut ask = Prompts::<Cursor<&str>>::of(None);
        ask.all_there().unwrap();
        for flag in ["--threshold", "--distance"] {
            let said = ask.unless_told(None, flag, "needed", threshold).unwrap();
            assert_eq!(said, None);
        }
        let listed = ask.all_there().unwrap_err().to_string();
        assert!(listed.contains("--threshold  needed") && listed.contains("--distance"));
    }
}
