//! The metadata that a provider publishes of itself, and how it is spoken to by that.

use std::sync::Arc;

use openidconnect::core::{
    CoreClient, CoreClientAuthMethod, CoreJwsSigningAlgorithm as Algorithm, CoreProviderMetadata,
};
use openidconnect::{AuthType, EndpointMaybeSet, EndpointNotSet, EndpointSet};

use super::begun::Begun;
use super::settings::OpenIdSettings;

/// Signatures with a key that the provider alone has. Anybody with the client secret could make the others.
pub(super) const SIGNATURES: [Algorithm; 9] = [
    Algorithm::RsaSsaPkcs1V15Sha256,
    Algorithm::RsaSsaPkcs1V15Sha384,
    Algorithm::RsaSsaPkcs1V15Sha512,
    Algorithm::RsaSsaPssSha256,
    Algorithm::RsaSsaPssSha384,
    Algorithm::RsaSsaPssSha512,
    Algorithm::EcdsaP256Sha256,
    Algorithm::EcdsaP384Sha384,
    Algorithm::EdDsa,
];

pub(super) type Client = CoreClient<
    EndpointSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointNotSet,
    EndpointMaybeSet,
    EndpointMaybeSet,
>;

/// The metadata that it published of itself, keys and all, and when it was fetched.
#[derive(Clone)]
pub(super) struct Published {
    pub metadata: Arc<CoreProviderMetadata>,
    pub at_unix_ms: u64,
}

impl Published {
    /// Whether it can be asked for people's e-mail addresses, as far as it says.
    pub(super) fn has_emails(&self) -> bool {
        let known = self.metadata.scopes_supported();
        known.is_none_or(|known| known.iter().any(|scope| scope.as_str() == "email"))
    }

    /// The client that speaks to it in a sign-in.
    pub(super) fn client(&self, settings: &OpenIdSettings, begun: &Begun) -> Client {
        // Basic is the one that all have to know, unless they say otherwise.
        let methods = self.metadata.token_endpoint_auth_methods_supported();
        let basic = methods
            .is_none_or(|methods| methods.contains(&CoreClientAuthMethod::ClientSecretBasic));
        CoreClient::from_provider_metadata(
            (*self.metadata).clone(),
            settings.client_id.clone(),
            Some(settings.client_secret.clone()),
        )
        .set_redirect_uri(begun.redirect.clone())
        .set_auth_type(if basic {
            AuthType::BasicAuth
        } else {
            AuthType::RequestBody
        })
    }
}
