//! Forms: what is asked, what has been filled in, and what of it is missing.

pub mod answers;
pub mod fields;
pub mod filling;
pub mod questionnaire;
