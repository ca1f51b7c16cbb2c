//! Parts of screens: signals in, callbacks out. Matters of a session are decided
//! in `domain`; here they are only shown.

pub mod alignment;
mod announce;
pub mod clipboard;
mod dial_keys;
pub mod dials;
pub mod form;
pub mod paint;
pub mod parts;
pub mod picture;
mod plots;
mod press_repeat;
pub mod presses;
pub mod progress;
pub mod range_touch;
pub mod records;
pub mod shell;
pub mod sound;
pub mod thumbnail;
mod touch_intent;
pub mod typed;
