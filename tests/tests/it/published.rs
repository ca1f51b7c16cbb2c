//! Studies and models are published in a database that two servers share: both offer them within seconds and without a
//! restart, and sessions go on with what they began with.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, Result, ensure};
use api::{SessionStarted, StudyInfo, StudyList, routes};
use cluster::cluster;
use serde_json::Value;
use tests::area::said;
use tests::client::Client;
use tests::export::Export;
use tests::server::{Server, change};
use tests::simulated::run::{SessionPace, take_part};
use tests::{tools, wait};

const STUDY: &str = "mine";
const MODEL: &str = "my-circles";

const PACE: SessionPace = SessionPace {
    step: Duration::from_millis(5),
    moves_per_question: 10,
    limit: Duration::from_secs(60),
    speed: 1,
};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_is_published_is_offered_by_every_server() -> Result<()> {
    wait::at_most(Duration::from_secs(240), run()).await
}

/// A folder of studies with one study, whose practice has a model of its own.
fn folder(at: &Path, title: &str) -> Result<[PathBuf; 2]> {
    let [studies, models] = ["studies", "models"].map(|name| at.join(name));
    tools::copy(&tools::studies().join("quickstart"), &studies.join(STUDY))?;
    std::fs::write(
        studies.join(STUDY).join("data.csv"),
        "of no use to the study",
    )?;
    change(&studies, STUDY, |study| {
        study["id"] = STUDY.into();
        study["title"] = title.into();
        study["parts"][2]["task"]["model"] = MODEL.into();
    })?;
    let card = tools::root().join("models/zoo/circles/card.json");
    let mut card: Value = serde_json::from_slice(&std::fs::read(card)?)?;
    card["name"] = MODEL.into();
    let own = models.join(MODEL);
    std::fs::create_dir_all(&own)?;
    std::fs::write(own.join("card.json"), serde_json::to_vec_pretty(&card)?)?;
    Ok([studies, models])
}

/// Waits until a server says of the study what is expected.
async fn until_offered(
    server: &Server,
    is_right: impl Fn(Option<&StudyInfo>) -> bool,
) -> Result<()> {
    let client = Client::new(server.address());
    wait::until("what was published", Duration::from_secs(10), async || {
        let list = client.get(routes::STUDIES).await?;
        let list: StudyList = serde_json::from_slice(&list)?;
        let study = list.studies.iter().find(|study| study.id == STUDY);
        Ok(is_right(study).then_some(()))
    })
    .await
}

async fn until_titled(servers: &[Server], title: &str) -> Result<()> {
    for server in servers {
        until_offered(server, |study| study.is_some_and(|it| it.title == title)).await?;
    }
    Ok(())
}

/// What a command says that ends with an error.
fn refusal(server: &Server, arguments: &[&str]) -> Result<String> {
    let output = server.command(arguments)?.output()?;
    ensure!(!output.status.success(), "{arguments:?} was done");
    Ok(String::from_utf8(output.stderr)?)
}

fn pinned(started: &SessionStarted) -> Option<String> {
    let models = started.plan.models().into_iter();
    let mut own = models.filter(|model| model.name == MODEL);
    own.next().map(|model| model.bundle_sha256.clone())
}

fn contents(folder: &Path) -> Result<BTreeMap<String, Vec<u8>>> {
    let entries = std::fs::read_dir(folder).with_context(|| folder.display().to_string())?;
    let file = |entry: std::io::Result<std::fs::DirEntry>| {
        let path = entry?.path();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        Ok((name, std::fs::read(path)?))
    };
    entries.map(file).collect()
}

async fn run() -> Result<()> {
    let database = cluster().database();
    let servers = [
        Server::start_on(&database).await?,
        Server::start_on(&database).await?,
    ];
    let [first, second] = &servers;
    let own = tempfile::tempdir()?;
    let [studies, models] = folder(own.path(), "Mine")?;
    let text = |path: &Path| path.display().to_string();
    let publish = [
        "study",
        "publish",
        &text(&studies),
        "--models",
        &text(&models),
    ];
    ensure!(said(first, &["study", "published"])?.contains("Nothing is published"));
    let published = said(first, &publish)?;
    ensure!(published.contains("Publication 1"), "{published}");
    ensure!(published.contains("studies/mine: 2 files"), "{published}");
    until_titled(&servers, "Mine").await?;

    // Somebody begins at one server with the first version, then there is another one.
    let clients = [first, second].map(|server| Client::new(server.address()));
    let [begun, withdrawn] = [
        clients[0].start(STUDY, "published-attempt-0001").await?,
        clients[1].start(STUDY, "published-attempt-0002").await?,
    ];
    let before = pinned(&begun).context("the study does not use its own model")?;
    let card = models.join(MODEL).join("card.json");
    let longer = std::fs::read_to_string(&card)? + "\n";
    std::fs::write(&card, longer)?;
    change(&studies, STUDY, |study| {
        study["title"] = "Mine, mended".into()
    })?;
    ensure!(said(second, &publish)?.contains("Publication 2"));
    until_titled(&servers, "Mine, mended").await?;
    let later = clients[0].start(STUDY, "published-attempt-0003").await?;
    let after = pinned(&later).context("the study does not use its own model")?;
    ensure!(
        before != after,
        "the new session was drawn with the old model"
    );
    // Its model is there still, at a server that has never had it.
    let old_card = routes::bundle_card(&before);
    for client in &clients {
        let found: Value = serde_json::from_slice(&client.get(&old_card).await?)?;
        ensure!(found["name"] == MODEL, "{found}");
    }
    take_part(second.address(), begun, PACE).await?;

    // What servers could not use is not published.
    let file = studies.join(STUDY).join("study.json");
    let good = std::fs::read_to_string(&file)?;
    std::fs::write(&file, good.replace("sinelines-gt5", "sinelines-gt6"))?;
    let said_so = refusal(first, &publish)?;
    ensure!(said_so.contains("sinelines-gt6"), "{said_so}");
    std::fs::write(&file, &good)?;
    let model = format!("models/{MODEL}");
    let said_so = refusal(first, &["study", "withdraw", &model])?;
    ensure!(
        said_so.contains(MODEL) && said_so.contains("nothing was changed"),
        "{said_so}"
    );
    let said_so = refusal(first, &["study", "withdraw", "studies/nobodys"])?;
    ensure!(said_so.contains("is not published"), "{said_so}");
    let said_so = refusal(first, &["serve", "--studies", &text(&studies)])?;
    ensure!(said_so.contains("redial study publish"), "{said_so}");

    // Written out again, it is what it was.
    let out = own.path().join("out");
    said(first, &["study", "published", "--out", &text(&out)])?;
    ensure!(contents(&out.join("models").join(MODEL))? == contents(&models.join(MODEL))?);
    let mut expected = contents(&studies.join(STUDY))?;
    expected.remove("data.csv");
    ensure!(contents(&out.join("studies").join(STUDY))? == expected);

    // A server that starts later has it at once; commands know it, too.
    let third = Server::start_on(&database).await?;
    until_titled(&[third], "Mine, mended").await?;
    ensure!(said(first, &["study", "status", STUDY])?.contains("running"));

    // Withdrawn: nobody begins any more, who has begun gets to the end.
    said(second, &["study", "withdraw", "studies/mine", &model])?;
    for server in &servers {
        until_offered(server, |study| study.is_none()).await?;
    }
    ensure!(
        clients[0]
            .start(STUDY, "published-attempt-0004")
            .await
            .is_err()
    );
    take_part(first.address(), withdrawn, PACE).await?;
    let exported = Export::of(first, STUDY)?.events()?;
    // The third has not done anything.
    ensure!(
        exported.len() == 2,
        "{} sessions are exported",
        exported.len()
    );
    said(first, &["database", "check"]).map(drop)
}
