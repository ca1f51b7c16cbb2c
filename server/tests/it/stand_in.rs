//! A server on loopback that stands for one of a platform.

use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{StatusCode, Uri};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// No status: there is no answer.
const HANGS: u16 = 0;

/// What it answers, and what it was asked.
pub struct StandIn {
    pub origin: String,
    said: Arc<Mutex<(u16, String)>>,
    asked: Arc<Mutex<Vec<String>>>,
    bodies: Arc<Mutex<Vec<String>>>,
    task: JoinHandle<()>,
}

impl Drop for StandIn {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl StandIn {
    /// Answers everything with a status and a body.
    pub async fn saying(status: u16, body: &str) -> Self {
        let said = Arc::new(Mutex::new((status, body.to_owned())));
        let asked = Arc::new(Mutex::new(Vec::new()));
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let bodies = Arc::new(Mutex::new(Vec::new()));
        let (answers, questions, sent) = (said.clone(), asked.clone(), bodies.clone());
        let router = Router::new().fallback(move |uri: Uri, body: String| async move {
            questions.lock().unwrap().push(uri.to_string());
            sent.lock().unwrap().push(body);
            let (status, body) = answers.lock().unwrap().clone();
            if status == HANGS {
                std::future::pending::<()>().await;
            }
            (StatusCode::from_u16(status).unwrap(), body)
        });
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            origin,
            said,
            asked,
            bodies,
            task,
        }
    }

    /// From now on it answers this.
    pub fn say(&self, status: u16, body: &str) {
        *self.said.lock().unwrap() = (status, body.to_owned());
    }

    /// From now on it takes requests and never answers them.
    pub fn hang(&self) {
        self.say(HANGS, "");
    }

    /// The bodies of all requests so far.
    pub fn bodies(&self) -> Vec<String> {
        self.bodies.lock().unwrap().clone()
    }

    /// The paths it was asked for, since the last time.
    pub fn asked(&self) -> Vec<String> {
        std::mem::take(&mut self.asked.lock().unwrap())
    }
}
