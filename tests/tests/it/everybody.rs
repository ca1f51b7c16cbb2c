//! What must hold for everybody: little is announced, help goes away by itself, a phone's header says how
//! far it is, cards say how saving stands, long words and large letters fit, and colours that the system
//! chooses hide nothing.

use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::{Result, ensure};
use fantoccini::key::Key;
use serde_json::{Value, json};
use tests::browser::{Browser, Hand, PATIENCE};
use tests::pages::{QuestionPage, QuestionnairePage, StageIntro, StudyPage};
use tests::scene::in_browser;
use tests::server::{Server, add};
use tests::{tools, wait};

const STUDY: &str = "everybody";
/// 39 letters.
const LONG: &str = "Rechtsschutzversicherungsgesellschaften";
/// How long a dial is moved while it is counted what is announced.
const MOVING: Duration = Duration::from_secs(20);

fn prepare(studies: &Path) -> Result<()> {
    let ends = json!({ "min_label": LONG, "max_label": LONG });
    let item = |id: &str, kind: &str, more: Value| {
        let mut answer = json!({ "kind": kind });
        for (name, value) in more.as_object().into_iter().flatten() {
            answer[name] = value.clone();
        }
        json!({ "id": id, "text": LONG, "hint": LONG, "answer": answer,
                "prefer_not": true, "dont_know": true })
    };
    let with = |mut ends: Value, more: Value| {
        for (name, value) in more.as_object().into_iter().flatten() {
            ends[name] = value.clone();
        }
        ends
    };
    let options = json!([{ "id": "a", "text": LONG }, { "id": "b", "text": LONG }]);
    let items = json!([
        item(
            "points",
            "scale",
            with(ends.clone(), json!({ "min": 1, "max": 7 }))
        ),
        item("effort", "gradations", ends.clone()),
        item("demand", "gradations", ends.clone()),
        item(
            "share",
            "slider",
            with(ends, json!({ "min": 0, "max": 100 }))
        ),
        item("one", "choice", json!({ "options": options })),
        item("menu", "dropdown", json!({ "options": options })),
        item("order", "ranking", json!({ "options": options })),
        item(
            "rows",
            "matrix",
            json!({ "points": ["1", "2", "3", "4", LONG],
            "rows": [{ "id": "r", "text": LONG }] })
        ),
        item("words", "text", json!({ "max_length": 200 })),
    ]);
    let study = json!({ "format": 2, "id": STUDY, "title": LONG, "mode": "lab", "parts": [
        { "kind": "consent", "file": "consent.md", "investigator": LONG, "contact": "ada@example.org",
          "duration_minutes": 9 },
        { "kind": "questionnaire", "id": "form", "title": LONG, "intro": LONG, "items": items },
        { "kind": "break", "id": "rest" },
        { "kind": "stage", "id": "circles", "task": { "kind": "reconstruction", "model": "circles",
          "questions": 4, "rename_dials": true, "target_alignment_percent": 100 } } ] });
    add(studies, &study)?;
    let text = format!("# {LONG}\n\nYou turn dials until two pictures match. {LONG}.\n");
    Ok(std::fs::write(
        studies.join(STUDY).join("consent.md"),
        text,
    )?)
}

#[tokio::test]
async fn everybody_can_take_part() -> Result<()> {
    in_browser(STUDY, 400, Server::start_with(prepare), take).await
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    let first = StudyPage::open(browser, server.address(), STUDY).await?;
    fits(browser, "consent").await?;
    first.start().await?;
    browser.await_screen("questionnaire").await?;
    fits(browser, "form").await?;
    forced_colours(browser).await?;
    is_one_table(browser).await?;
    // Of a form of which nothing is wrong no line is kept for what could be.
    let lines =
        "return [...document.querySelectorAll('.item-problem')].filter(p => p.offsetHeight).length";
    ensure!(browser.look(lines, vec![]).await? == json!(0));
    QuestionnairePage(browser).fill_in().await?;

    browser.await_screen("break").await?;
    browser.await_save_state("saved").await?;
    kept(browser, "Everything so far is saved.").await?;
    fits(browser, "break").await?;
    browser.set_offline(true).await?;
    browser.press("break-end").await?;
    browser.await_screen("stage-intro").await?;
    browser.await_save_state("offline").await?;
    let picture = "return !!document.querySelector('.intro-picture canvas')";
    ensure!(
        browser.look(picture, vec![]).await? == json!(true),
        "no picture of what comes"
    );
    fits(browser, "intro").await?;
    browser.set_offline(false).await?;
    browser.await_save_state("saved").await?;
    said(browser, "Your work is saved again").await?;

    StageIntro(browser).begin().await?;
    let question = QuestionPage::on_screen(browser, Hand::Keyboard, PATIENCE).await?;
    fits(browser, "question").await?;
    header_of_a_phone(browser).await?;
    typing_on_a_phone(browser).await?;
    help_goes_away(browser).await?;
    little_is_announced(browser).await?;
    drop(question);
    Ok(())
}

async fn kept(browser: &Browser, expected: &str) -> Result<()> {
    wait::until(expected, PATIENCE, async || {
        Ok((browser.element("kept").await?.text().await? == expected).then_some(()))
    })
    .await
}

async fn said(browser: &Browser, expected: &str) -> Result<()> {
    let said = "return document.querySelector('[data-testid=save-said]').textContent";
    wait::until(expected, PATIENCE, async || {
        Ok((browser.look(said, vec![]).await? == expected).then_some(()))
    })
    .await
}

/// Nothing is wider than a phone, nor with letters of twice the size.
async fn fits(browser: &Browser, name: &str) -> Result<()> {
    let script = "
        document.documentElement.style.fontSize = arguments[0];
        const out = [...document.querySelectorAll('body *')].filter(e => {
          const box = e.getBoundingClientRect();
          return box.width && e.checkVisibility() && getComputedStyle(e).clipPath === 'none' &&
                 !e.closest('.frames, .visually-hidden, .table-scroll, .bar-track') && (box.right > innerWidth + 1 || box.left < -1);
        });
        const parts = [...document.querySelectorAll('.site-header > *')].map(e => e.getBoundingClientRect())
          .filter(box => box.width > 1 && box.height > 8);
        const over = parts.some((a, i) => parts.slice(i + 1).some(b =>
          a.left < b.right - 1 && b.left < a.right - 1 && a.top < b.bottom - 1 && b.top < a.bottom - 1));
        if (over) out.push(document.querySelector('.site-header'));
        const beyond = document.documentElement.scrollWidth - innerWidth;
        return beyond > 0 || out.length ? [beyond, ...out.slice(0, 3).map(e => e.outerHTML.slice(0, 160))] : [];";
    browser.resize(360, 740).await?;
    let mut wide = Vec::new();
    for size in ["200%", ""] {
        browser
            .look(
                "document.documentElement.style.fontSize = arguments[0]",
                vec![json!(size)],
            )
            .await?;
        let found = browser.look(script, vec![json!(size)]).await?;
        let shown = if size.is_empty() { "normal" } else { "large" };
        let picture = format!("everybody-{name}-{shown}.png");
        browser
            .screenshot(&tools::screenshots().join(picture))
            .await?;
        if found != json!([]) {
            wide.push(format!("{name}, {shown}: {found}"));
        }
    }
    browser.resize(1280, 800).await?;
    ensure!(wide.is_empty(), "{}", wide.join("\n"));
    Ok(())
}

/// Lines and what is chosen are seen where the system chooses the colours.
async fn forced_colours(browser: &Browser) -> Result<()> {
    let features =
        |value: &str| json!({ "features": [{ "name": "forced-colors", "value": value }] });
    browser
        .devtools("Emulation.setEmulatedMedia", features("active"))
        .await?;
    browser.tick(Hand::Pointer, "item-points-4").await?;
    let script = "
        const ground = getComputedStyle(document.querySelector('.item')).backgroundColor;
        const colour = css => getComputedStyle(document.querySelector(css)).backgroundColor;
        return ['.session-progress div', '.gradations span', '.point input:checked + span', '.save-state']
          .filter(css => css === '.save-state'
            ? getComputedStyle(document.querySelector(css), '::before').backgroundColor === ground
            : colour(css) === ground);";
    let unseen = browser.look(script, vec![]).await?;
    browser
        .screenshot(&tools::screenshots().join("everybody-forced-colours.png"))
        .await?;
    browser
        .devtools("Emulation.setEmulatedMedia", features("none"))
        .await?;
    ensure!(unseen == json!([]), "as the ground: {unseen}");
    Ok(())
}

/// Lines that follow each other stand in one box, and the words of their ends beside them.
async fn is_one_table(browser: &Browser) -> Result<()> {
    let script = "
        const box = css => document.querySelector(css).getBoundingClientRect();
        const [above, below] = ['effort', 'demand'].map(id => box(`[data-item=${id}]`));
        const line = box('[data-item=effort] .line'), ends = document.querySelectorAll('[data-item=effort] .end');
        const beside = [...ends].every(e => {
          const end = e.getBoundingClientRect();
          return end.top < line.bottom && end.bottom > line.top && (end.right <= line.left || end.left >= line.right);
        });
        return [Math.abs(below.top - above.bottom) <= 2, beside];";
    let found = browser.look(script, vec![]).await?;
    ensure!(found == json!([true, true]), "{found}");
    Ok(())
}

/// The number of the question and the time that is left, in place of a title.
async fn header_of_a_phone(browser: &Browser) -> Result<()> {
    let place = "
        const shown = e => e && e.getBoundingClientRect().width > 0;
        return [document.querySelector('.site-place').innerText.replace(/\\s+/g, ' ').trim(),
                shown(document.querySelector('.site-title'))];";
    browser.resize(360, 740).await?;
    let narrow = browser.look(place, vec![]).await?;
    browser.resize(1280, 800).await?;
    let wide = browser.look(place, vec![]).await?;
    // Two of six steps are done.
    ensure!(
        narrow == json!(["Question 1 of 4 about 6 minutes left", false]),
        "on a phone: {narrow}"
    );
    ensure!(
        wide == json!(["about 6 minutes left", true]),
        "on a laptop: {wide}"
    );
    Ok(())
}

/// While a name is typed on a phone nothing else stands above the page.
async fn typing_on_a_phone(browser: &Browser) -> Result<()> {
    browser.resize(360, 740).await?;
    browser.press("dial-0-name").await?;
    let script = "return ['.viewing', '.ways-out'].map(css =>
        getComputedStyle(document.querySelector(css)).position)";
    let typing = browser.look(script, vec![]).await?;
    browser.keys(&[Key::Escape.into()]).await?;
    let after = browser.look(script, vec![]).await?;
    browser.resize(1280, 800).await?;
    ensure!(typing == json!(["static", "static"]), "{typing}");
    ensure!(after != typing, "{after}");
    Ok(())
}

async fn help_goes_away(browser: &Browser) -> Result<()> {
    let open = "return document.querySelector('.help').open";
    let is_open = async || Ok::<_, anyhow::Error>(browser.look(open, vec![]).await? == json!(true));
    browser.click_css(".help summary").await?;
    ensure!(is_open().await?, "help does not open");
    browser.keys(&[Key::Escape.into()]).await?;
    ensure!(!is_open().await?, "Escape leaves help open");
    browser.click_css(".help summary").await?;
    browser.click_css(".question-head").await?;
    ensure!(!is_open().await?, "a click elsewhere leaves help open");
    browser.click_css(".help summary").await?;
    browser.tab_to("dial-0").await?;
    ensure!(!is_open().await?, "help stays open over what follows");
    Ok(())
}

/// Nothing but the alignment at rest is announced while a dial is moved; that twice in 20 s at most.
async fn little_is_announced(browser: &Browser) -> Result<()> {
    browser
        .look(
            "window.announced = [];
             const live = '[role=status], [role=alert], [aria-live=polite], [aria-live=assertive]';
             new MutationObserver(changes => {
               for (const change of changes) {
                 const node = change.target.nodeType === 1 ? change.target : change.target.parentElement;
                 const region = node?.closest(live);
                 if (region) announced.push(region.textContent);
               }
             }).observe(document.body, { subtree: true, childList: true, characterData: true });",
            vec![],
        )
        .await?;
    browser.tab_to("dial-0").await?;
    let begun = Instant::now();
    let mut way = 0_usize;
    while begun.elapsed() < MOVING {
        let key = if way % 60 < 30 { Key::Right } else { Key::Left };
        browser.keys(&[key.into()]).await?;
        way += 1;
    }
    let announced = browser.look("return announced", vec![]).await?;
    println!("{way} keys; announced: {announced}");
    let count = announced.as_array().map_or(0, Vec::len);
    ensure!(count <= 2, "{count} announcements in 20 s: {announced}");
    Ok(())
}
