//! A server on loopback that stands for Mechanical Turk.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use axum::Router;
use axum::http::{HeaderMap, StatusCode};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// What Mechanical Turk has, and how it answers.
#[derive(Default)]
pub struct Books {
    /// Status by assignment: submitted, where nothing stands here.
    pub status: BTreeMap<String, &'static str>,
    /// Token, amount and reason of the bonuses that were paid.
    pub bonuses: Vec<(String, String, String)>,
    /// What was asked for, since the last time.
    asked: Vec<(String, Value)>,
    /// Does what is asked for and gives no answer to this operation.
    pub silent: Option<&'static str>,
    /// Does nothing of this operation, and says so.
    pub refuses: Option<&'static str>,
    /// Whether a token that was seen before is an error, as for a request that differs.
    pub token_once: bool,
}

impl Books {
    fn answer(&mut self, operation: &str, body: &Value) -> (u16, Value) {
        self.asked.push((operation.to_owned(), body.clone()));
        let text = |name: &str| body[name].as_str().unwrap_or_default().to_owned();
        let assignment = text("AssignmentId");
        if self.refuses.is_some_and(|it| it == operation) {
            let why = "This assignment is in a state that does not allow it";
            return (400, json!({ "__type": "RequestError", "Message": why }));
        }
        let answer = match operation {
            "GetAssignment" => {
                let status = self.status.get(&assignment).copied();
                json!({ "Assignment": { "AssignmentStatus": status.unwrap_or("Submitted") } })
            }
            "ApproveAssignment" => {
                self.status.insert(assignment, "Approved");
                json!({})
            }
            "RejectAssignment" => {
                self.status.insert(assignment, "Rejected");
                json!({})
            }
            "SendBonus" => {
                let token = text("UniqueRequestToken");
                let known = self.bonuses.iter().any(|(other, ..)| *other == token);
                if known && self.token_once {
                    let why = "The bonus payment token was used before";
                    return (400, json!({ "__type": "RequestError", "Message": why }));
                }
                if !known {
                    let paid = (token, text("BonusAmount"), text("Reason"));
                    self.bonuses.push(paid);
                }
                json!({})
            }
            "ListBonusPayments" => {
                let paid = self.bonuses.iter();
                let paid = paid
                    .map(|(_, amount, reason)| json!({ "BonusAmount": amount, "Reason": reason }));
                json!({ "BonusPayments": paid.collect::<Vec<_>>() })
            }
            _ => return (400, json!({ "__type": "UnknownOperation" })),
        };
        if self.silent.is_some_and(|it| it == operation) {
            return (503, json!("gone"));
        }
        (200, answer)
    }
}

/// Mechanical Turk, on loopback.
pub struct Turk {
    pub origin: String,
    pub books: Arc<Mutex<Books>>,
    task: JoinHandle<()>,
}

impl Drop for Turk {
    fn drop(&mut self) {
        self.task.abort();
    }
}

impl Turk {
    pub async fn start() -> Self {
        let books = Arc::<Mutex<Books>>::default();
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let origin = format!("http://{}", listener.local_addr().unwrap());
        let seen = books.clone();
        let router = Router::new().fallback(move |headers: HeaderMap, body: String| async move {
            let signed = headers["authorization"].to_str().unwrap();
            assert!(
                signed.starts_with("AWS4-HMAC-SHA256 Credential=AKID/"),
                "{signed}"
            );
            let target = headers["x-amz-target"].to_str().unwrap();
            let operation = target.rsplit('.').next().unwrap();
            let body = serde_json::from_str(&body).unwrap();
            let (status, answer) = seen.lock().unwrap().answer(operation, &body);
            (StatusCode::from_u16(status).unwrap(), answer.to_string())
        });
        let task = tokio::spawn(async move { axum::serve(listener, router).await.unwrap() });
        Self {
            origin,
            books,
            task,
        }
    }

    pub fn set(&self, change: impl FnOnce(&mut Books)) {
        change(&mut self.books.lock().unwrap());
    }

    /// Somebody has decided about an assignment there.
    pub fn stands(&self, assignment: &str, status: &'static str) {
        let assignment = assignment.to_owned();
        self.set(|books| {
            books.status.insert(assignment, status);
        });
    }

    /// The operations that were asked for, since the last time.
    pub fn asked(&self) -> Vec<String> {
        let asked = std::mem::take(&mut self.books.lock().unwrap().asked);
        asked.into_iter().map(|(operation, _)| operation).collect()
    }

    /// What the last request of an operation said, since the last time.
    pub fn last(&self, operation: &str) -> Value {
        let books = self.books.lock().unwrap();
        let mut asked = books.asked.iter().rev();
        let last = asked.find(|(it, _)| it == operation);
        last.unwrap().1.clone()
    }
}
