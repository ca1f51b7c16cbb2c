//! A page that the browser translates goes on: words that change still change, the completion code is not
//! translated, and the log says that the page was.

use std::time::Duration;

use anyhow::{Context, Result, ensure};
use tests::browser::{Browser, PATIENCE};
use tests::client::KeptSession;
use tests::export::Export;
use tests::pages::{Complete, Hand, QuestionPage};
use tests::scene::in_browser;
use tests::server::{Server, seed_quickstart};
use tests::solver::DialControl;
use tests::{journey, wait};

const STUDY: &str = "quickstart";

/// What Google Translate does in Chromium: every text node gives way to two `font` elements, those that
/// come later as well; the document says its new language. Each word is turned around.
const TRANSLATE: &str = "
    const kept = '[translate=no], .notranslate, font, script, style, textarea';
    const turned = text => text.split(' ').map(it => [...it].reverse().join('')).join(' ');
    const translate = () => {
      const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const nodes = [];
      while (walker.nextNode()) nodes.push(walker.currentNode);
      for (const node of nodes) {
        if (!node.data.trim() || !node.parentElement || node.parentElement.closest(kept)) continue;
        const outer = document.createElement('font'), inner = document.createElement('font');
        outer.style.verticalAlign = inner.style.verticalAlign = 'inherit';
        inner.textContent = turned(node.data);
        outer.append(inner);
        node.replaceWith(outer);
      }
    };
    translate();
    document.documentElement.lang = 'fr';
    document.documentElement.classList.add('translated-ltr');
    new MutationObserver(() => setTimeout(translate, 50))
      .observe(document.body, { subtree: true, childList: true, characterData: true });";

#[tokio::test]
async fn a_translated_page_goes_on() -> Result<()> {
    let server = Server::start_with(seed_quickstart);
    in_browser("translated", 400, server, take).await
}

async fn take(server: &Server, browser: &Browser) -> Result<()> {
    journey::to_first_stage(browser, server.address(), STUDY).await?;
    let mut question = QuestionPage::on_screen(browser, Hand::Pointer, PATIENCE).await?;
    browser.look(TRANSLATE, vec![]).await?;
    let fonts = "return document.querySelectorAll('font font').length";
    ensure!(browser.look(fonts, vec![]).await?.as_u64() > Some(10));
    for position in [0.1, 0.9, 0.3, 0.7] {
        question.slide(0, &[position]).await?;
        // The words and the bar's own value say the same.
        wait::until("the words beside the bar", PATIENCE, async || {
            let both = "
                const bar = document.querySelector('[role=meter][aria-valuenow]');
                const said = document.querySelector('.bar-now').innerText.match(/\\d+/);
                const digits = said ? [...said[0]].reverse().join('') : '';
                const now = bar.getAttribute('aria-valuenow');
                return [said?.[0] === now || digits === now, now, document.querySelector('.bar-now').innerText]";
            let both = browser.look(both, vec![]).await?;
            Ok((both[0] == true).then_some(()))
        })
        .await?;
    }
    browser.await_save_state("saved").await?;
    let state = "return document.querySelector('[data-testid=save-state]').innerText.trim()";
    let words = wait::until("the words of the state", PATIENCE, async || {
        let words = browser.look(state, vec![]).await?;
        let words = words.as_str().unwrap_or_default().to_owned();
        Ok((words == "devaS").then_some(words))
    });
    words.await.context("'Saved', turned around")?;

    let kept = KeptSession::of(browser, server.address()).await?;
    wait::until("the translation in the log", PATIENCE, async || {
        let events = kept.log().await?;
        let found = events
            .iter()
            .find(|it| it.event.kind() == "page_translated");
        Ok(found.map(|_| ()))
    })
    .await?;
    journey::finish(browser, Duration::from_secs(5), async |_, _| Ok(())).await?;
    let code = Complete(browser).code().await?;
    tokio::time::sleep(Duration::from_millis(300)).await;
    let shown = Complete(browser).code().await?;
    ensure!(code == shown, "{code} became {shown}");
    let fonts = "return document.querySelectorAll('[data-testid=completion-code] font').length";
    ensure!(
        browser.look(fonts, vec![]).await? == 0,
        "the code is translated"
    );
    let known = kept.client.completion(&kept.id, &kept.token).await?;
    let known = String::from_utf8_lossy(&known.body).into_owned();
    ensure!(
        known.contains(&shown),
        "the server's code is {known}, the page's {shown}"
    );

    let sessions = Export::of(server, STUDY)?.table("sessions")?;
    ensure!(
        sessions[0]["page_translated"] == "true" || sessions[0]["page_translated"] == true,
        "{:?}",
        sessions[0]["page_translated"]
    );
    Ok(())
}
