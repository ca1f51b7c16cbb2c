//! `redial user token …` and `redial user sign-in …`: what opens the researcher's area for somebody.

use anyhow::Context as _;
use api::research::{LONGEST_TOKEN_DAYS, NewApiToken, Scope, TOKEN_DAYS};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use jiff::Timestamp;
use server::access::user_name;
use server::control::{Request, UserRequest};
use server::storage::{self, ApiToken};

use super::super::change::{change, there_is_a_database};
use crate::config::Config;
use crate::output::{Align, aligned, print};

/// `redial user token …`
#[derive(Debug, Clone, Subcommand)]
pub enum TokenCommand {
    /// Make a token. It is printed once, and can do no more than its person. A server may run meanwhile
    Make(MakeTokenArgs),
    /// Print somebody's tokens, the newest first
    List(ListArgs),
    /// End a token at once. A server may run meanwhile
    End(EndArgs),
}

/// `redial user sign-in …`
#[derive(Debug, Clone, Subcommand)]
pub enum SignInCommand {
    /// Print where somebody is signed in, the newest first
    List(ListArgs),
    /// End a sign-in at once. A server may run meanwhile
    End(EndArgs),
}

/// A token that is wanted.
#[derive(Debug, Clone, Args)]
pub struct MakeTokenArgs {
    /// Whose it is
    name: String,
    /// What it is for, in a few words
    #[arg(long, value_name = "TEXT")]
    label: String,
    // Not `studies`: the folder of studies is called so in every command.
    /// In these studies
    #[arg(long, value_name = "STUDY", value_delimiter = ',', required = true)]
    study: Vec<String>,
    /// What it may be used for
    #[arg(long = "scope", value_name = "SCOPE", value_delimiter = ',', required = true, value_parser = scopes())]
    scopes: Vec<String>,
    /// For how many days
    #[arg(long, value_name = "N", default_value_t = TOKEN_DAYS, value_parser = clap::value_parser!(u32).range(1..=i64::from(LONGEST_TOKEN_DAYS)))]
    days: u32,
}

/// Whose are wanted.
#[derive(Debug, Clone, Args)]
pub struct ListArgs {
    /// Their name
    name: String,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

/// What is to end.
#[derive(Debug, Clone, Args)]
pub struct EndArgs {
    /// Whose it is
    name: String,
    /// Its name, as the list has it
    id: String,
}

fn scopes() -> PossibleValuesParser {
    PossibleValuesParser::new(Scope::ALL.iter().map(|scope| scope.name()))
}

pub(super) async fn token(config: &Config, command: TokenCommand) -> anyhow::Result<()> {
    match command {
        TokenCommand::Make(args) => make(config, args).await,
        TokenCommand::List(args) => tokens(config, &args).await,
        TokenCommand::End(EndArgs { name, id }) => {
            let text = format!("The token {id} of {name} has ended.\n");
            end(config, UserRequest::EndToken { name, id }, &text).await
        }
    }
}

pub(super) async fn sign_in(config: &Config, command: SignInCommand) -> anyhow::Result<()> {
    match command {
        SignInCommand::List(args) => sign_ins(config, &args).await,
        SignInCommand::End(EndArgs { name, id }) => {
            let text = format!("The sign-in {id} of {name} has ended.\n");
            end(config, UserRequest::EndSignIn { name, id }, &text).await
        }
    }
}

async fn end(config: &Config, change_of_user: UserRequest, text: &str) -> anyhow::Result<()> {
    there_is_a_database(config)?;
    let request = Request::User {
        change: change_of_user,
    };
    change(config, &request).await?;
    Ok(print(text)?)
}

async fn make(config: &Config, args: MakeTokenArgs) -> anyhow::Result<()> {
    there_is_a_database(config)?;
    let scopes = args.scopes.iter().filter_map(|name| Scope::of_name(name));
    let request = Request::User {
        change: UserRequest::MakeToken {
            name: args.name,
            wanted: NewApiToken {
                label: args.label,
                scopes: scopes.collect(),
                studies: args.study,
                days: Some(args.days),
            },
        },
    };
    let token = change(config, &request).await?.token;
    let token = token.context("the server gave no token; is it of the same version?")?;
    // The token alone: TOKEN=$(redial user token make …) takes it.
    print(&format!("{token}\n"))?;
    eprintln!(
        "redial: note: this token is shown once. It is valid for {} days.",
        args.days
    );
    Ok(())
}

/// The name of somebody who has an account.
async fn somebody(archive: &dyn storage::Archive, name: &str) -> anyhow::Result<String> {
    let users = archive.users().await?;
    let named = user_name(name).filter(|name| users.iter().any(|user| user.name == *name));
    named.with_context(|| {
        format!("nobody is called '{name}'; `redial user list` shows who is there")
    })
}

async fn tokens(config: &Config, args: &ListArgs) -> anyhow::Result<()> {
    let archive = storage::open_archive(config.address()).await?;
    let name = somebody(&*archive, &args.name).await?;
    let tokens = archive.api_tokens(&name).await;
    archive.close().await;
    let tokens: Vec<_> = tokens?.into_iter().map(ApiToken::info).collect();
    if args.json {
        return Ok(print(&(serde_json::to_string_pretty(&tokens)? + "\n"))?);
    }
    if tokens.is_empty() {
        return Ok(print(&format!("{name} has no token.\n"))?);
    }
    let head = ["token", "for", "may", "in", "ends", "last used"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(tokens.into_iter().map(|token| {
        let scopes: Vec<&str> = token.scopes.iter().map(|scope| scope.name()).collect();
        let used = token
            .used_at_unix_ms
            .map_or_else(|| "never".to_owned(), time);
        let studies = token.studies.join(", ");
        vec![
            token.id,
            token.label,
            scopes.join(", "),
            studies,
            time(token.ends_at_unix_ms),
            used,
        ]
    }));
    Ok(print(&aligned(&[Align::Left; 6], &lines))?)
}

async fn sign_ins(config: &Config, args: &ListArgs) -> anyhow::Result<()> {
    let archive = storage::open_archive(config.address()).await?;
    let name = somebody(&*archive, &args.name).await?;
    let sign_ins = archive.sign_ins(&name).await;
    archive.close().await;
    let now = u64::try_from(Timestamp::now().as_millisecond()).unwrap_or(0);
    let live = sign_ins?.into_iter().filter(|sign_in| sign_in.lives(now));
    let live: Vec<_> = live.map(|sign_in| sign_in.info(false)).collect();
    if args.json {
        return Ok(print(&(serde_json::to_string_pretty(&live)? + "\n"))?);
    }
    if live.is_empty() {
        return Ok(print(&format!("{name} is signed in nowhere.\n"))?);
    }
    let head = ["sign-in", "from", "browser", "began", "last used"];
    let mut lines = vec![head.map(str::to_owned).to_vec()];
    lines.extend(live.into_iter().map(|it| {
        vec![
            it.id,
            it.address,
            it.browser,
            time(it.began_at_unix_ms),
            time(it.used_at_unix_ms),
        ]
    }));
    Ok(print(&aligned(&[Align::Left; 5], &lines))?)
}

/// A time in UTC, to the second.
fn time(unix_ms: u64) -> String {
    let seconds = i64::try_from(unix_ms / 1_000).ok();
    let at = seconds.and_then(|seconds| Timestamp::from_second(seconds).ok());
    at.map(|at| at.to_string()).unwrap_or_default()
}
