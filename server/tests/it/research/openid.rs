//! Signing in through a provider of OpenID Connect, against a stand-in.

use std::sync::Arc;

use api::research::{OpenIdBegun, OpenIdOutcome, People};
use api::routes;
use axum::body::Body;
use axum::http::{self, Method};
use serde_json::{Value, json};
use server::openid::{OpenId, OpenIdSettings};
use server::system::{System, SystemRandomness};

use super::{Area, Shows, request, with_header};
use crate::app::AppResponse;

mod door;
mod people;
mod provider;
mod trust;

use provider::{AuthorizationRequest, CLIENT, Provider, SECRET};

const ADA: &str = "ada@example.org";

/// A server with a provider.
struct Scene {
    area: Area,
    provider: Provider,
}

/// A browser at the provider.
struct Away {
    asked: AuthorizationRequest,
    cookie: String,
}

impl Scene {
    async fn new(unknown: &str) -> Self {
        let provider = Provider::new().await;
        let mut area = Area::new().await;
        let file = area.app.folder.path().join("openid.env");
        let text = format!(
            "ISSUER={}\nCLIENT_ID={CLIENT}\nCLIENT_SECRET={SECRET}\nNAME=Campus\nUNKNOWN={unknown}\n",
            provider.issuer
        );
        std::fs::write(&file, text).unwrap();
        let system = System {
            clock: area.clock.clone(),
            randomness: Arc::new(SystemRandomness),
        };
        let settings = OpenIdSettings::of_file(&file).unwrap();
        area.app.state.openid = Some(Arc::new(OpenId::new(settings, system)));
        area.app.router = server::http::router(area.app.state.clone());
        Self { area, provider }
    }

    fn asks_to_begin(back: &str) -> http::Request<Body> {
        let body = Some(json!({ "back": back }));
        request(Method::POST, routes::OPENID, &Shows::default(), body)
    }

    async fn begin(&self) -> Away {
        self.begin_from("/research/account").await
    }

    async fn begin_from(&self, back: &str) -> Away {
        let answer = self.area.app.send(Self::asks_to_begin(back)).await;
        let begun: OpenIdBegun = answer.json();
        let cookie = answer.headers["set-cookie"].to_str().unwrap();
        let (cookie, attributes) = cookie.split_once("; ").unwrap();
        assert_eq!(
            attributes,
            "HttpOnly; SameSite=Lax; Path=/research/api/openid; Max-Age=600"
        );
        Away {
            asked: AuthorizationRequest::of(&begun.address),
            cookie: cookie.to_owned(),
        }
    }

    /// Comes back with a query, as a link from another site leads to.
    async fn back(&self, query: &str, cookie: &str) -> AppResponse {
        let path = format!("{}?{query}", routes::OPENID_BACK);
        let mut request = request(Method::GET, &path, &Shows::default(), None);
        request.headers_mut().remove("origin");
        self.area
            .app
            .send(with_header(request, "cookie", cookie))
            .await
    }

    async fn back_with(&self, away: &Away, code: &str) -> AppResponse {
        let query = format!(
            "state={}&code={}&iss=x",
            away.asked.state(),
            code.replace(' ', "%20")
        );
        self.back(&query, &away.cookie).await
    }

    /// Somebody signs in, of whom the provider says something.
    async fn sign_in(&self, subject: &str, said: Value) -> AppResponse {
        let away = self.begin().await;
        let code = self.provider.code(&away.asked, subject, said);
        self.back_with(&away, &code).await
    }

    async fn outcome(&self, subject: &str, said: Value) -> OpenIdOutcome {
        outcome(&self.sign_in(subject, said).await)
    }

    async fn person(&self, admin: &Shows, name: &str) -> api::research::Person {
        let people: People = self.area.get(routes::PEOPLE, admin).await.json();
        people
            .people
            .into_iter()
            .find(|it| it.name == name)
            .unwrap()
    }
}

fn address(answer: &AppResponse) -> &str {
    assert_eq!(answer.status, 303, "{}", answer.text());
    assert_eq!(answer.headers["cache-control"], "no-store");
    answer.headers["location"].to_str().unwrap()
}

/// Why nobody is signed in.
fn outcome(answer: &AppResponse) -> OpenIdOutcome {
    assert!(cookie(answer).is_none());
    let name = address(answer).strip_prefix("/research#sign-in=").unwrap();
    OpenIdOutcome::of_name(name).unwrap()
}

fn cookie(answer: &AppResponse) -> Option<String> {
    let set = answer.headers.get_all("set-cookie").into_iter();
    let set = set.filter_map(|it| it.to_str().ok()?.strip_prefix("redial_research="));
    set.map(|it| it.split(';').next().unwrap().to_owned())
        .next()
}

fn confirmed(email: &str) -> Value {
    json!({ "email": email, "email_verified": true })
}

fn shows(answer: &AppResponse) -> Shows {
    Shows {
        cookie: Some(cookie(answer).unwrap()),
        ..Shows::default()
    }
}
