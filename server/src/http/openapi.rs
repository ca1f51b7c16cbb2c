//! The OpenAPI 3.1 description, made from the table of endpoints and the types they carry.

use std::sync::Arc;

use api::{ErrorBody, ErrorCode};
use axum::{Extension, Json};
use schemars::SchemaGenerator;
use schemars::generate::SchemaSettings;
use serde_json::{Map, Value, json};

use super::endpoint::{Endpoint, OpenedBy, ResponseBody};
use super::error;

mod samples;

/// `GET /api/openapi.json`
pub(super) async fn show(Extension(description): Extension<Arc<Value>>) -> Json<Value> {
    Json((*description).clone())
}

/// The description.
#[must_use]
pub fn description(endpoints: &[Endpoint]) -> Value {
    let settings = SchemaSettings::draft2020_12()
        .with(|settings| settings.definitions_path = "/components/schemas".into());
    let mut generator = settings.into_generator();
    let mut paths = Map::new();
    for endpoint in endpoints {
        let path = paths
            .entry(endpoint.path.clone())
            .or_insert_with(|| json!({}));
        path[endpoint.method.as_str().to_ascii_lowercase()] = operation(endpoint, &mut generator);
    }
    json!({
        "openapi": "3.1.0",
        "info": {
            "title": "Redial",
            "version": env!("CARGO_PKG_VERSION"),
            "description": "Studies of interactive reconstruction: what the participant's browser and the server say to each other.",
            "license": { "name": "MIT", "identifier": "MIT" },
        },
        "paths": paths,
        "components": {
            "securitySchemes": {
                "session": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The token that starting a session gave; good for that session alone.",
                },
                "lab": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "The key that `redial serve` prints; good for all lab sessions.",
                },
                "sign_in": {
                    "type": "apiKey",
                    "in": "cookie",
                    "name": super::research::COOKIE,
                    "description": "What signing in to the researcher's area gives a browser. What changes something needs the header x-redial-change-key, too.",
                },
                "research_token": {
                    "type": "http",
                    "scheme": "bearer",
                    "description": "A token for programs, made in the researcher's area. Its scopes are read, export and manage.",
                },
            },
            "schemas": generator.take_definitions(true),
        },
    })
}

fn operation(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let mut parameters: Vec<Value> = parameters(&endpoint.path)
        .map(|name| json!({ "name": name, "in": "path", "required": true, "schema": { "type": "string" } }))
        .collect();
    if endpoint.languages {
        parameters.extend([
            json!({ "name": "lang", "in": "query", "description": "The language wanted (BCP 47). It goes before those of the browser.", "schema": { "type": "string" } }),
            json!({ "name": "Accept-Language", "in": "header", "description": "The languages of the browser.", "schema": { "type": "string" } }),
        ]);
    }
    let query = endpoint.query.map(|schema| schema(generator).to_value());
    let fields = query
        .as_ref()
        .and_then(|query| query["properties"].as_object());
    for (name, schema) in fields.into_iter().flatten() {
        let mut schema = schema.clone();
        let about = schema
            .as_object_mut()
            .and_then(|it| it.remove("description"));
        parameters
            .push(json!({ "name": name, "in": "query", "description": about, "schema": schema }));
    }
    let mut operation = json!({
        "operationId": endpoint.name,
        "summary": endpoint.summary,
        "parameters": parameters,
        "responses": responses(endpoint, generator),
    });
    match endpoint.opened_by {
        OpenedBy::Nothing => {}
        OpenedBy::SessionToken => operation["security"] = json!([{ "session": [] }]),
        OpenedBy::SignIn => {
            operation["security"] =
                json!([{ "sign_in": [] }, { "research_token": [] }, { "lab": [] }]);
        }
        OpenedBy::Cookie | OpenedBy::Admin => {
            operation["security"] = json!([{ "sign_in": [] }]);
        }
        OpenedBy::Right(right) | OpenedBy::RightForSome(right) => {
            operation["security"] = json!([
                { "sign_in": [] }, { "research_token": [right.scope().name()] }, { "lab": [] }
            ]);
            operation["x-right"] = right.name().into();
        }
    }
    if let Some(samples) = samples::samples(endpoint) {
        operation["x-codeSamples"] = samples;
    }
    if let Some(body) = endpoint.body {
        operation["requestBody"] = json!({ "required": true, "content": { "application/json": { "schema": body(generator) } } });
    }
    if endpoint.body_is_bytes {
        operation["requestBody"] =
            json!({ "required": true, "content": { "application/octet-stream": {} } });
    }
    if let ResponseBody::Messages(up, down) = endpoint.answer {
        operation["x-messages"] = json!({ "client": up(generator), "server": down(generator) });
    }
    operation
}

fn responses(endpoint: &Endpoint, generator: &mut SchemaGenerator) -> Value {
    let mut responses = Map::new();
    let (status, answer) = match endpoint.answer {
        ResponseBody::Json(schema) => (
            "200",
            json!({ "description": "Done.", "content": { "application/json": { "schema": schema(generator) } } }),
        ),
        ResponseBody::Bytes => (
            "200",
            json!({ "description": "The bytes.", "content": { "application/octet-stream": {} } }),
        ),
        ResponseBody::Events(schema) => (
            "200",
            json!({ "description": "Server-sent events; the schema is that of the data of each.", "content": { "text/event-stream": { "schema": schema(generator) } } }),
        ),
        ResponseBody::Redirect => (
            "303",
            json!({ "description": "The page to go to, in the header `Location`." }),
        ),
        ResponseBody::Messages(..) => (
            "101",
            json!({ "description": "The connection is a WebSocket now." }),
        ),
    };
    responses.insert(status.to_owned(), answer);
    let schema = generator.subschema_for::<ErrorBody>();
    for code in endpoint
        .errors
        .iter()
        .chain(&[ErrorCode::MethodNotAllowed, ErrorCode::Internal])
    {
        let status = error::status(*code);
        let response = responses
            .entry(status.as_str().to_owned())
            .or_insert_with(|| json!({ "description": "", "content": { "application/json": { "schema": schema } } }));
        let description = response["description"].as_str().unwrap_or_default();
        let name = serde_json::to_value(code).unwrap_or_default();
        let name = name.as_str().unwrap_or_default();
        let both = if description.is_empty() {
            name.to_owned()
        } else {
            format!("{description}, {name}")
        };
        response["description"] = both.into();
        if error::retry_after_s(status).is_some() {
            response["headers"] = json!({ "Retry-After": {
                "description": "When to try again, in seconds.",
                "schema": { "type": "integer" },
            } });
        }
    }
    Value::Object(responses)
}

/// Names in braces.
fn parameters(path: &str) -> impl Iterator<Item = &str> {
    path.split('/')
        .filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'))
}
