//! Asking again for what a page shows.

use frontend::runtime::client::ClientError;
use gloo_timers::future::TimeoutFuture;
use leptos::prelude::*;
use leptos::task::spawn_local;

/// Loads again every `every_ms` milliseconds while `waits` says that something is to be waited for, until the page is
/// left. A load that fails is repeated with the next look.
pub fn load_again<F>(
    every_ms: u32,
    waits: impl Fn() -> bool + 'static,
    load: impl Fn() -> F + 'static,
) where
    F: Future<Output = Result<(), ClientError>>,
{
    let is_open = StoredValue::new(true);
    on_cleanup(move || is_open.set_value(false));
    spawn_local(async move {
        loop {
            TimeoutFuture::new(every_ms).await;
            if is_open.try_get_value() != Some(true) {
                return;
            }
            if waits() {
                let _ = load().await;
            }
        }
    });
}
