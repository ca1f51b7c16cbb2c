//! A plan with memory that is used again.

use std::sync::{Mutex, PoisonError};

use super::{DecodingPlan, Scratch};

/// A plan, and the memory of the decode before, for the next to use.
#[derive(Debug)]
pub struct PlanRunner {
    plan: DecodingPlan,
    idle: Mutex<Option<Memory>>,
}

/// What one decode works in.
#[derive(Debug)]
pub struct Memory {
    /// The decoder's input, for the caller to write.
    pub input: Vec<f32>,
    /// What the plan works in.
    pub scratch: Scratch,
}

impl PlanRunner {
    /// Lends memory to `f`; decodes at the same time on other threads get their own.
    pub fn with_memory<T>(&self, f: impl FnOnce(&DecodingPlan, &mut Memory) -> T) -> T {
        let idle = || self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        let taken = idle().take();
        let mut memory = taken.unwrap_or_else(|| Memory {
            input: vec![0.0; self.plan.width()],
            scratch: self.plan.scratch(),
        });
        let result = f(&self.plan, &mut memory);
        *idle() = Some(memory);
        result
    }
}

impl From<DecodingPlan> for PlanRunner {
    fn from(plan: DecodingPlan) -> Self {
        Self {
            plan,
            idle: Mutex::new(None),
        }
    }
}
