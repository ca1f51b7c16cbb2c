//! A new version of the app: a page that was opened before takes it between two questions.
//!
//! Old pages and new servers understand each other, since stored formats stay readable; but a
//! correction should reach who is in a session, too. After each loss of the connection, which a
//! new version always brings, the page looks whether the server has another build of the app.

use web_sys::Storage;

use super::client;
use super::page;

/// The build that a page left when it loaded again, so that a cache between page and server,
/// which goes on handing out the old build, cannot make it load over and over.
const LEFT: &str = "redial-left-build";

/// Whether the server has another build than this page. False where that cannot be found out.
pub async fn is_due() -> bool {
    let Some(own) = page::app() else {
        return false;
    };
    let was_left = storage().and_then(|storage| storage.get_item(LEFT).ok().flatten());
    if was_left.as_ref() == Some(&own) {
        return false;
    }
    let page = async {
        let answer = client::request("GET", "/", None, None).await?;
        client::text(&answer).await
    };
    // A page that is not ours comes from something between here and the server.
    page.await
        .is_ok_and(|html| html.contains("id=\"app\"") && !html.contains(&own))
}

/// Loads the page again. The session goes on from what is stored. Without a store in which that
/// can be noted nothing happens.
pub fn renew() -> bool {
    let noted = storage()
        .zip(page::app())
        .is_some_and(|(storage, own)| storage.set_item(LEFT, &own).is_ok());
    noted && page::window().is_some_and(|window| window.location().reload().is_ok())
}

fn storage() -> Option<Storage> {
    page::window()?.session_storage().ok().flatten()
}
