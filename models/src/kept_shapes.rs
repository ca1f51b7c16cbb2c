//! Attention on BotCL's synthetic shapes, as it is kept beside the models of the zoo: what tables of `redial measure
//! shapes` are made from. Nobody decodes with it, and it is of no bundle.
//!
//! Pictures are not kept: a seed draws them again. `K` stands for each number of concepts.
//!
//! | file | holds |
//! | --- | --- |
//! | `about.json` | an [`AboutShapes`] |
//! | `features.npy` | pictures × positions × entries: features of the plain classifier, which clusters and components are of |
//! | `scale.npy` | 2 × entries: mean and standard deviation of training features |
//! | `botclK_maps.npy` | pictures × concepts × rows × columns: BotCL's attention |
//! | `clustersK.npy`, `componentsK.npy` | concepts × entries: centres, and principal components |
//! | `botclK_classes.npy`, `clustersK_classes.npy`, `componentsK_classes.npy` | labels × (1 + concepts): linear classifiers of activations, what they add first |

use serde::{Deserialize, Serialize};

/// The folder, beside those of models.
pub const SHAPES_FOLDER: &str = "shapes-concepts";
/// Name of the file that says what the others hold.
pub const ABOUT_SHAPES_FILE: &str = "about.json";
/// Name of the file of features.
pub const FEATURES_FILE: &str = "features.npy";
/// Name of the file of what features are standardised with.
pub const SCALE_FILE: &str = "scale.npy";

/// Names of the files for one number of concepts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct ShapesFiles {
    /// BotCL's attention.
    pub maps: String,
    /// Centres of clusters.
    pub centres: String,
    /// Principal components.
    pub components: String,
    /// Classifiers of BotCL, clusters and components.
    pub classifiers: [String; 3],
}

impl ShapesFiles {
    /// Those for so many concepts.
    #[must_use]
    pub fn of(concepts: usize) -> Self {
        let classes = |method: &str| format!("{method}{concepts}_classes.npy");
        Self {
            maps: format!("botcl{concepts}_maps.npy"),
            centres: format!("clusters{concepts}.npy"),
            components: format!("components{concepts}.npy"),
            classifiers: ["botcl", "clusters", "components"].map(classes),
        }
    }
}

/// What is kept, and how it was made.
#[derive(Debug, Clone, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct AboutShapes {
    /// The seed that draws the pictures.
    pub seed: u64,
    /// Rows and columns of a cell of theirs, in pixels.
    pub cell: usize,
    /// The number of the first picture that is kept; the others follow it.
    pub first: usize,
    /// How many are kept.
    pub pictures: usize,
    /// The numbers of concepts, in order.
    pub concepts: Vec<usize>,
    /// How the networks were trained: a sentence for each.
    pub trained: Vec<String>,
    /// How many held-out pictures accuracies are of.
    pub held_out: usize,
    /// The share of labels that the plain classifier gets right of them.
    pub classifier_accuracy: f64,
    /// For each number of concepts the same of BotCL, of k-means and of PCA.
    pub accuracy: Vec<[f64; 3]>,
}
