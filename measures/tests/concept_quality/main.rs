//! The measures of concept quality, of information and of single neurons.
#![allow(clippy::unwrap_used)]

mod golden;
