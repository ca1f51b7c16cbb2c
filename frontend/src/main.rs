//! The browser app of Redial, rendered on the client.

mod app;
mod paint;
mod runtime;
mod text;
mod view;

fn main() {
    console_error_panic_hook::set_once();
    leptos::mount::mount_to_body(app::App);
}
