//! A provider of OpenID Connect on loopback, with a key of its own. It signs whatever a test wants it to say.

use std::collections::HashMap;
use std::sync::{Arc, Mutex};

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::{get, post};
use axum::{Form, Json, Router};
use base64::Engine as _;
use base64::engine::general_purpose::{STANDARD, URL_SAFE_NO_PAD};
use jsonwebtoken::{Algorithm, EncodingKey, Header, encode};
use openidconnect::url::Url;
use rcgen::KeyPair;
use serde_json::{Value, json};
use sha2::{Digest as _, Sha256};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

use crate::system::START_MS;

pub const CLIENT: &str = "redial";
pub const SECRET: &str = "a secret of the client";

/// What somebody was sent there with.
#[derive(Debug, Clone)]
pub struct AuthorizationRequest(pub HashMap<String, String>);

impl AuthorizationRequest {
    pub fn of(address: &str) -> Self {
        let url = Url::parse(address).unwrap();
        assert_eq!(url.path(), "/authorize");
        Self(url.query_pairs().into_owned().collect())
    }

    pub fn state(&self) -> &str {
        &self.0["state"]
    }
}

/// What the provider is like. Tests change it while it runs.
pub struct Ways {
    pub key: KeyPair,
    pub kid: &'static str,
    /// With what it signs in the place of its key.
    pub signs_with: Option<(Algorithm, EncodingKey)>,
    pub user_info: Option<Value>,
    pub scopes: Vec<&'static str>,
    pub methods: Vec<&'static str>,
    /// Codes that were given out: what they were asked for with, and what is said of whom.
    codes: HashMap<String, (AuthorizationRequest, Value)>,
    /// The paths that it was asked for.
    pub asked: Vec<&'static str>,
}

#[derive(Clone)]
struct Shared(String, Arc<Mutex<Ways>>);

pub struct Provider {
    pub issuer: String,
    ways: Arc<Mutex<Ways>>,
    task: JoinHandle<()>,
}

impl Drop for Provider {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn new_key() -> KeyPair {
    KeyPair::generate_for(&rcgen::PKCS_ECDSA_P256_SHA256).unwrap()
}

pub fn signing(key: &KeyPair) -> EncodingKey {
    EncodingKey::from_ec_der(&key.serialize_der())
}

/// A key that the provider has not published.
pub fn another_key() -> EncodingKey {
    signing(&new_key())
}

impl Provider {
    pub async fn new() -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let issuer = format!("http://{}", listener.local_addr().unwrap());
        let ways = Arc::new(Mutex::new(Ways {
            key: new_key(),
            kid: "first",
            signs_with: None,
            user_info: None,
            scopes: vec!["openid", "email"],
            methods: vec!["client_secret_basic", "client_secret_post"],
            codes: HashMap::new(),
            asked: Vec::new(),
        }));
        let router = Router::new()
            .route("/.well-known/openid-configuration", get(configuration))
            .route("/keys", get(keys))
            .route("/token", post(token))
            .route("/me", get(user_info))
            .with_state(Shared(issuer.clone(), ways.clone()));
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self { issuer, ways, task }
    }

    /// It answers nobody any more.
    pub async fn stop(&mut self) {
        self.task.abort();
        let _ = (&mut self.task).await;
    }

    pub fn change(&self, change: impl FnOnce(&mut Ways)) {
        change(&mut self.ways.lock().unwrap());
    }

    pub fn new_key(&self, kid: &'static str) {
        self.change(|ways| (ways.key, ways.kid) = (new_key(), kid));
    }

    pub fn asked(&self) -> Vec<&'static str> {
        std::mem::take(&mut self.ways.lock().unwrap().asked)
    }

    /// Signs somebody in there: gives the code. `said` is laid over what it would say, and takes out what it says is null.
    pub fn code(&self, asked: &AuthorizationRequest, subject: &str, said: Value) -> String {
        let now = START_MS / 1_000;
        let mut claims = json!({
            "iss": self.issuer, "aud": CLIENT, "sub": subject, "nonce": asked.0["nonce"],
            "iat": now, "exp": now + 24 * 3_600,
        });
        for (name, value) in said.as_object().unwrap() {
            match value {
                Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
                value => claims[name] = value.clone(),
            }
        }
        let mut ways = self.ways.lock().unwrap();
        let code = format!("code {}", ways.codes.len());
        ways.codes.insert(code.clone(), (asked.clone(), claims));
        code
    }
}

async fn configuration(State(Shared(issuer, ways)): State<Shared>) -> Json<Value> {
    let mut ways = ways.lock().unwrap();
    ways.asked.push("configuration");
    Json(json!({
        "issuer": issuer,
        "authorization_endpoint": format!("{issuer}/authorize"),
        "token_endpoint": format!("{issuer}/token"),
        "userinfo_endpoint": format!("{issuer}/me"),
        "jwks_uri": format!("{issuer}/keys"),
        "response_types_supported": ["code"],
        "subject_types_supported": ["public"],
        "id_token_signing_alg_values_supported": ["ES256", "HS256", "none"],
        "scopes_supported": ways.scopes,
        "token_endpoint_auth_methods_supported": ways.methods,
    }))
}

async fn keys(State(Shared(_, ways)): State<Shared>) -> Json<Value> {
    let mut ways = ways.lock().unwrap();
    ways.asked.push("keys");
    // An uncompressed point: 4, x, y.
    let point = ways.key.public_key_raw();
    let part = |bytes: &[u8]| URL_SAFE_NO_PAD.encode(bytes);
    Json(json!({ "keys": [{
        "kty": "EC", "crv": "P-256", "use": "sig", "alg": "ES256", "kid": ways.kid,
        "x": part(&point[1..33]), "y": part(&point[33..]),
    }] }))
}

async fn token(
    State(Shared(_, ways)): State<Shared>,
    headers: HeaderMap,
    Form(form): Form<HashMap<String, String>>,
) -> (StatusCode, Json<Value>) {
    let mut ways = ways.lock().unwrap();
    ways.asked.push("token");
    // Both are encoded as in a form (RFC 6749, section 2.3.1).
    let basic = STANDARD.encode(format!("{CLIENT}:{}", SECRET.replace(' ', "+")));
    let shown = if ways.methods.contains(&"client_secret_basic") {
        headers
            .get("authorization")
            .is_some_and(|it| *it == format!("Basic {basic}"))
    } else {
        form.get("client_secret").is_some_and(|it| it == SECRET) && form["client_id"] == CLIENT
    };
    if !shown {
        return (
            StatusCode::UNAUTHORIZED,
            Json(json!({ "error": "invalid_client" })),
        );
    }
    let refused = || {
        (
            StatusCode::BAD_REQUEST,
            Json(json!({ "error": "invalid_grant" })),
        )
    };
    let Some((asked, claims)) = ways.codes.remove(&form["code"]) else {
        return refused();
    };
    let challenge = URL_SAFE_NO_PAD.encode(Sha256::digest(&form["code_verifier"]));
    let right = asked.0["code_challenge"] == challenge
        && asked.0["code_challenge_method"] == "S256"
        && asked.0["redirect_uri"] == form["redirect_uri"]
        && form["grant_type"] == "authorization_code";
    if !right {
        return refused();
    }
    let header = |algorithm| Header {
        kid: Some(ways.kid.to_owned()),
        ..Header::new(algorithm)
    };
    let id_token = match &ways.signs_with {
        Some((algorithm, key)) => encode(&header(*algorithm), &claims, key),
        None => encode(&header(Algorithm::ES256), &claims, &signing(&ways.key)),
    };
    let answer = json!({
        "access_token": "access", "token_type": "Bearer", "expires_in": 60,
        "id_token": id_token.unwrap(),
    });
    (StatusCode::OK, Json(answer))
}

async fn user_info(
    State(Shared(_, ways)): State<Shared>,
    headers: HeaderMap,
) -> (StatusCode, Json<Value>) {
    let mut ways = ways.lock().unwrap();
    ways.asked.push("me");
    match &ways.user_info {
        Some(said) if headers["authorization"] == "Bearer access" => {
            (StatusCode::OK, Json(said.clone()))
        }
        _ => (StatusCode::FORBIDDEN, Json(json!({}))),
    }
}
