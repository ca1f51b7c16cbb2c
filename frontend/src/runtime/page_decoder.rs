//! A model's decoder on this page: in the page itself, and beside it in a worker where a decode would
//! make the dials stand still (decision 38).

use std::cell::{Cell, RefCell};
use std::rc::Rc;

use domain::movement::Decode;
use domain::movement::decode_times::Pace;
use leptos::task::spawn_local;
use wasm_bindgen::closure::Closure;
use wasm_bindgen::{JsCast, JsValue};

use super::clock::monotonic_ms;
use super::decoder_module::{LoadedDecoder, WorkerDecoder, WorkerReply, in_words};

/// A decoder, for as long as the page lives.
#[derive(Clone)]
pub struct PageDecoder(Rc<Inner>);

struct Inner {
    loaded: LoadedDecoder,
    pace: Cell<Pace>,
    worker: RefCell<Worker>,
}

/// The worker that decodes the same.
enum Worker {
    /// Nobody has needed it.
    None,
    Starting,
    Idle(WorkerDecoder),
    Busy,
    /// It did not start, or has broken down.
    Broken,
}

impl PageDecoder {
    /// A decoder that has just been loaded. It decodes a few times for itself: browsers compile code
    /// well once it has run, and this is how it is first known how long it takes.
    pub(super) fn new(loaded: LoadedDecoder) -> Self {
        let decoder = Self(Rc::new(Inner {
            loaded,
            pace: Cell::default(),
            worker: RefCell::new(Worker::None),
        }));
        let this = decoder.clone();
        let took = Closure::<dyn FnMut(f64) -> bool>::new(move |ms| this.took(ms));
        decoder
            .0
            .loaded
            .warm_up(took.into_js_value().unchecked_ref());
        decoder
    }

    /// g in the page itself, whatever it takes.
    #[must_use]
    pub fn on_page(&self) -> Decode {
        let this = self.clone();
        Decode::new(move |z: &[f64], instance: &mut Vec<f32>| {
            let before_ms = monotonic_ms();
            let Ok(values) = this.0.loaded.decode(z) else {
                return false;
            };
            // A view of the other module's memory, good until the next decode.
            instance.resize(values.length() as usize, 0.0);
            values.copy_to(instance);
            this.took(monotonic_ms() - before_ms);
            true
        })
    }

    /// Whether pictures are to be decoded by [`Self::in_worker`] by now.
    #[must_use]
    pub fn uses_worker(&self) -> bool {
        self.0.pace.get().is_slow()
            && matches!(&*self.0.worker.borrow(), Worker::Idle(_) | Worker::Busy)
    }

    /// Whether the worker could begin a picture now.
    #[must_use]
    pub fn worker_is_idle(&self) -> bool {
        matches!(&*self.0.worker.borrow(), Worker::Idle(_))
    }

    /// The instance at z from the worker, and how long it took in milliseconds; `None` if the worker
    /// is not idle, or breaks down.
    pub async fn in_worker(&self, z: &[f64]) -> Option<(Vec<f32>, f64)> {
        let worker = match self.0.worker.replace(Worker::Busy) {
            Worker::Idle(worker) => worker,
            other => {
                self.0.worker.replace(other);
                return None;
            }
        };
        match worker.decode(z).await {
            Ok(answer) => {
                self.0.worker.replace(Worker::Idle(worker));
                let answer: WorkerReply = answer.unchecked_into();
                self.took(answer.ms());
                Some((answer.values().to_vec(), answer.ms()))
            }
            Err(why) => {
                self.break_down(&why);
                None
            }
        }
    }

    /// A picture took so long. Gives whether that is too long for the page.
    fn took(&self, ms: f64) -> bool {
        let mut pace = self.0.pace.get();
        let slow = pace.took(ms);
        self.0.pace.set(pace);
        if slow && matches!(&*self.0.worker.borrow(), Worker::None) {
            self.start_worker();
        }
        slow
    }

    fn start_worker(&self) {
        self.0.worker.replace(Worker::Starting);
        let this = self.clone();
        spawn_local(async move {
            match this.0.loaded.start_worker().await {
                Ok(worker) => {
                    this.0.worker.replace(Worker::Idle(worker.unchecked_into()));
                }
                Err(why) => this.break_down(&why),
            }
        });
    }

    /// The page decodes itself from now on.
    fn break_down(&self, why: &JsValue) {
        leptos::logging::warn!("no pictures from a worker: {}", in_words(why));
        self.0.worker.replace(Worker::Broken);
    }
}
