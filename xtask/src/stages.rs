//! How long the stages of a build take.

use anyhow::{Context, Result};
use std::fs;
use std::time::{Duration, Instant};

/// Stages that are over, in order.
#[derive(Default)]
pub struct Stages(Vec<Stage>);

struct Stage {
    name: String,
    wall: Duration,
    /// User and system time of the programs that ended in it; where the system says it.
    cpu_s: Option<f64>,
}

impl Stages {
    /// Runs a stage.
    pub fn time<T>(&mut self, name: &str, stage: impl FnOnce() -> T) -> T {
        let (start, before) = (Instant::now(), cpu_s());
        let result = stage();
        self.0.push(Stage {
            name: name.to_owned(),
            wall: start.elapsed(),
            cpu_s: cpu_s().zip(before).map(|(after, before)| after - before),
        });
        result
    }

    /// The stages for another process of xtask, a line each: name, seconds of wall and of CPU time.
    pub fn lines(&self) -> String {
        let line = |stage: &Stage| {
            let cpu = stage.cpu_s.map_or_else(String::new, |s| s.to_string());
            format!("{}\t{}\t{cpu}\n", stage.name, stage.wall.as_secs_f64())
        };
        self.0.iter().map(line).collect()
    }

    /// Adds the stages that another process wrote as [`lines`](Self::lines), under a word that says which.
    ///
    /// # Errors
    /// When they are none.
    pub fn add(&mut self, word: &str, lines: &str) -> Result<()> {
        for line in lines.lines() {
            let parse = || {
                let (name, times) = line.split_once('\t')?;
                let (wall, cpu) = times.split_once('\t')?;
                Some(Stage {
                    name: format!("{word}: {name}"),
                    wall: Duration::try_from_secs_f64(wall.parse().ok()?).ok()?,
                    cpu_s: cpu.parse().ok(),
                })
            };
            let stage = parse().with_context(|| format!("no stage of a build: {line}"))?;
            self.0.push(stage);
        }
        Ok(())
    }

    /// The stages and their sum, a line each.
    pub fn table(&self) -> String {
        let sum = Stage {
            name: "all".to_owned(),
            wall: self.0.iter().map(|stage| stage.wall).sum(),
            cpu_s: self.0.iter().map(|stage| stage.cpu_s).sum(),
        };
        let line = |stage: &Stage| {
            let cpu = stage
                .cpu_s
                .map_or_else(|| "?".to_owned(), |s| format!("{s:.0}"));
            let wall = stage.wall.as_secs_f64();
            format!("{:<40} {wall:>8.0} s {cpu:>8} CPU-s\n", stage.name)
        };
        self.0.iter().chain([&sum]).map(line).collect()
    }
}

/// User and system time of this process and of its children that have ended, from
/// `/proc/self/stat`; none where there is no such file.
fn cpu_s() -> Option<f64> {
    parse(&fs::read_to_string("/proc/self/stat").ok()?)
}

/// Fields 14 to 17, in hundredths of a second: what Linux shows to every program.
fn parse(stat: &str) -> Option<f64> {
    // The second field, the program's name, may hold blanks and brackets.
    let fields = stat.rsplit_once(')')?.1.split_whitespace().skip(11);
    let ticks: Vec<f64> = fields
        .take(4)
        .map_while(|field| field.parse().ok())
        .collect();
    (ticks.len() == 4).then(|| ticks.iter().sum::<f64>() / 100.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cpu_time_is_that_of_the_process_and_its_children() {
        let stat = "7 (a) b) R 1 7 7 0 -1 4194304 1 2 3 4 150 50 1000 300 20 0 1 0 99";
        assert_eq!(parse(stat), Some(15.0));
        assert_eq!(parse("7 (a) R 1"), None);
    }

    #[test]
    fn stages_add_up() {
        let mut stages = Stages::default();
        assert_eq!(stages.time("one", || 1), 1);
        stages.time("two", || ());
        let table = stages.table();
        let names: Vec<_> = table
            .lines()
            .map(|line| line.split_whitespace().next().unwrap())
            .collect();
        assert_eq!(names, ["one", "two", "all"]);
        let mut outer = Stages::default();
        outer.add("later", &stages.lines()).unwrap();
        assert_eq!(outer.0[1].name, "later: two");
        assert_eq!(outer.0[0].cpu_s, stages.0[0].cpu_s);
        assert!(outer.add("later", "one 1 2").is_err());
    }
}
