//! Links from the rows of tables to the replay.

use api::routes;
use domain::common::identifiers::SessionId;
use domain::common::moment::moment;
use domain::common::table::{Cells, Column};
use serde_json::Value;

use super::files::ExportTarget;

/// Most bytes of a server's address.
const LONGEST: usize = 300;

/// Makes links of the moments in a table's column of links.
pub(super) struct Links {
    /// The address that stands before the path of each.
    address: String,
    study: String,
    /// Places of the columns with the session, and with the link.
    places: Option<(usize, usize)>,
}

impl Links {
    /// Of a table; one without such a column stays as it is.
    pub(super) fn new(to: &ExportTarget<'_>, columns: &[Column]) -> Self {
        let session = columns.iter().position(|column| column.name == "session");
        let link = columns.iter().position(|column| column.link);
        Self {
            address: to.address.to_owned(),
            study: to.study.to_owned(),
            places: session.zip(link),
        }
    }

    /// Puts the link into its cell of a row. A row that names no session gets none.
    pub(super) fn fill(&self, cells: &mut Cells) {
        let Some((session, link)) = self.places else {
            return;
        };
        let session = cells.get(session).and_then(Value::as_str);
        let page = session.map(|session| {
            let path = routes::replay_page(&self.study, &SessionId(session.to_owned()));
            [&self.address, path.as_str()].concat()
        });
        let Some(cell) = cells.get_mut(link).filter(|cell| !cell.is_null()) else {
            return;
        };
        *cell = match (page, cell.as_u64()) {
            (Some(page), Some(ms)) => Value::String(format!("{page}?t={}", moment(ms))),
            (Some(page), None) => Value::String(page),
            (None, _) => Value::Null,
        };
    }
}

/// The address that links to a server begin with, without a slash at its end.
///
/// # Errors
/// When it is none: what would be.
pub fn server_address(text: &str) -> Result<String, String> {
    let rest = ["https://", "http://"]
        .iter()
        .find_map(|scheme| text.strip_prefix(scheme));
    let whole = rest.is_some_and(|rest| {
        let unwanted = |c: char| c.is_whitespace() || c.is_control() || "?#\"\\<>".contains(c);
        !rest.is_empty() && !rest.starts_with('/') && !rest.contains(unwanted)
    });
    if whole && text.len() <= LONGEST {
        Ok(text.trim_end_matches('/').to_owned())
    } else {
        Err(format!(
            "the server's address is wanted as https://study.example.org, with the path that it lies below if there is one, in \
             at most {LONGEST} bytes"
        ))
    }
}

#[cfg(test)]
mod tests {
    use super::server_address;

    #[test]
    fn a_server_s_address_is_an_address() {
        assert_eq!(
            server_address("https://a.example/lab/"),
            Ok("https://a.example/lab".to_owned())
        );
        let long = format!("https://{}", "a".repeat(300));
        for bad in [
            "",
            "a.example",
            "https://",
            "https:///x",
            "javascript:1",
            "http://a b",
            "http://a?b",
            "http://a#",
            &long,
        ] {
            assert!(server_address(bad).is_err(), "{bad}");
        }
    }
}
