//! Tokens, with which programs show whose they are.

use api::research::{Act, ApiTokenInfo, LONGEST_TOKEN_DAYS, MOST_TOKENS, NewApiToken, TOKEN_DAYS};

use super::{Access, AccessError, HOUR_MS, Result, Whose};
use crate::secrets::Token;
use crate::storage::{ApiToken, UserChange};

/// Most characters of what a token is for.
const LABEL_CHARACTERS: usize = 100;

impl ApiToken {
    /// The facts that may be known of it.
    #[must_use]
    pub fn info(self) -> ApiTokenInfo {
        ApiTokenInfo {
            id: self.id,
            label: self.label,
            scopes: self.scopes,
            studies: self.studies,
            made_at_unix_ms: self.made_at_unix_ms,
            ends_at_unix_ms: self.ends_at_unix_ms,
            used_at_unix_ms: self.used_at_unix_ms,
        }
    }
}

impl Access {
    /// Makes a token. It can do no more than its person, in the studies and for the scopes that are named.
    ///
    /// # Errors
    /// When a token was shown, there are too many, or what is wanted makes no sense.
    pub async fn make_token(
        &self,
        whose: Whose<'_>,
        wanted: NewApiToken,
    ) -> Result<(Token, ApiToken)> {
        let user = self.user_behind(whose).await?;
        if user.disabled {
            return Err(AccessError::ShutOut);
        }
        if user.waits {
            return Err(AccessError::Waits);
        }
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
        let is_member = |study: &String| user.memberships.iter().any(|it| it.study == *study);
        if let Some(study) = studies.iter().find(|study| !is_member(study)) {
            return Err(match whose {
                Whose::Own(_) => AccessError::Forbidden,
                Whose::Of(_) => AccessError::NoRole {
                    name: user.name,
                    study: study.clone(),
                },
            });
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
            user: user.name,
            label: label.to_owned(),
            scopes,
            studies,
            made_at_unix_ms: now,
            ends_at_unix_ms: now.saturating_add(u64::from(days) * 24 * HOUR_MS),
            used_at_unix_ms: None,
        };
        let noted = self.noted_of(whose, Act::TokenMade, &token.user, &token.label);
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
    /// When a token was shown, there is nobody of this name, or the storage fails.
    pub async fn tokens(&self, whose: Whose<'_>) -> Result<Vec<ApiToken>> {
        let user = self.user_behind(whose).await?;
        Ok(self.storage.api_tokens(&user.name).await?)
    }

    /// Ends a token of somebody's, by its name.
    ///
    /// # Errors
    /// When they have none of this name.
    pub async fn end_token(&self, whose: Whose<'_>, id: &str) -> Result<()> {
        let user = self.user_behind(whose).await?.name;
        let noted = self.noted_of(whose, Act::TokenEnded, &user, id);
        let id = id.to_owned();
        self.found(UserChange::EndToken { user, id }, noted, "token")
            .await
    }
}
