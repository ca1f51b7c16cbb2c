//! How large the picture and the sliders of the question on screen are.

use std::cell::RefCell;
use std::rc::Rc;

use domain::common::sizes::Sizes;
use domain::session::event::QuestionRef;
use leptos::prelude::{
    LocalStorage, StoredValue, UpdateValue, on_cleanup, request_animation_frame,
};
use wasm_bindgen::JsCast;
use wasm_bindgen::closure::Closure;
use web_sys::{Element, ResizeObserver, ResizeObserverEntry};

use super::current::CurrentSession;
use super::page::window;

/// The picture of a question, whatever its task.
const PICTURE: &str = "[data-screen=question] :is(.frame, .sample-picture)";
/// Its first slider: all are equally long.
const SLIDER: &str = "[data-screen=question] .slider";

/// Observed elements, until the question leaves the screen.
struct Watch {
    observer: ResizeObserver,
    _told: Closure<dyn FnMut(js_sys::Array)>,
}

/// Tells the session how large picture and sliders of the question on screen are, soon and whenever that changes.
///
/// The browser says so itself after it has laid the page out: nothing is asked of the layout, so that no drag waits for it.
/// `thumb_px` is the width of a slider's thumb.
pub fn watch(session: CurrentSession, at: QuestionRef, thumb_px: f64) {
    let watch: StoredValue<Option<Watch>, LocalStorage> = StoredValue::new_local(None);
    on_cleanup(move || {
        if let Some(Some(watch)) = watch.try_update_value(Option::take) {
            watch.observer.disconnect();
        }
    });
    // The screen is in the document by then.
    request_animation_frame(move || {
        // It may be gone as well.
        let _ = watch.try_update_value(|watch| *watch = observe(session, at, thumb_px));
    });
}

fn observe(session: CurrentSession, at: QuestionRef, thumb_px: f64) -> Option<Watch> {
    let document = window()?.document()?;
    let picture = document.query_selector(PICTURE).ok()??;
    let slider = document.query_selector(SLIDER).ok()?;
    let seen = Rc::new(RefCell::new(MeasuredSizes::default()));
    let of_slider = slider.clone();
    let told = Closure::new(move |entries: js_sys::Array| {
        let mut seen = seen.borrow_mut();
        for entry in entries.iter() {
            let entry: ResizeObserverEntry = entry.unchecked_into();
            let size = entry.content_rect();
            let is_slider = of_slider.as_ref() == Some(&entry.target());
            if is_slider {
                seen.slider_px = Some(size.width() - thumb_px);
            } else {
                seen.picture = [size.width(), size.height()];
            }
        }
        if let (Some(sizes), Some(taken)) = (seen.sizes(), session.get()) {
            taken.sized(at, sizes);
        }
    });
    let observer = ResizeObserver::new(told.as_ref().unchecked_ref()).ok()?;
    observer.observe(&picture);
    if let Some(slider) = &slider {
        observer.observe(slider);
    }
    Some(Watch {
        observer,
        _told: told,
    })
}

#[derive(Default)]
struct MeasuredSizes {
    picture: [f64; 2],
    slider_px: Option<f64>,
}

impl MeasuredSizes {
    /// None while something is not laid out, as on a page that is hidden.
    fn sizes(&self) -> Option<Sizes> {
        let rounded = |px: f64| (px * 100.0).round() / 100.0;
        let [picture_width_px, picture_height_px] = self.picture.map(rounded);
        let sizes = Sizes {
            picture_width_px,
            picture_height_px,
            slider_px: self.slider_px.map(rounded),
        };
        sizes.problem().is_none().then_some(sizes)
    }
}

/// Decides which sizes of a question are logged: those at rest, not each of a window that is being dragged.
#[derive(Debug, Clone, Copy, Default)]
pub struct SizeLog {
    newest: Option<Sizes>,
    /// The newest at the heartbeat before.
    before: Option<Sizes>,
    logged: Option<Sizes>,
}

impl SizeLog {
    /// The page was laid out like this.
    pub fn saw(&mut self, sizes: Sizes) {
        self.newest = Some(sizes);
    }

    /// At a heartbeat: what is to be logged, if anything is.
    pub fn at_rest(&mut self) -> Option<Sizes> {
        let rests = std::mem::replace(&mut self.before, self.newest) == self.newest;
        if rests { self.last() } else { None }
    }

    /// The question leaves the screen: what is to be logged, if anything is.
    pub fn last(&mut self) -> Option<Sizes> {
        let new = self.newest.filter(|newest| self.logged != Some(*newest));
        if new.is_some() {
            self.logged = new;
        }
        new
    }
}

/// The shorter side of the smallest picture that these questions would show in this window, in CSS pixels, by the page's own
/// style sheets; `None` if there is none.
#[must_use]
pub fn smallest_picture_px(questions: &[String]) -> Option<f64> {
    let document = window()?.document()?;
    let body = document.body()?;
    let probe = document.create_element("div").ok()?;
    probe.set_class_name("size-probe");
    probe.set_attribute("aria-hidden", "true").ok()?;
    body.append_child(&probe).ok()?;
    let shorter = |question: &String| {
        probe.set_inner_html(question);
        let frame: Element = probe.query_selector(".frame").ok()??;
        Some(f64::from(frame.client_width().min(frame.client_height())))
    };
    let smallest = questions.iter().filter_map(shorter).reduce(f64::min);
    probe.remove();
    smallest
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_at_rest_are_logged_once() {
        let sizes = |width: f64| Sizes {
            picture_width_px: width,
            picture_height_px: 100.0,
            slider_px: None,
        };
        let mut log = SizeLog::default();
        assert_eq!(log.at_rest(), None);
        log.saw(sizes(300.0));
        assert_eq!(log.at_rest(), None, "it may change at once");
        assert_eq!(log.at_rest(), Some(sizes(300.0)));
        assert_eq!((log.at_rest(), log.last()), (None, None));
        log.saw(sizes(310.0));
        assert_eq!(log.at_rest(), None);
        log.saw(sizes(320.0));
        assert_eq!(log.at_rest(), None, "the window is being dragged");
        log.saw(sizes(300.0));
        assert_eq!((log.at_rest(), log.at_rest()), (None, None), "as before");
        log.saw(sizes(200.0));
        assert_eq!(log.last(), Some(sizes(200.0)), "left at once");
    }
}
