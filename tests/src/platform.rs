//! A site that stands for a recruitment platform: it shows a study in a frame, and takes the form
//! that a participant hands in at the end.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, PoisonError};

use anyhow::Result;
use axum::Router;
use axum::extract::State;
use axum::response::Html;
use axum::routing::{get, post};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// The site, until the value is dropped. "localhost" is another site than "127.0.0.1", where
/// servers of ours listen.
pub struct PlatformStandIn {
    origin: String,
    pages: Arc<Mutex<Pages>>,
    task: JoinHandle<()>,
}

#[derive(Default)]
struct Pages {
    /// Address in the frame.
    shown: String,
    /// Forms that were handed in, in order.
    forms: Vec<BTreeMap<String, String>>,
}

impl PlatformStandIn {
    /// Starts the site.
    pub async fn start() -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let origin = format!("http://localhost:{}", listener.local_addr()?.port());
        let pages = Arc::<Mutex<Pages>>::default();
        let site = Router::new()
            .route("/", get(frame))
            .route("/mturk/externalSubmit", post(submit))
            .with_state(pages.clone());
        let task = tokio::spawn(async move {
            // Over when the test is.
            let _ = axum::serve(listener, site).await;
        });
        Ok(Self {
            origin,
            pages,
            task,
        })
    }

    /// The site's origin.
    #[must_use]
    pub fn origin(&self) -> &str {
        &self.origin
    }

    /// Shows an address in a frame from now on; gives the page that does.
    #[must_use]
    pub fn show(&self, address: &str) -> String {
        address.clone_into(&mut self.pages().shown);
        format!("{}/", self.origin)
    }

    /// The forms that were handed in, in order.
    #[must_use]
    pub fn forms(&self) -> Vec<BTreeMap<String, String>> {
        self.pages().forms.clone()
    }

    fn pages(&self) -> std::sync::MutexGuard<'_, Pages> {
        self.pages.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Drop for PlatformStandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

async fn frame(State(pages): State<Arc<Mutex<Pages>>>) -> Html<String> {
    let pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
    let address = pages.shown.replace('&', "&amp;");
    Html(format!(
        "<iframe src='{address}' width=1200 height=700></iframe>"
    ))
}

async fn submit(State(pages): State<Arc<Mutex<Pages>>>, form: String) -> Html<&'static str> {
    let fields = url::form_urlencoded::parse(form.as_bytes()).into_owned();
    let mut pages = pages.lock().unwrap_or_else(PoisonError::into_inner);
    pages.forms.push(fields.collect());
    Html("<p id=thanks>Handed in</p>")
}
