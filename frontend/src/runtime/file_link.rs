//! Links by which the participant saves a file.

use domain::session::event::Envelope;

use super::store::RunningSession;

/// An address under which the browser gives out a JSON text, until the page is left; none where it
/// cannot.
#[must_use]
pub fn link_to(json: &str) -> Option<String> {
    let options = web_sys::BlobPropertyBag::new();
    options.set_type("application/json");
    let parts = js_sys::Array::of1(&json.into());
    let blob = web_sys::Blob::new_with_str_sequence_and_options(&parts, &options).ok()?;
    web_sys::Url::create_object_url_with_blob(&blob).ok()
}

/// The data of a session in this browser, for the researchers: without its secret.
#[must_use]
pub fn session_file(running: &RunningSession, local: &[Envelope]) -> String {
    let kept = serde_json::json!({
        "format": 1, "study": running.plan.study, "title": running.title, "plan": running.plan,
        "events": local, "receipt": running.receipt,
    });
    kept.to_string()
}
