//! Tokens, with which programs show whose they are.

use api::research::{Act, LONGEST_TOKEN_DAYS, MOST_TOKENS, NewApiToken, TOKEN_DAYS};

use super::{Access, AccessError, HOUR_MS, Result, SignedIn};
use crate::secrets::Token;
use crate::storage::{ApiToken, UserChange};

/// Most characters of what a token is for.
const LABEL_CHARACTERS: usize = 100;

impl Access {
    /// Makes a token. It can do no more than its person, in the studies and for the scopes that are named.
    ///
    /// # Errors
    /// When a token was shown, there are too many, or what is wanted makes no sense.
    pub async fn make_token(
        &self,
        who: &SignedIn,
        wanted: NewApiToken,
    ) -> Result<(Token, ApiToken)> {
        who.sign_in()?;
        let label = wanted.label.trim();
        if label.is_empty() || label.chars().count() > LABEL_CHARACTERS {
            return Err(AccessError::Token(format!(
                "say what the token is for, in 1 to {LABEL_CHARACTERS} characters"
            )));
        }
        if wanted.scopes.is_empty() || wanted.studies.is_empty() {
            return Err(AccessError::Token(
                "name at least one scope and at least one study".to_owned(),
            ));
        }
        let (mut scopes, mut studies) = (wanted.scopes, wanted.studies);
        scopes.sort_unstable();
        scopes.dedup();
        studies.sort_unstable();
        studies.dedup();
        if studies.iter().any(|study| who.membership(study).is_none()) {
            return Err(AccessError::Forbidden);
        }
        let days = wanted.days.unwrap_or(TOKEN_DAYS);
        if !(1..=LONGEST_TOKEN_DAYS).contains(&days) {
            return Err(AccessError::TokenDays { found: days });
        }
        let key = Token::new(&*self.system.randomness)?;
        let now = self.now();
        let token = ApiToken {
            id: self.new_id()?,
            key: key.hash(),
            user: who.name().to_owned(),
            label: label.to_owned(),
            scopes,
            studies,
            made_at_unix_ms: now,
            ends_at_unix_ms: now.saturating_add(u64::from(days) * 24 * HOUR_MS),
            used_at_unix_ms: None,
        };
        let noted = who.audited(Act::TokenMade, now).about(&token.label);
        let add = UserChange::AddToken {
            token: token.clone(),
            most: MOST_TOKENS,
        };
        if !self.storage.change_user(add, Some(noted)).await? {
            return Err(AccessError::TooManyTokens);
        }
        Ok((key, token))
    }

    /// The tokens of somebody, the newest first.
    ///
    /// # Errors
    /// When a token was shown, or the storage fails.
    pub async fn tokens(&self, who: &SignedIn) -> Result<Vec<ApiToken>> {
        who.sign_in()?;
        Ok(self.storage.api_tokens(who.name()).await?)
    }

    /// Ends a token of somebody's, by its name.
    ///
    /// # Errors
    /// When they have none of this name.
    pub async fn end_token(&self, who: &SignedIn, id: &str) -> Result<()> {
        who.sign_in()?;
        let end = UserChange::EndToken {
            user: who.name().to_owned(),
            id: id.to_owned(),
        };
        let noted = who.audited(Act::TokenEnded, self.now()).about(id);
        self.found(end, noted, "token").await
    }
}
