//! `redial user …`: who may enter the researcher's area, and what they may do there.

use anyhow::{Context as _, bail};
use api::research::{Membership, Role};
use clap::builder::PossibleValuesParser;
use clap::{Args, Subcommand};
use server::control::{Request, UserRequest};

mod credentials;
mod tables;

use super::change::change;
use crate::config::Config;
use crate::output::print;
use credentials::{SignInCommand, TokenCommand, sign_in, token};
use tables::{audit, list, table_of_rights};

/// `redial user …`
#[derive(Debug, Clone, Subcommand)]
pub enum UserCommand {
    /// Make an account. Prints a link, valid for an hour, with which its person sets their password. A server may
    /// run meanwhile
    Add {
        /// The name to sign in with: a to z, 0 to 9 and . _ - @ +
        name: String,
        /// Let them look after accounts. That gives them nothing of a study's data
        #[arg(long)]
        admin: bool,
    },
    /// Print everybody who has an account, and what they are in which studies
    List {
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
    /// Give somebody a role in a study, or take it; or let them look after accounts. A server may run meanwhile
    Role(RoleArgs),
    /// Print which role may do what
    Roles,
    /// Take the right to sign in. All sign-ins and tokens end at once. A server may run meanwhile
    Disable {
        /// Their name
        name: String,
    },
    /// Give the right to sign in back. A server may run meanwhile
    Enable {
        /// Their name
        name: String,
    },
    /// Let somebody in who has come through the provider of OpenID Connect and waits. It gives them no right; `redial
    /// user role` does. A server may run meanwhile
    Admit {
        /// Their name, as `redial user list` shows it
        name: String,
    },
    /// Take somebody's password away, and print a link, valid for an hour, to set a new one with. All their sign-ins
    /// end at once. A server may run meanwhile
    Reset {
        /// Their name
        name: String,
    },
    /// Tokens with which somebody's scripts use the researcher's area
    #[command(subcommand)]
    Token(TokenCommand),
    /// Places where somebody is signed in
    #[command(subcommand)]
    SignIn(SignInCommand),
    /// Print who did what in the researcher's area and by commands, the newest first
    Audit {
        /// Only what is about this study
        #[arg(long, value_name = "STUDY")]
        study: Option<String>,
        /// How many entries
        #[arg(long, value_name = "N", default_value_t = 100)]
        most: u32,
        /// Print JSON
        #[arg(long)]
        json: bool,
    },
}

/// What somebody is from now on.
#[derive(Debug, Clone, Args)]
pub struct RoleArgs {
    /// Their name
    name: String,
    /// In this study
    #[arg(
        long,
        value_name = "STUDY",
        requires = "role",
        required_unless_present = "admin"
    )]
    study: Option<String>,
    /// They are this
    #[arg(long = "as", value_name = "ROLE", requires = "study", value_parser = roles())]
    role: Option<String>,
    /// Grant an analyst what is identifying, too: platform ids, signatures, typed words, sound
    #[arg(long, requires = "study")]
    identifying: bool,
    /// Whether they look after accounts
    #[arg(long, value_name = "YES|NO", value_parser = ["yes", "no"])]
    admin: Option<String>,
}

/// Instead of a role: none.
const NO_ROLE: &str = "none";

fn roles() -> PossibleValuesParser {
    let names = Role::ALL.iter().map(|role| role.name());
    PossibleValuesParser::new(names.chain([NO_ROLE]))
}

/// Runs `redial user …`.
///
/// # Errors
/// When there is nobody of a name, or the database cannot be read or changed.
pub async fn user(config: &Config, command: UserCommand) -> anyhow::Result<()> {
    match command {
        UserCommand::Add { name, admin } => {
            with_link(config, &name.clone(), UserRequest::Add { name, admin }).await
        }
        UserCommand::Reset { name } => {
            with_link(config, &name.clone(), UserRequest::Reset { name }).await
        }
        UserCommand::Disable { name } => disable(config, name, true).await,
        UserCommand::Enable { name } => disable(config, name, false).await,
        UserCommand::Admit { name } => admit(config, name).await,
        UserCommand::Role(args) => role(config, args).await,
        UserCommand::Roles => Ok(print(&table_of_rights())?),
        UserCommand::List { json } => list(config, json).await,
        UserCommand::Token(command) => token(config, command).await,
        UserCommand::SignIn(command) => sign_in(config, command).await,
        UserCommand::Audit { study, most, json } => audit(config, study, most, json).await,
    }
}

async fn with_link(config: &Config, name: &str, change_of_user: UserRequest) -> anyhow::Result<()> {
    let request = Request::User {
        change: change_of_user,
    };
    let outcome = change(config, &request).await?;
    let key = outcome.password_key;
    let key = key.context("the server gave no link; is it of the same version?")?;
    let scheme = if config.tls.is_some() {
        "https"
    } else {
        "http"
    };
    let settings = || format!("{scheme}://{}{}", config.bind, config.base_path);
    let address = outcome.address.unwrap_or_else(settings);
    // The key stands behind `#`, so that browsers send it to nobody.
    Ok(print(&format!(
        "{name} sets a password with this link, within an hour and once:\n  \
         {address}/research#password={key}\n\
         Behind a proxy, put the address that people know in the place of {address}.\n"
    ))?)
}

async fn disable(config: &Config, name: String, disabled: bool) -> anyhow::Result<()> {
    let text = if disabled {
        format!("{name} may not sign in any more; all sign-ins and tokens have ended.\n")
    } else {
        format!("{name} may sign in again.\n")
    };
    let change_of_user = UserRequest::Disable { name, disabled };
    change(
        config,
        &Request::User {
            change: change_of_user,
        },
    )
    .await?;
    Ok(print(&text)?)
}

async fn admit(config: &Config, name: String) -> anyhow::Result<()> {
    let text = format!(
        "{name} may sign in now, without any right. `redial user role {name} --study STUDY --as ROLE` gives one.\n"
    );
    let change_of_user = UserRequest::Admit { name };
    change(
        config,
        &Request::User {
            change: change_of_user,
        },
    )
    .await?;
    Ok(print(&text)?)
}

async fn role(config: &Config, args: RoleArgs) -> anyhow::Result<()> {
    let name = args.name;
    if let Some(admin) = args.admin {
        let admin = admin == "yes";
        let change_of_user = UserRequest::Admin {
            name: name.clone(),
            admin,
        };
        change(
            config,
            &Request::User {
                change: change_of_user,
            },
        )
        .await?;
        print(&if admin {
            format!("{name} looks after accounts.\n")
        } else {
            format!("{name} does not look after accounts any more.\n")
        })?;
    }
    let (Some(study), Some(role)) = (args.study, args.role) else {
        return Ok(());
    };
    let (change_of_user, text) = match Role::of_name(&role) {
        Some(role) => {
            if args.identifying && role != Role::Analyst {
                bail!(
                    "--identifying is for analysts: what the other roles may see is settled by `redial user roles`"
                );
            }
            let text = format!("{name} is {} of '{study}'.\n", with_article(role));
            let membership = Membership {
                study: study.clone(),
                role,
                identifying: args.identifying,
            };
            (UserRequest::Join { name, membership }, text)
        }
        None => {
            let text = format!("{name} has no role in '{study}' any more.\n");
            let study = study.clone();
            (UserRequest::Leave { name, study }, text)
        }
    };
    change(
        config,
        &Request::User {
            change: change_of_user,
        },
    )
    .await?;
    print(&text)?;
    if let Err(error) = crate::study_at_hand::find(config, &study).await {
        eprintln!("redial: note: {error}. The role holds all the same.");
    }
    Ok(())
}

fn with_article(role: Role) -> String {
    let article = match role {
        Role::Viewer => "a",
        Role::Owner | Role::Analyst | Role::Experimenter => "an",
    };
    format!("{article} {}", role.name())
}
