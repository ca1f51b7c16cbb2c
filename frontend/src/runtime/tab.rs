//! Keeps a session to one tab at a time, by a lock of the browser (Web Locks).

use domain::event::SessionId;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;

/// A reload may still hold the lock of the page before it for a moment.
const ATTEMPTS: u32 = 5;
const PAUSE_MS: u32 = 200;

/// Takes the session for this page, for as long as the page lives. False when
/// another tab has it; true, too, in a browser without locks.
///
/// The methods are looked up by name: their types are not stable in `web-sys` yet.
pub async fn claim(session: &SessionId) -> bool {
    let Some((locks, request)) = locks() else {
        return true;
    };
    let name = JsValue::from_str(&["redial-", &session.0].concat());
    for attempt in 0..ATTEMPTS {
        if attempt > 0 {
            TimeoutFuture::new(PAUSE_MS).await;
        }
        if JsFuture::from(try_claim(&locks, &request, &name))
            .await
            .is_ok_and(|got| got.is_truthy())
        {
            return true;
        }
    }
    false
}

fn locks() -> Option<(JsValue, Function)> {
    let navigator = web_sys::window()?.navigator();
    let locks = Reflect::get(&navigator, &"locks".into())
        .ok()
        .filter(JsValue::is_object)?;
    let request = Reflect::get(&locks, &"request".into())
        .ok()?
        .dyn_into()
        .ok()?;
    Some((locks, request))
}

/// A promise of whether the lock was free. The lock is held until the promise that
/// the callback returns is settled, which never happens.
fn try_claim(locks: &JsValue, request: &Function, name: &JsValue) -> Promise {
    Promise::new(&mut |resolve, reject| {
        let on_answer = Closure::once_into_js(move |lock: JsValue| -> JsValue {
            let free = lock.is_truthy();
            let _ = resolve.call1(&JsValue::NULL, &free.into());
            if free {
                Promise::new(&mut |_, _| {}).into()
            } else {
                JsValue::UNDEFINED
            }
        });
        let options = Object::new();
        let _ = Reflect::set(&options, &"ifAvailable".into(), &true.into());
        if let Err(error) = request.call3(locks, name, &options, &on_answer) {
            let _ = reject.call1(&JsValue::NULL, &error);
        }
    })
}
