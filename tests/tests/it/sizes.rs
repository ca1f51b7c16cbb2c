//! Pictures, previews and sliders: where they are, that they stay as large as they were, and that the log has their sizes.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use serde_json::{Value, json};
use tests::browser::{Browser, PATIENCE};
use tests::export::Export;
use tests::pages::{Hand, QuestionPage, StageIntro};
use tests::scene::in_browser;
use tests::server::{Server, add};
use tests::tools;

const STUDY: &str = "sizes";
/// Some heartbeats of the page.
const RESTS: Duration = Duration::from_millis(600);
/// Widths from a phone to a desktop, with usual heights.
const WINDOWS: [(u32, u32); 4] = [(360, 740), (768, 1024), (1280, 720), (1440, 900)];

fn stage(id: &str, task: Value) -> Value {
    json!({ "kind": "stage", "id": id, "task": task })
}

fn study(id: &str, parts: &Value) -> Value {
    json!({ "format": 2, "id": id, "title": "Sizes", "mode": "lab", "parts": parts })
}

/// Opens a study, by what follows in its address, at its first question.
async fn begin(server: &Server, browser: &Browser, study: &str) -> Result<()> {
    let address = format!("http://{}/study/{study}", server.address());
    browser.goto(&address).await?;
    browser.await_screen("study").await?;
    browser.click("start").await?;
    StageIntro(browser).begin().await
}

/// After the page was laid out anew.
async fn resize(browser: &Browser, (width, height): (u32, u32), name: &str) -> Result<()> {
    browser.resize(width, height).await?;
    let frames = "for (let i = 0; i < 3; i++) await new Promise(requestAnimationFrame)";
    browser.look_async(frames, vec![]).await?;
    let picture = tools::screenshots().join(format!("{name}-{width}.png"));
    browser.screenshot(&picture).await
}

#[tokio::test]
async fn previews_stand_where_the_thumb_does() -> Result<()> {
    let strips = json!({ "kind": "reconstruction", "model": "mnist-ss5", "questions": 1,
                         "feedforward": "filmstrip" });
    let parts = json!([stage("strips", strips)]);
    let server = Server::start_with(move |studies| {
        add(studies, &study("left", &parts))?;
        add(studies, &study("right", &parts))
    });
    in_browser("sizes-strips", 300, server, async |server, browser| {
        for study in ["left?lang=en", "right?lang=ar-XB"] {
            begin(server, browser, study).await?;
            QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
            for window in WINDOWS {
                resize(browser, window, "strips").await?;
                let found = browser.look(PREVIEWS, vec![]).await?;
                let strips = found.as_array().context("strips were expected")?;
                ensure!(strips.len() == 6, "{} strips", strips.len());
                for strip in strips {
                    let (off, apart) = (strip["off"].as_f64(), strip["apart"].as_f64());
                    ensure!(
                        off <= Some(2.0) && off.is_some(),
                        "{study} {window:?}: {found}"
                    );
                    ensure!(apart >= Some(0.0), "they overlap at {window:?}: {found}");
                }
            }
        }
        Ok(())
    })
    .await
}

/// Of each strip how far a preview's middle is from the place that it belongs to, at most, and how far neighbours are apart.
/// A slider's thumb, 26 px wide, goes from end to end; a choice has its preview below it.
const PREVIEWS: &str = "
    const middle = e => { const b = e.getBoundingClientRect(); return b.left + b.width / 2; };
    return [...document.querySelectorAll('.dial')].map(dial => {
      const previews = [...dial.querySelectorAll('.preview')];
      const slider = dial.querySelector('.slider')?.getBoundingClientRect();
      const options = [...dial.querySelectorAll('.choice')];
      const place = k => slider
        ? slider.left + 13 + (slider.width - 26) * k / (previews.length - 1)
        : middle(options[k]);
      const off = previews.map((preview, k) => Math.abs(middle(preview) - place(k)));
      const apart = previews.slice(1).map((preview, k) => {
        const [a, b] = [previews[k], preview].map(e => e.getBoundingClientRect());
        return Math.max(b.left - a.right, b.top - a.bottom);
      });
      const below = options.map((option, k) =>
        previews[k].getBoundingClientRect().top - option.getBoundingClientRect().bottom);
      return { off: Math.max(...off), apart: Math.min(...apart, ...below.map(px => px + 2)) };
    });";

#[tokio::test]
async fn sizes_stay_through_a_stage_and_are_in_the_export() -> Result<()> {
    let five = json!({ "kind": "reconstruction", "model": "mnist-ae5", "questions": 3 });
    let parts = json!([stage("five", five)]);
    let server = Server::start_with(move |studies| add(studies, &study(STUDY, &parts)));
    in_browser("sizes-stage", 300, server, async |server, browser| {
        begin(server, browser, STUDY).await?;
        let mut first = Vec::new();
        for number in 0..3 {
            let question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
            // Sizes are logged once they rest from one heartbeat to the next: nobody turns their device sooner.
            tokio::time::sleep(RESTS).await;
            for (at, window) in WINDOWS.into_iter().enumerate() {
                resize(browser, window, &format!("question-{number}")).await?;
                let apart = sizes(browser).await?;
                browser.click("arrange").await?;
                let overlaid = sizes(browser).await?;
                browser.click("arrange").await?;
                ensure!(
                    apart == overlaid,
                    "{window:?}: {apart:?}, then {overlaid:?}"
                );
                if number == 0 {
                    first.push(apart);
                }
                ensure!(
                    apart == first[at],
                    "{window:?}: {:?}, then {apart:?}",
                    first[at]
                );
            }
            question.leave().await?;
        }
        let rows = Export::of(server, STUDY)?.table("reconstruction_questions")?;
        ensure!(rows.len() == 3, "{} rows", rows.len());
        // The second came with the window of the last measurement.
        let [width, height, slider] = first[3];
        for (column, expected) in [
            ("picture_width_px", width),
            ("picture_height_px", height),
            ("slider_px", slider),
        ] {
            let found = rows[1][column].as_f64();
            let near = found.is_some_and(|found| (found - expected).abs() < 0.1);
            ensure!(near, "{column} is {found:?}, not {expected}");
        }
        ensure!(rows[1]["size_changes"].as_u64() >= Some(1), "{}", rows[1]);
        Ok(())
    })
    .await
}

/// Width and height of the picture, and the way of a slider's thumb.
async fn sizes(browser: &Browser) -> Result<[f64; 3]> {
    let script = "
        await new Promise(requestAnimationFrame);
        const size = id => document.querySelector(`[data-testid=\"${id}\"]`).getBoundingClientRect();
        const [picture, target] = [size('picture'), size('target')];
        if (picture.width !== target.width) throw new Error('the pictures differ');
        return [picture.width, picture.height, size('dial-0').width - 26];";
    Ok(serde_json::from_value(
        browser.look_async(script, vec![]).await?,
    )?)
}

#[tokio::test]
async fn a_dial_is_judged_in_one_glance_and_at_one_scale() -> Result<()> {
    let single = |model: &str, visualisation: &str, dimension: usize| {
        json!({ "kind": "single_dimension", "model": model, "visualisation": visualisation,
                "dimensions": [dimension], "questions_per_dimension": 1 })
    };
    let parts = json!([
        stage("groups", single("dsprites-gt5", "exemplars", 1)),
        stage("rows", single("dsprites-gt5", "traversals", 1)),
        stage("curves", single("sinelines-gt5", "traversals", 1)),
        stage("ten-groups", single("mnist-ss10", "exemplars", 0)),
        stage("ten-columns", single("mnist-ss10", "traversals", 0)),
    ]);
    let server = Server::start_with(move |studies| add(studies, &study(STUDY, &parts)));
    in_browser("sizes-single", 300, server, async |server, browser| {
        begin(server, browser, STUDY).await?;
        for stage in 0..5 {
            if stage > 0 {
                StageIntro(browser).begin().await?;
            }
            let page = tests::pages::SingleDimensionPage::on_screen(browser, Hand::Pointer).await?;
            for window in [(1280, 720), (360, 740)] {
                resize(browser, window, &format!("single-{stage}")).await?;
                let found = browser.look(GLANCE, vec![]).await?;
                ensure!(found == json!([]), "stage {stage}, {window:?}: {found}");
            }
            // A tap shows the example large beside the picture.
            browser.click_css(".example").await?;
            let large = "const [a, b] = document.querySelectorAll('[data-testid=enlarged][open] .thumbnail');
                return b && a.clientWidth === b.clientWidth && a.clientWidth > 120";
            ensure!(browser.look(large, vec![]).await? == json!(true), "nothing is enlarged");
            browser.click("close-enlarged").await?;
            page.fill(1).await?;
            page.hand_in().await?;
            page.move_on().await?;
        }
        Ok(())
    })
    .await
}

/// What is not wholly in the window at the top of the page, and pictures that are not as large as the one asked about.
const GLANCE: &str = "
    scrollTo(0, 0);
    const wrong = [];
    const find = css => [...document.querySelectorAll(css)];
    const parts = { picture: find('[data-testid=picture]'), examples: find('.example .thumbnail'),
      choices: find('[data-testid^=option-]'), points: find('.answer .point'), answer: find('[data-testid=answer]') };
    for (const [name, elements] of Object.entries(parts)) {
      if (elements.length === 0) wrong.push(`no ${name}`);
      for (const element of elements) {
        const { left, top, right, bottom, width } = element.getBoundingClientRect();
        if (left < 0 || top < 0 || right > innerWidth + 0.5 || bottom > innerHeight + 0.5) {
          wrong.push(`${name} from ${Math.round(top)} to ${Math.round(bottom)} of ${innerHeight}`);
          break;
        }
        const asked = parts.picture[0].getBoundingClientRect().width;
        if (name === 'examples' && Math.abs(width - asked) > 1) {
          wrong.push(`an example is ${width} px wide, the picture ${asked}`);
          break;
        }
      }
    }
    return wrong;";
