//! The query in the address of the table of sessions.

use api::research::SessionsQuery;
use form_urlencoded::{Serializer, parse};

/// Reads from an address which sessions are wanted. Parts that make no sense are left out.
pub fn sessions_query(query: &str) -> SessionsQuery {
    let mut found = SessionsQuery::default();
    for (name, value) in parse(query.as_bytes()) {
        match &*name {
            "columns" => found.columns = value.into_owned(),
            "sort" => found.sort = value.into_owned(),
            "filter" => found.filter = value.into_owned(),
            "page" => found.page = value.parse().unwrap_or(0),
            "rows" => found.rows = value.parse().ok(),
            _ => {}
        }
    }
    found
}

/// The same as a query, for addresses and for the server.
pub fn query_of(query: &SessionsQuery) -> String {
    let mut written = Serializer::new(String::new());
    let texts = [
        ("columns", &query.columns),
        ("sort", &query.sort),
        ("filter", &query.filter),
    ];
    for (name, value) in texts {
        if !value.is_empty() {
            written.append_pair(name, value);
        }
    }
    if query.page > 0 {
        written.append_pair("page", &query.page.to_string());
    }
    if let Some(rows) = query.rows {
        written.append_pair("rows", &rows.to_string());
    }
    written.finish()
}
