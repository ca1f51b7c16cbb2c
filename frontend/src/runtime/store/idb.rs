//! The few operations on IndexedDB that the store needs, as futures.

use js_sys::{Array, Promise};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{
    IdbDatabase, IdbKeyRange, IdbObjectStore, IdbRequest, IdbTransaction, IdbTransactionMode,
};

use super::stored_event::LocalEvent;
use crate::runtime::page;

const NAME: &str = "redial";
const VERSION: u32 = 1;
const SESSIONS: &str = "sessions";
const EVENTS: &str = "events";
/// Some browsers never answer; waiting longer would keep participants out.
const TIMEOUT_MS: i32 = 4_000;

type Result<T> = std::result::Result<T, JsValue>;

/// An open database.
pub(super) struct Database(IdbDatabase);

impl Database {
    pub(super) async fn open() -> Result<Self> {
        let window = web_sys::window().ok_or("no window")?;
        let factory = window.indexed_db()?.ok_or("there is none")?;
        let request = factory.open_with_u32(NAME, VERSION)?;
        let upgraded = request.clone();
        let on_upgrade = Closure::once_into_js(move || -> Result<()> {
            let database: IdbDatabase = upgraded.result()?.unchecked_into();
            database.create_object_store(SESSIONS)?;
            database.create_object_store(EVENTS)?;
            Ok(())
        });
        request.set_onupgradeneeded(Some(on_upgrade.unchecked_ref()));
        Ok(Self(answer(&request).await?.unchecked_into()))
    }

    pub(super) async fn session(&self, study: &str) -> Result<Option<String>> {
        let (store, _) = self.begin(SESSIONS, IdbTransactionMode::Readonly)?;
        Ok(answer(&store.get(&study.into())?).await?.as_string())
    }

    pub(super) async fn put_session(&self, study: &str, json: &str) -> Result<()> {
        let (store, transaction) = self.begin(SESSIONS, IdbTransactionMode::Readwrite)?;
        store.put_with_key(&json.into(), &study.into())?;
        committed(&transaction).await
    }

    pub(super) async fn events(&self, session: &str) -> Result<Vec<String>> {
        let (store, _) = self.begin(EVENTS, IdbTransactionMode::Readonly)?;
        let found = answer(&store.get_all_with_key(&all_of(session)?)?).await?;
        Ok(Array::from(&found)
            .iter()
            .filter_map(|value| value.as_string())
            .collect())
    }

    pub(super) async fn put_events(&self, session: &str, events: &[LocalEvent]) -> Result<()> {
        let (store, transaction) = self.begin(EVENTS, IdbTransactionMode::Readwrite)?;
        for (seq, json) in events {
            store.put_with_key(&JsValue::from_str(json), &key(session, *seq))?;
        }
        committed(&transaction).await
    }

    pub(super) async fn delete_events(&self, session: &str) -> Result<()> {
        let (store, transaction) = self.begin(EVENTS, IdbTransactionMode::Readwrite)?;
        store.delete(&all_of(session)?)?;
        committed(&transaction).await
    }

    fn begin(
        &self,
        store: &str,
        mode: IdbTransactionMode,
    ) -> Result<(IdbObjectStore, IdbTransaction)> {
        let transaction = self.0.transaction_with_str_and_mode(store, mode)?;
        Ok((transaction.object_store(store)?, transaction))
    }
}

fn key(session: &str, seq: u64) -> JsValue {
    Array::of2(&session.into(), &(seq as f64).into()).into()
}

fn all_of(session: &str) -> Result<JsValue> {
    let last = Array::of2(&session.into(), &f64::INFINITY.into());
    Ok(IdbKeyRange::bound(&key(session, 0), &last)?.into())
}

/// A request's result.
async fn answer(request: &IdbRequest) -> Result<JsValue> {
    let answered = Promise::new(&mut |resolve, reject| {
        let succeeded = request.clone();
        let on_success = Closure::once_into_js(move || {
            let _ = resolve.call1(
                &JsValue::NULL,
                &succeeded.result().unwrap_or(JsValue::UNDEFINED),
            );
        });
        request.set_onsuccess(Some(on_success.unchecked_ref()));
        request.set_onerror(Some(&reject));
    });
    page::within(&answered, TIMEOUT_MS).await
}

/// The end of a transaction: on disk as far as the browser tells.
async fn committed(transaction: &IdbTransaction) -> Result<()> {
    let promise = Promise::new(&mut |resolve, reject| {
        transaction.set_oncomplete(Some(&resolve));
        transaction.set_onerror(Some(&reject));
        transaction.set_onabort(Some(&reject));
    });
    page::within(&promise, TIMEOUT_MS).await.map(drop)
}
