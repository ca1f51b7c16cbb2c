//! The instances that a session's screens show and the browser does not decode: targets, and the
//! pictures of single-dimension questions. Fetched right after the start, in the order in which
//! they are needed.

use std::cell::{Cell, RefCell};
use std::collections::{BTreeMap, VecDeque};
use std::rc::{Rc, Weak};
use std::sync::Arc;

use domain::model::instance::{Instance, InstanceId};
use leptos::prelude::{ArcRwSignal, Get, Set};
use leptos::task::spawn_local;

use super::client::ClientError;
use super::content;
use super::retry::Retry;
use crate::text::text;

/// The instances of one session, and those still to come.
pub struct Instances {
    loaded: RefCell<BTreeMap<InstanceId, Arc<Vec<f32>>>>,
    /// Still to be fetched, in this order.
    queue: RefCell<VecDeque<InstanceId>>,
    fetching: Cell<bool>,
    error: ArcRwSignal<Option<String>>,
    retry: Retry,
}

impl Instances {
    /// A session of which none is here yet, but those that came with an older plan.
    #[must_use]
    pub fn new(with_plan: Vec<Instance>) -> Rc<Self> {
        let loaded = with_plan
            .into_iter()
            .map(|instance| (instance.id(), Arc::new(instance.0)))
            .collect();
        Rc::new(Self {
            loaded: RefCell::new(loaded),
            queue: RefCell::default(),
            fetching: Cell::new(false),
            error: ArcRwSignal::new(None),
            retry: Retry::default(),
        })
    }

    /// Fetches these one after the other; `whom` is told after each, as long as it is there.
    pub fn fetch<T: 'static>(
        self: &Rc<Self>,
        ids: Vec<InstanceId>,
        whom: Weak<T>,
        told: impl Fn(Rc<T>) + 'static,
    ) {
        self.queue.borrow_mut().extend(ids);
        if self.fetching.replace(true) {
            return;
        }
        let this = Rc::clone(self);
        spawn_local(async move {
            while let Some(id) = this.next() {
                this.fetch_until_loaded(&id).await;
                whom.upgrade().map(&told);
            }
            this.fetching.set(false);
        });
    }

    /// The first in the queue that is not loaded; it leaves the queue.
    fn next(&self) -> Option<InstanceId> {
        let mut queue = self.queue.borrow_mut();
        loop {
            let id = queue.pop_front()?;
            if !self.loaded.borrow().contains_key(&id) {
                return Some(id);
            }
        }
    }

    /// Fetches these before all others that are still to come.
    pub fn fetch_first(&self, ids: &[&InstanceId]) {
        let mut queue = self.queue.borrow_mut();
        for id in ids.iter().rev() {
            if let Some(place) = queue.iter().position(|it| it == *id) {
                queue.remove(place);
                queue.push_front((*id).clone());
            }
        }
    }

    /// An instance, if it is loaded.
    #[must_use]
    pub fn get(&self, id: &InstanceId) -> Option<Arc<Vec<f32>>> {
        self.loaded.borrow().get(id).cloned()
    }

    /// Why the last attempt failed, until there is another. Reactive.
    #[must_use]
    pub fn error(&self) -> Option<String> {
        self.error.get()
    }

    /// Tries again now rather than after the pause.
    pub fn retry_now(&self) {
        self.retry.now();
        self.error.set(None);
    }

    async fn fetch_until_loaded(&self, id: &InstanceId) {
        loop {
            match content::instance(id).await {
                Ok(Instance(values)) => {
                    self.error.set(None);
                    self.retry.succeeded();
                    self.loaded
                        .borrow_mut()
                        .insert(id.clone(), Arc::new(values));
                    return;
                }
                Err(error) => {
                    leptos::logging::warn!("a picture could not be loaded: {error}");
                    let why = match error {
                        ClientError::Unreachable => text().runtime.no_server(),
                        _ => text().runtime.no_picture(),
                    };
                    self.error.set(Some(why.to_owned()));
                }
            }
            self.retry.pause().await;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_wanted_first_comes_first_and_in_its_order() {
        let [a, b, c, d] = ["a", "b", "c", "d"].map(|it| InstanceId(it.to_owned()));
        let instances = Instances::new(Vec::new());
        let queue = [&a, &b, &c].map(Clone::clone);
        instances.queue.borrow_mut().extend(queue);
        // The last is not waited for.
        instances.fetch_first(&[&c, &b, &d]);
        let order = [instances.next(), instances.next(), instances.next()];
        assert_eq!(order, [Some(c), Some(b), Some(a)]);
        assert_eq!(instances.next(), None);
    }
}
