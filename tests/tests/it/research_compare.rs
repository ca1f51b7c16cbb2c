//! Everybody on one question, some of them side by side, and what is saved of them: each number on the pages is that of
//! `redial export`.

use std::collections::BTreeMap;
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use base64::Engine as _;
use base64::prelude::BASE64_STANDARD;
use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::area::{self, address, said, says};
use tests::browser::Browser;
use tests::export::Export;
use tests::scene::in_browser;
use tests::server::{self, Server};
use tests::{tools, wait};

const STUDY: &str = "compared";

/// How many simulated people take the study.
const PEOPLE: usize = 12;

#[tokio::test]
async fn sessions_are_compared_on_one_question() -> Result<()> {
    in_browser("research-compare", 600, taken(), walk).await
}

/// Questions that are the same for all, about curves and about pictures.
fn study() -> Value {
    let stage = |model: &str| {
        json!({"kind": "stage", "id": model, "task": {
            "kind": "reconstruction", "model": model, "questions": 2, "same_for_all": {"seed": 4}}})
    };
    json!({
        "format": 2, "id": STUDY, "title": "Compared", "seed": 11,
        "parts": [stage("sinelines-gt5"), stage("dsprites-gt5")]
    })
}

/// A server whose study simulated people have taken.
async fn taken() -> Result<Server> {
    let mut server = Server::start_with(|studies| server::add(studies, &study())).await?;
    // One program at a time writes to a database.
    server.stop().await?;
    let people = PEOPLE.to_string();
    let mixture = "coordinate_ascent=0.6,gives_up=0.4";
    let arguments = [
        "simulate",
        STUDY,
        "--participants",
        &people,
        "--strategy",
        mixture,
    ];
    said(&server, &arguments)?;
    server.restart().await?;
    Ok(server)
}

struct Page<'a> {
    server: &'a Server,
    browser: &'a Browser,
    questions: Vec<Value>,
    snapshots: Vec<Value>,
}

/// A row of the table of lines.
#[derive(Debug, serde::Deserialize)]
struct Line {
    session: String,
    points: String,
    lasted_ms: String,
    best: Option<String>,
    outcome: String,
}

const LINES: &str = "const rows = document.querySelectorAll('[data-testid=lines] tbody tr');
    return [...rows].map(row => ({
        session: row.dataset.session, points: row.dataset.points,
        outcome: row.children[2].innerText.trim(), lasted_ms: row.children[3].dataset.exact,
        best: row.children[4].dataset.exact ?? null,
    }))";

/// Keeps what the page saves instead of having the browser save it.
const KEEP: &str = "window.kept = [];
    const made = new Map();
    const make = URL.createObjectURL;
    URL.createObjectURL = blob => {
        const address = make.call(URL, blob);
        made.set(address, blob);
        return address;
    };
    HTMLAnchorElement.prototype.click = function () {
        window.kept.push({ name: this.download, blob: made.get(this.href) });
    };";

/// The last file that was saved: its name and its bytes.
const KEPT: &str = "const { name, blob } = window.kept.at(-1);
    const read = new FileReader();
    const done = new Promise(resolve => { read.onload = resolve; });
    read.readAsDataURL(blob);
    await done;
    return { name, base64: read.result.split(',')[1] };";

async fn walk(server: &Server, browser: &Browser) -> Result<()> {
    area::sign_in(server, browser, STUDY).await?;
    let export = Export::with(server, STUDY, &["--simulated"])?;
    let page = Page {
        server,
        browser,
        questions: export.table("reconstruction_questions")?,
        snapshots: export.table("reconstruction_snapshots")?,
    };
    let question = page.everybody().await?;
    page.the_plot_is_saved().await?;
    page.a_line_leads_to_its_moment(&question).await?;
    page.side_by_side(&question).await?;
    page.saved().await?;
    page.left_out(&question).await?;
    page.by_the_table().await
}

fn text(row: &Value, column: &str) -> String {
    match &row[column] {
        Value::String(text) => text.clone(),
        other => other.to_string(),
    }
}

/// The same question has the same start and target.
fn which(row: &Value) -> [String; 3] {
    ["model", "start_z", "target_z"].map(|column| text(row, column))
}

impl Page<'_> {
    async fn goto(&self, page: &str) -> Result<()> {
        let page = format!("/studies/{STUDY}{page}");
        self.browser.goto(&address(self.server, &page)).await
    }

    async fn lines(&self) -> Result<Vec<Line>> {
        let found = self.browser.look(LINES, vec![]).await?;
        Ok(serde_json::from_value(found)?)
    }

    async fn await_lines(&self, count: usize) -> Result<Vec<Line>> {
        let limit = Duration::from_secs(60);
        wait::until(&format!("{count} lines"), limit, async || {
            let lines = self.lines().await?;
            Ok((lines.len() == count).then_some(lines))
        })
        .await
    }

    /// The stored states of a question of a session: when, and how near.
    fn states(&self, question: &Value) -> Vec<(u64, f64)> {
        let same = |row: &&Value| {
            ["session", "stage", "question"]
                .iter()
                .all(|column| row[*column] == question[*column])
        };
        let mine = self.snapshots.iter().filter(same);
        let state =
            |row: &Value| Some((row["elapsed_ms"].as_u64()?, 1.0 - row["distance"].as_f64()?));
        mine.filter_map(state).collect()
    }

    /// The rows of the export about the question that a session of the page shows.
    fn asked<'a>(&'a self, session: &str, lasted_ms: &str) -> Result<Vec<&'a Value>> {
        let lasted = |row: &Value| {
            let seconds = row["response_time_s"].as_f64().unwrap_or(-1.0);
            format!("{:.0}", seconds * 1_000.0) == lasted_ms
        };
        let mut mine = self.questions.iter();
        let mine = mine.find(|row| text(row, "session") == session && lasted(row));
        let mine = mine.context("the export has no such question")?;
        let same = self.questions.iter();
        Ok(same.filter(|row| which(row) == which(mine)).collect())
    }

    /// The list of questions, and everybody on the first of them, are what the export has.
    async fn everybody(&self) -> Result<String> {
        self.goto("/questions?of=simulated").await?;
        self.browser.await_screen("questions").await?;
        let mut groups = BTreeMap::<[String; 3], usize>::new();
        for row in &self.questions {
            *groups.entry(which(row)).or_default() += 1;
        }
        let listed = "return [...document.querySelectorAll('[data-testid=questions] tbody tr')]
            .map(row => [row.dataset.question, Number(row.children[2].innerText)])";
        let rows: Vec<(String, usize)> =
            wait::until("the questions", Duration::from_secs(60), async || {
                let found = self.browser.look(listed, vec![]).await?;
                let rows: Vec<(String, usize)> = serde_json::from_value(found)?;
                Ok((!rows.is_empty()).then_some(rows))
            })
            .await?;
        let mut expected: Vec<usize> = groups.into_values().filter(|it| *it > 1).collect();
        expected.sort_by_key(|count| std::cmp::Reverse(*count));
        let found: Vec<usize> = rows.iter().map(|(_, count)| *count).collect();
        ensure!(found == expected, "{found:?} sessions are not {expected:?}");
        area::look(self.browser, "questions").await?;

        // The last one is about pictures.
        let (question, count) = rows.last().context("no question")?.clone();
        let press = format!("[data-question='{question}'] a");
        self.browser.click_css(&press).await?;
        let lines = self.await_lines(count).await?;
        let asked = self.asked(&lines[0].session, &lines[0].lasted_ms)?;
        ensure!(asked.len() == lines.len(), "{} in the export", asked.len());
        for line in &lines {
            let row = asked
                .iter()
                .find(|row| text(row, "session") == line.session);
            let row = row.context("a session that the export has not")?;
            let states = self.states(row);
            ensure!(line.points == states.len().to_string(), "{line:?}");
            let best = states
                .iter()
                .map(|(_, alignment)| *alignment)
                .reduce(f64::max);
            ensure!(
                line.best == best.map(|it| it.to_string()),
                "{line:?} is not {best:?}"
            );
            let solved = text(row, "outcome") == "solved";
            ensure!(solved == (line.outcome == "Solved"), "{line:?}");
        }
        area::look(self.browser, "all-on-one-question").await?;
        self.filtered(&lines).await?;
        Ok(question)
    }

    /// Outcomes can be left out; the address keeps it.
    async fn filtered(&self, lines: &[Line]) -> Result<()> {
        let solved = lines.iter().filter(|it| it.outcome == "Solved").count();
        ensure!(
            solved > 0 && solved < lines.len(),
            "{solved} of {}",
            lines.len()
        );
        let css = "[data-testid=outcomes] [data-outcome=solved]";
        self.browser.click_css(css).await?;
        let left = self.await_lines(lines.len() - solved).await?;
        ensure!(left.iter().all(|it| it.outcome != "Solved"), "{left:?}");
        let (address, _) = self.browser.address().await?;
        ensure!(address.contains("without=solved"), "{address}");
        self.browser.reload().await?;
        self.await_lines(lines.len() - solved).await?;
        self.browser.click_css(css).await?;
        self.await_lines(lines.len()).await?;
        Ok(())
    }

    /// With the pointer on the drawing, and with the keyboard in the table.
    async fn a_line_leads_to_its_moment(&self, question: &str) -> Result<()> {
        // It clicks nothing itself: a driver may run a script again whose page has gone on to another one.
        let find = "const chart = document.querySelector('[data-testid=curves]');
            chart.scrollIntoView({ block: 'center', behavior: 'instant' });
            const box = chart.getBoundingClientRect();
            const canvas = chart.querySelector('canvas');
            const x = Math.round(box.left + box.width * 0.2);
            for (let y = Math.round(box.top) + 8; y < box.bottom - 20; y += 3) {
                canvas.dispatchEvent(new PointerEvent('pointermove',
                    { clientX: x, clientY: y, bubbles: true, button: 0, pointerId: 1 }));
                await new Promise(done => setTimeout(done, 5));
                if (document.querySelector('[data-testid=meant]').innerText.startsWith('Session')) {
                    return [x, y];
                }
            }
            return null;";
        let found = self.browser.look_async(find, vec![]).await?;
        let place: Option<(f64, f64)> = serde_json::from_value(found)?;
        let (x, y) = place.context("no line is under the pointer")?;
        self.browser.click_at(x, y).await?;
        self.browser.await_screen("replay").await?;
        says(self.browser, "place", "uestion").await?;
        says(self.browser, "event", "of").await?;
        let (moment, _) = self.browser.address().await?;
        ensure!(moment.contains("?t="), "{moment}");
        self.browser.back().await?;
        self.browser.await_screen("questions").await?;
        let (address, _) = self.browser.address().await?;
        ensure!(address.contains(question), "{address}");
        wait::until("the lines", Duration::from_secs(60), async || {
            Ok((!self.lines().await?.is_empty()).then_some(()))
        })
        .await?;
        let focus = "document.querySelector('[data-testid=to-line]').focus();
            return document.querySelectorAll('tr.area-is-meant').length";
        self.browser.look(focus, vec![]).await?;
        says(self.browser, "meant", "Session").await?;
        self.browser.keys(&[Key::Enter.into()]).await?;
        self.browser.await_screen("replay").await?;
        says(self.browser, "place", "uestion").await?;
        self.browser.back().await?;
        self.browser.await_screen("questions").await
    }

    /// Three of them with one clock: each at its own moment is where the export says.
    async fn side_by_side(&self, question: &str) -> Result<()> {
        let lines = wait::until("the lines", Duration::from_secs(60), async || {
            let lines = self.lines().await?;
            Ok((lines.len() > 3).then_some(lines))
        })
        .await?;
        says(self.browser, "beside-none", "Choose two to four").await?;
        // The quickest two, and the one that took the longest.
        let chosen = [0, 1, lines.len() - 1];
        let choose = "for (const place of arguments) {
            document.querySelectorAll('[data-testid=lines] [data-testid=choose]')[place].click();
        }";
        let places = chosen.iter().map(|place| (*place).into()).collect();
        self.browser.click_by(choose, places).await?;
        self.browser.click("beside").await?;
        self.browser.await_screen("beside").await?;
        says(self.browser, "common", "uestion").await?;
        let mut last_ms = 0;
        let mut states = Vec::new();
        for place in chosen {
            let line = &lines[place];
            let lasted_ms: u64 = line.lasted_ms.parse()?;
            last_ms = last_ms.max(lasted_ms);
            let asked = self.asked(&line.session, &line.lasted_ms)?;
            let row = asked
                .iter()
                .find(|row| text(row, "session") == line.session);
            states.push(self.states(row.context("no row")?));
        }
        for share in [0.2, 0.6] {
            let at_ms = (last_ms as f64 * share / 100.0).round() * 100.0;
            self.at(at_ms as u64, &states).await?;
        }
        let time = "return document.querySelector('[data-testid=time]').innerText";
        let before = (last_ms as f64 * 0.6 / 100.0).round() as u64 * 100;
        self.browser.click("step").await?;
        wait::until("the next event", Duration::from_secs(10), async || {
            let (address, _) = self.browser.address().await?;
            let at_ms = address.split_once("t=").and_then(|(_, t)| read(t));
            Ok((at_ms > Some(before)).then_some(()))
        })
        .await?;
        area::look(self.browser, "side-by-side").await?;
        let (address, _) = self.browser.address().await?;
        ensure!(
            address.contains(question) && address.contains("t="),
            "{address}"
        );
        // A link shows the same.
        let shown = self.browser.look(time, vec![]).await?;
        self.browser.reload().await?;
        says(self.browser, "time", shown.as_str().unwrap_or_default()).await?;
        let speed = "const speed = document.querySelector('[data-testid=speed]');
            speed.value = '16'; speed.dispatchEvent(new Event('change', { bubbles: true }));";
        self.browser.look(speed, vec![]).await?;
        self.browser.click("play").await?;
        says(self.browser, "play", "Pause").await?;
        let ends = "return [...document.querySelectorAll('[data-testid=now]')].every(it => it.innerText.includes('the end'))";
        wait::until("the end of all", Duration::from_secs(120), async || {
            let ended = self.browser.look(ends, vec![]).await?;
            Ok((ended == Value::Bool(true)).then_some(()))
        })
        .await?;
        says(self.browser, "play", "Play").await
    }

    /// At a moment of the common clock everybody is where the export says.
    async fn at(&self, at_ms: u64, states: &[Vec<(u64, f64)>]) -> Result<()> {
        let seek = "const slider = document.querySelector('[data-testid=moment]');
            slider.value = arguments[0]; slider.dispatchEvent(new Event('input', { bubbles: true }));";
        self.browser.look(seek, vec![at_ms.into()]).await?;
        let expected: Vec<String> = states
            .iter()
            .map(|states| {
                let begun = states.iter().take_while(|(ms, _)| *ms <= at_ms);
                let (_, alignment) = begun.last().copied().unwrap_or_default();
                format!("{:.1} %", alignment * 100.0)
            })
            .collect();
        let now = "return [...document.querySelectorAll('[data-testid=now]')].map(it => it.innerText.split(' at ')[0])";
        wait::until(
            &format!("{expected:?} at {at_ms}"),
            Duration::from_secs(30),
            async || {
                let found = self.browser.look(now, vec![]).await?;
                let found: Vec<String> = serde_json::from_value(found)?;
                Ok((found == expected).then_some(()))
            },
        )
        .await
    }

    /// What is saved: a picture, and frames with their times; none where somebody stops it.
    async fn saved(&self) -> Result<()> {
        let home = Key::Home.into();
        self.browser.keys(&[home]).await?;
        self.browser.look(KEEP, vec![]).await?;
        let open = "document.querySelector('[data-testid=save-as]').open = true";
        self.browser.look(open, vec![]).await?;
        self.browser.click("save-picture").await?;
        self.picture_is_saved("research-saved-picture", (2_500, 400))
            .await?;
        // Stopped at once there is no file.
        self.browser.click("save-frames").await?;
        self.browser.click("save-stop").await?;
        let gone = "return document.querySelector('[data-testid=save-progress]') === null";
        wait::until("it to stop", Duration::from_secs(30), async || {
            Ok((self.browser.look(gone, vec![]).await? == Value::Bool(true)).then_some(()))
        })
        .await?;
        let count = self
            .browser
            .look("return window.kept.length", vec![])
            .await?;
        ensure!(count.as_u64() == Some(1), "{count} files");
        self.browser.click("save-frames").await?;
        let (name, archive) = self.kept(2).await?;
        ensure!(name.ends_with("-frames.zip"), "{name}");
        let count = |needle: &[u8]| {
            archive
                .windows(needle.len())
                .filter(|it| *it == needle)
                .count()
        };
        // Stored as it is, so the table can be read in it.
        let words = String::from_utf8_lossy(&archive);
        let (_, table) = words
            .split_once("frame,file,clock_ms")
            .context("no table")?;
        let is_row = |line: &&str| {
            let cells = line.split_once(',');
            cells.is_some_and(|(frame, rest)| {
                frame.parse::<u32>().is_ok() && rest.starts_with("frame-")
            })
        };
        let rows = table.lines().skip(1).take_while(is_row).count();
        let frames = count(b"PK\x01\x02") - 1;
        ensure!(
            frames > 10 && rows == frames * 3,
            "{rows} rows of {frames} frames"
        );
        says(self.browser, "done", &format!("{frames} frames saved")).await
    }

    /// The plot of all lines.
    async fn the_plot_is_saved(&self) -> Result<()> {
        self.browser.look(KEEP, vec![]).await?;
        self.browser.click("save-plot").await?;
        self.picture_is_saved("research-saved-plot", (1_800, 900))
            .await
    }

    /// The first file that was saved is a picture, larger than so many pixels.
    async fn picture_is_saved(&self, screenshot: &str, least: (u32, u32)) -> Result<()> {
        let (name, picture) = self.kept(1).await?;
        ensure!(name.starts_with(STUDY) && name.ends_with(".png"), "{name}");
        ensure!(picture.starts_with(b"\x89PNG"), "{name} is no PNG file");
        let size = |from: usize| {
            let bytes: [u8; 4] = picture[from..from + 4].try_into().unwrap_or_default();
            u32::from_be_bytes(bytes)
        };
        let (width, height) = (size(16), size(20));
        ensure!(width > least.0 && height > least.1, "{width} × {height}");
        let seen = tools::screenshots().join(format!("{screenshot}.png"));
        tools::keep_picture(&seen, &picture)
    }

    /// The file that was saved as the n-th.
    async fn kept(&self, number: u64) -> Result<(String, Vec<u8>)> {
        wait::until("a file", Duration::from_secs(180), async || {
            let count = self
                .browser
                .look("return window.kept.length", vec![])
                .await?;
            Ok((count.as_u64() == Some(number)).then_some(()))
        })
        .await?;
        let kept = self.browser.look_async(KEPT, vec![]).await?;
        let bytes = kept["base64"].as_str().context("no bytes")?;
        Ok((text(&kept, "name"), BASE64_STANDARD.decode(bytes)?))
    }

    /// Who has not begun the question is named, and who cannot be read.
    async fn left_out(&self, question: &str) -> Result<()> {
        let sessions: Vec<String> = self.lines_of_export();
        let nobody = "0123456789abcdef";
        let three = format!("{},{},nobody", sessions[0], sessions[1]);
        self.goto(&format!("/beside?sessions={three}&question={question}"))
            .await?;
        says(self.browser, "left-out", "Session nobody is left out").await?;
        let columns = "return document.querySelectorAll('[data-testid=column]').length";
        let count = self.browser.look(columns, vec![]).await?;
        ensure!(count.as_u64() == Some(2), "{count} columns");
        self.goto(&format!("/beside?sessions={three}&question={nobody}"))
            .await?;
        says(self.browser, "left-out", "has not begun this question").await?;
        self.goto(&format!("/beside?sessions={}", sessions[0]))
            .await?;
        says(self.browser, "how-many", "One session is chosen").await
    }

    fn lines_of_export(&self) -> Vec<String> {
        let mut all: Vec<String> = self
            .questions
            .iter()
            .map(|row| text(row, "session"))
            .collect();
        all.sort();
        all.dedup();
        all
    }

    /// From the table of sessions the page finds what they have in common.
    async fn by_the_table(&self) -> Result<()> {
        self.goto("/people?filter=purpose%3Dsimulated").await?;
        wait::until("sessions", Duration::from_secs(60), async || {
            let rows = "return document.querySelectorAll('[data-testid=sessions] [data-testid=choose]').length";
            let rows = self.browser.look(rows, vec![]).await?;
            Ok((rows.as_u64() >= Some(2)).then_some(()))
        })
        .await?;
        let choose =
            "const all = document.querySelectorAll('[data-testid=sessions] [data-testid=choose]');
            all[0].click(); all[1].click();";
        self.browser.click_by(choose, vec![]).await?;
        self.browser.click("beside").await?;
        self.browser.await_screen("beside").await?;
        says(self.browser, "common", "All of dsprites-gt5").await?;
        let model = "const common = document.querySelector('[data-testid=common]');
            const option = [...common.options].find(it => it.text === 'All of dsprites-gt5');
            common.value = option.value; common.dispatchEvent(new Event('change', { bubbles: true }));";
        self.browser.look(model, vec![]).await?;
        wait::until("the address", Duration::from_secs(10), async || {
            let (address, _) = self.browser.address().await?;
            Ok(address.contains("model=dsprites-gt5").then_some(()))
        })
        .await
    }
}

/// A moment as the address has it, in milliseconds.
fn read(t: &str) -> Option<u64> {
    let (minutes, seconds) = t.split_once('m').unwrap_or(("0", t));
    let seconds: f64 = seconds.strip_suffix('s')?.parse().ok()?;
    Some(minutes.parse::<u64>().ok()? * 60_000 + (seconds * 1_000.0).round() as u64)
}
