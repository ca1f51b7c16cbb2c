//! Functions that serde is told by name: defaults that are not those of their type, and values that need not
//! be written.

/// For fields that are true unless somebody says otherwise.
pub(crate) fn yes() -> bool {
    true
}

/// Whether a field is true, as it is without a word.
pub(crate) fn is_yes(value: &bool) -> bool {
    *value
}

/// Whether a field is false, as it is without a word.
pub(crate) fn is_false(value: &bool) -> bool {
    !*value
}

/// Whether a field has its type's default.
pub(crate) fn is_default<T: Default + PartialEq>(value: &T) -> bool {
    *value == T::default()
}
