//! Keeps a session to one tab at a time: by a lock of the browser (Web Locks), or where it gives
//! none, by asking the other tabs (`BroadcastChannel`).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use domain::session::event::SessionId;
use gloo_timers::future::TimeoutFuture;
use js_sys::{Function, Object, Promise, Reflect};
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};
use web_sys::{BroadcastChannel, MessageEvent};

use super::page;

/// A reload may still hold the lock of the page before it for a moment.
const ATTEMPTS: u32 = 5;
const PAUSE_MS: u32 = 200;
/// A browser that has not said by then whether a lock is free has no locks.
const LOCK_TIMEOUT_MS: i32 = 3_000;
/// How long another tab has for its answer.
const ANSWER_MS: u32 = 400;

/// Messages between tabs: "who has it?", "I have", "I take it".
const WHO: &str = "who";
const MINE: &str = "mine";
const TAKEN: &str = "taken";

thread_local! {
    /// Open for as long as the page lives.
    static CHANNEL: RefCell<Option<BroadcastChannel>> = const { RefCell::new(None) };
}

/// Takes the session for this page, for as long as the page lives, or until another tab takes it
/// over; then `on_lost` is called. False when another tab has it, which `take_over` takes it from.
pub async fn claim(
    session: &SessionId,
    take_over: bool,
    on_lost: impl Fn() + Clone + 'static,
) -> bool {
    let name = ["redial-", &session.0].concat();
    if let Some(locks) = Locks::find() {
        match locks.claim(&name, take_over, on_lost.clone()).await {
            Ok(ours) => return ours,
            // As where storage is blocked.
            Err(error) => web_sys::console::warn_2(&"no locks:".into(), &error),
        }
    }
    match ask_other_tabs(&name, take_over, on_lost).await {
        Ok(ours) => ours,
        Err(error) => {
            web_sys::console::warn_2(&"other tabs cannot be asked:".into(), &error);
            true
        }
    }
}

/// `navigator.locks`. Its methods are looked up by name: their types are not stable in `web-sys`.
struct Locks {
    locks: JsValue,
    request: Function,
}

impl Locks {
    fn find() -> Option<Self> {
        let navigator = page::window()?.navigator();
        let locks = Reflect::get(&navigator, &"locks".into())
            .ok()
            .filter(JsValue::is_object)?;
        let request = Reflect::get(&locks, &"request".into()).ok()?;
        let request = request.dyn_into().ok()?;
        Some(Self { locks, request })
    }

    async fn claim(
        &self,
        name: &str,
        take_over: bool,
        on_lost: impl Fn() + Clone + 'static,
    ) -> Result<bool, JsValue> {
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                TimeoutFuture::new(PAUSE_MS).await;
            }
            let answer = self.ask(name, take_over, on_lost.clone());
            let free = page::within(&answer, LOCK_TIMEOUT_MS).await?;
            if free.is_truthy() {
                return Ok(true);
            }
        }
        Ok(false)
    }

    /// A promise of whether the lock was free; rejected when the browser refuses to say. The lock
    /// is held until the promise that the callback returns is settled, which never happens.
    fn ask(&self, name: &str, take_over: bool, on_lost: impl Fn() + Clone + 'static) -> Promise {
        Promise::new(&mut |resolve, reject| {
            let on_lost = on_lost.clone();
            let held = Rc::new(Cell::new(false));
            let holds = Rc::clone(&held);
            let on_answer = Closure::once_into_js(move |lock: JsValue| -> JsValue {
                let free = lock.is_truthy();
                holds.set(free);
                let _ = resolve.call1(&JsValue::NULL, &free.into());
                if free {
                    Promise::new(&mut |_, _| {}).into()
                } else {
                    JsValue::UNDEFINED
                }
            });
            let options = Object::new();
            let how = if take_over { "steal" } else { "ifAvailable" };
            let _ = Reflect::set(&options, &how.into(), &true.into());
            let asked = self
                .request
                .call3(&self.locks, &name.into(), &options, &on_answer);
            let refuse = move |error: &JsValue| {
                let _ = reject.call1(&JsValue::NULL, error);
            };
            // Its promise is rejected at once when it is refused, and later when it is stolen.
            match asked.and_then(|asked| asked.dyn_into::<Promise>()) {
                Err(error) => refuse(&error),
                Ok(asked) => {
                    let on_rejected = Closure::once_into_js(move |error: JsValue| {
                        if held.get() {
                            on_lost();
                        } else {
                            refuse(&error);
                        }
                    });
                    let _ = Reflect::get(&asked, &"then".into())
                        .and_then(|then| then.dyn_into::<Function>())
                        .and_then(|then| then.call2(&asked, &JsValue::UNDEFINED, &on_rejected));
                }
            }
        })
    }
}

/// Whether no other tab answers that it has the session.
async fn ask_other_tabs(
    name: &str,
    take_over: bool,
    on_lost: impl Fn() + 'static,
) -> Result<bool, JsValue> {
    let channel = BroadcastChannel::new(name)?;
    let (taken, ours) = (Rc::new(Cell::new(false)), Rc::new(Cell::new(false)));
    let (hears, has) = (Rc::clone(&taken), Rc::clone(&ours));
    let answering = channel.clone();
    let on_message = Closure::<dyn Fn(MessageEvent)>::new(move |event: MessageEvent| {
        match event.data().as_string().as_deref() {
            Some(WHO) if has.get() => {
                let _ = answering.post_message(&MINE.into());
            }
            Some(MINE) => hears.set(true),
            Some(TAKEN) if has.replace(false) => on_lost(),
            _ => {}
        }
    });
    channel.set_onmessage(Some(on_message.as_ref().unchecked_ref()));
    on_message.forget();
    if take_over {
        channel.post_message(&TAKEN.into())?;
    } else {
        channel.post_message(&WHO.into())?;
        TimeoutFuture::new(ANSWER_MS).await;
        if taken.get() {
            channel.close();
            return Ok(false);
        }
    }
    ours.set(true);
    CHANNEL.with(|kept| kept.replace(Some(channel)));
    Ok(true)
}
