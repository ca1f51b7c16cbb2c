//! Names of the files of a bundle.

/// Name of the card's file in a bundle.
pub const CARD_FILE: &str = "card.json";
/// Name of the weights' file in a bundle.
pub const WEIGHTS_FILE: &str = "weights.safetensors";
/// Name of the held-out latents' file in a bundle.
pub const HELD_OUT_FILE: &str = "held_out.safetensors";
/// Name of the one tensor in [`HELD_OUT_FILE`].
pub const HELD_OUT_TENSOR: &str = "z";
