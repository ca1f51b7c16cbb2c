//! Classes of a frame's window.
//!
//! An element that a frame's document takes in becomes one of the frame's own classes in some versions of Firefox, as if it had
//! been made there. Code that then asks for its class by this page's name is told no: leptos asks before it puts an
//! element beside another, and leaves the new one out without a word.

use js_sys::{Object, Reflect};
use wasm_bindgen::{JsCast as _, JsValue};
use web_sys::Document;

use crate::runtime::page;

/// Lets every class of the document's window inherit from this page's class of that name, so that what is an element,
/// an event or a canvas there is one here. Nothing of this page is changed.
pub(super) fn inherit_from_page(inside: &Document) -> Option<()> {
    let (ours, theirs) = (page::window()?, inside.default_view()?);
    for name in Object::get_own_property_names(&ours) {
        let is_class = |name: String| name.starts_with(|first: char| first.is_ascii_uppercase());
        if !name.as_string().is_some_and(is_class) {
            continue;
        }
        let classes = (prototype(&ours, &name), prototype(&theirs, &name));
        let (Some(ours), Some(theirs)) = classes else {
            continue;
        };
        // A few say no, Object and Window among them; nobody asks for those.
        let _ = Reflect::set_prototype_of(&theirs, &ours);
    }
    Some(())
}

/// The prototype of a window's class; nothing for what is no class.
fn prototype(window: &JsValue, name: &JsValue) -> Option<Object> {
    let class = Reflect::get(window, name).ok()?;
    if !class.is_function() {
        return None;
    }
    let prototype = Reflect::get(&class, &"prototype".into()).ok()?;
    // An object of another window is no `Object` of this one.
    prototype.is_object().then(|| prototype.unchecked_into())
}
