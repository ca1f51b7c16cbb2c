//! What BotCL's concepts do on held-out digits, as it is kept beside the models of the zoo: what `redial measure botcl`
//! tells and draws. Nobody decodes with it; the bundle whose dials these concepts are is `mnist-botcl20`.
//!
//! | file | holds |
//! | --- | --- |
//! | `activations.npy`, `labels.npy` | pictures × concepts, and the class of each: all held-out pictures |
//! | `pictures.npy`, `maps.npy` | pictures × rows × columns, and their attention, pictures × concepts × rows × columns: the first ones |
//! | `class_weights.npy`, `class_bias.npy` | classes × concepts, and a number for each class: the linear layer from activations to classes |

/// The folder, beside those of models.
pub const CONCEPTS_FOLDER: &str = "mnist-botcl20-concepts";
/// Name of the file of activations.
pub const ACTIVATIONS_FILE: &str = "activations.npy";
/// Name of the file of classes.
pub const LABELS_FILE: &str = "labels.npy";
/// Name of the file of pictures.
pub const PICTURES_FILE: &str = "pictures.npy";
/// Name of the file of attention.
pub const MAPS_FILE: &str = "maps.npy";
/// Name of the file of what a concept counts for a class.
pub const WEIGHTS_FILE: &str = "class_weights.npy";
/// Name of the file of what a class counts by itself.
pub const BIAS_FILE: &str = "class_bias.npy";
