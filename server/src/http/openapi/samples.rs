//! How a script asks an endpoint of the researcher's area: with curl, from Python and from R.

use api::routes::RESEARCH;
use axum::http::Method;
use serde_json::{Value, json};

use crate::http::endpoint::{Endpoint, OpenedBy, ResponseBody};

/// Where the samples think that the server is.
const SERVER: &str = "https://study.example.org";

/// Samples for an endpoint that takes tokens, as `x-codeSamples` has them: the same request with curl, Python
/// (`requests`) and R (`httr2`). Nothing for other endpoints. The token stands in the variable `TOKEN` of the
/// environment; what stands in braces in the path is a variable of the same name.
pub(super) fn samples(endpoint: &Endpoint) -> Option<Value> {
    let takes_tokens = matches!(
        endpoint.opened_by,
        OpenedBy::SignIn | OpenedBy::Right(_) | OpenedBy::RightForSome(_)
    );
    (takes_tokens && endpoint.path.starts_with(RESEARCH)).then(|| {
        let one = |lang: &str, label: &str, source: String| json!({ "lang": lang, "label": label, "source": source });
        json!([
            one("Shell", "curl", curl(endpoint)),
            one("Python", "Python (requests)", python(endpoint)),
            one("R", "R (httr2)", r(endpoint)),
        ])
    })
}

/// The body that is sent with a request.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Sent {
    Nothing,
    /// The file `body.json`.
    Json,
    /// The file `list.csv`.
    Bytes,
}

impl Sent {
    fn with(endpoint: &Endpoint) -> Self {
        match (endpoint.body.is_some(), endpoint.body_is_bytes) {
            (true, _) => Self::Json,
            (false, true) => Self::Bytes,
            (false, false) => Self::Nothing,
        }
    }
}

fn curl(endpoint: &Endpoint) -> String {
    let path = endpoint.path.replace('{', "${");
    let sent = match Sent::with(endpoint) {
        Sent::Nothing if endpoint.method == Method::GET => String::new(),
        Sent::Nothing => format!(" -X {}", endpoint.method),
        Sent::Json => " --json @body.json".to_owned(),
        Sent::Bytes => " --data-binary @list.csv".to_owned(),
    };
    let answer = match endpoint.answer {
        ResponseBody::Bytes => " -OJ",
        ResponseBody::Events(_) => " -N",
        _ => "",
    };
    format!(
        "curl --fail-with-body -H \"Authorization: Bearer $TOKEN\"{sent}{answer} \"{SERVER}{path}\""
    )
}

fn python(endpoint: &Endpoint) -> String {
    let body = match Sent::with(endpoint) {
        Sent::Nothing => "",
        Sent::Json => "    json=json.load(open(\"body.json\")),\n",
        Sent::Bytes => "    data=open(\"list.csv\", \"rb\"),\n",
    };
    let stream = match endpoint.answer {
        ResponseBody::Bytes | ResponseBody::Events(_) => "    stream=True,\n",
        _ => "",
    };
    let answer = match endpoint.answer {
        ResponseBody::Bytes => {
            "with open(\"answer\", \"wb\") as file:\n    for part in response.iter_content(1 << 20):\n        file.write(part)"
        }
        ResponseBody::Events(_) => {
            "for line in response.iter_lines(decode_unicode=True):\n    if line.startswith(\"data: \"):\n        print(json.loads(line[6:]))"
        }
        _ => "print(response.json())",
    };
    // A string with names in braces is a format string in Python.
    let path = &endpoint.path;
    let method = endpoint.method.as_str().to_ascii_lowercase();
    format!(
        "import json, os, requests\n\nresponse = requests.{method}(\n    f\"{SERVER}{path}\",\n    \
         headers={{\"Authorization\": f\"Bearer {{os.environ['TOKEN']}}\"}},\n{body}{stream})\n\
         response.raise_for_status()\n{answer}"
    )
}

fn r(endpoint: &Endpoint) -> String {
    let names = endpoint.path.trim_start_matches('/').split('/');
    let names = names.map(|name| match name.strip_prefix('{') {
        Some(variable) => variable.trim_end_matches('}').to_owned(),
        None => format!("\"{name}\""),
    });
    let path = names.collect::<Vec<_>>().join(", ");
    let mut steps = vec![
        format!("request(\"{SERVER}\")"),
        format!("req_url_path_append({path})"),
        "req_auth_bearer_token(Sys.getenv(\"TOKEN\"))".to_owned(),
    ];
    match Sent::with(endpoint) {
        Sent::Nothing => {}
        Sent::Json => {
            steps.push("req_body_file(\"body.json\", type = \"application/json\")".to_owned())
        }
        Sent::Bytes => steps.push("req_body_file(\"list.csv\", type = \"text/csv\")".to_owned()),
    }
    let by_itself = match Sent::with(endpoint) {
        Sent::Nothing => Method::GET,
        _ => Method::POST,
    };
    if endpoint.method != by_itself {
        steps.push(format!("req_method(\"{}\")", endpoint.method));
    }
    match endpoint.answer {
        ResponseBody::Bytes => steps.push("req_perform(path = \"answer\")".to_owned()),
        ResponseBody::Events(_) => {
            steps.push("req_perform_connection()".to_owned());
            let connection = steps.join(" |>\n  ");
            return format!(
                "library(httr2)\n\nlive <- {connection}\n\
                 while (!resp_stream_is_complete(live)) {{\n  event <- resp_stream_sse(live)\n  \
                 if (!is.null(event)) print(jsonlite::fromJSON(event$data))\n}}"
            );
        }
        _ => steps.extend(["req_perform()".to_owned(), "resp_body_json()".to_owned()]),
    }
    format!("library(httr2)\n\n{}", steps.join(" |>\n  "))
}
