//! Gradient-boosted regression trees (Friedman 2001) with squared error: exact, small,
//! and with the feature importances that DCI is made of. Follows scikit-learn's
//! `GradientBoostingRegressor` wherever a choice shows in the importances.

/// Trees of one regressor.
pub const TREES: usize = 100;
/// Share of a tree's prediction that is added.
pub const LEARNING_RATE: f64 = 0.1;
/// Questions from a tree's root to its leaves, at most.
pub const DEPTH: usize = 3;
/// Neighbouring values this close are not told apart.
const SAME: f32 = 1e-7;

/// How trees are grown.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Growth {
    /// Number of trees.
    pub trees: usize,
    /// Share of a tree's prediction that is added.
    pub learning_rate: f64,
    /// Questions from root to leaf, at most.
    pub depth: usize,
}

impl Default for Growth {
    fn default() -> Self {
        Self {
            trees: TREES,
            learning_rate: LEARNING_RATE,
            depth: DEPTH,
        }
    }
}

/// A fitted regressor.
#[derive(Debug, Clone, PartialEq)]
pub struct Regressor {
    start: f64,
    learning_rate: f64,
    trees: Vec<Vec<Node>>,
    /// Share of each feature in all decrease of squared error; zeros when no tree
    /// asked anything.
    pub importances: Vec<f64>,
}

/// A node; its children stand further back in the tree.
#[derive(Debug, Clone, Copy, PartialEq)]
enum Node {
    Leaf(f64),
    Question {
        feature: usize,
        /// Values up to this go left.
        threshold: f64,
        left: usize,
        right: usize,
    },
}

/// A node while its level is grown.
#[derive(Clone, Copy)]
struct Open {
    node: usize,
    count: f64,
    sum: f64,
    squares: f64,
}

/// Sums left of a candidate, and the best candidate so far.
#[derive(Clone, Copy)]
struct Scan {
    count: f64,
    sum: f64,
    last: Option<f32>,
    gain: f64,
    best: Option<(usize, f64, f64, f64)>,
}

/// Fits a regressor to `columns` (features, each as long as `target`). Features are
/// taken in single precision, as scikit-learn does; ties go to the earlier feature.
#[must_use]
pub fn fit(columns: &[Vec<f64>], target: &[f64], growth: Growth) -> Regressor {
    let features: Vec<Vec<f32>> = columns
        .iter()
        .map(|c| c.iter().map(|&v| v as f32).collect())
        .collect();
    let orders: Vec<Vec<u32>> = features.iter().map(|f| order(f)).collect();
    let n = target.len() as f64;
    let start = target.iter().sum::<f64>() / n;
    let mut residuals: Vec<f64> = target.iter().map(|y| y - start).collect();
    let mut importances = vec![0.0; columns.len()];
    let mut trees = Vec::with_capacity(growth.trees);
    for _ in 0..growth.trees {
        let mut decreases = vec![0.0; columns.len()];
        let (tree, leaf_of) = grow(&features, &orders, &residuals, growth.depth, &mut decreases);
        for (residual, &leaf) in residuals.iter_mut().zip(&leaf_of) {
            if let Node::Leaf(value) = tree[leaf] {
                *residual -= growth.learning_rate * value;
            }
        }
        for (sum, decrease) in importances.iter_mut().zip(decreases) {
            *sum += decrease / n;
        }
        trees.push(tree);
    }
    let total: f64 = importances.iter().sum();
    if total > 0.0 {
        importances.iter_mut().for_each(|v| *v /= total);
    }
    Regressor {
        start,
        learning_rate: growth.learning_rate,
        trees,
        importances,
    }
}

fn order(feature: &[f32]) -> Vec<u32> {
    let mut order: Vec<u32> = (0..feature.len() as u32).collect();
    order.sort_by(|&a, &b| feature[a as usize].total_cmp(&feature[b as usize]));
    order
}

/// Grows one tree, level by level, over features sorted beforehand. Gives the tree
/// and the leaf of every row; adds each question's decrease of squared error to
/// `decreases`.
fn grow(
    features: &[Vec<f32>],
    orders: &[Vec<u32>],
    target: &[f64],
    depth: usize,
    decreases: &mut [f64],
) -> (Vec<Node>, Vec<usize>) {
    let mut tree = vec![Node::Leaf(0.0)];
    let mut node_of = vec![0usize; target.len()];
    for level in 0..=depth {
        let open = summed(&mut tree, &node_of, target);
        if level == depth || open.is_empty() {
            break;
        }
        let scans = best_questions(features, orders, target, &node_of, &open);
        let mut children = vec![None; tree.len()];
        for (open, scan) in open.iter().zip(&scans) {
            let Some((feature, threshold, left_count, left_sum)) = scan.best else {
                continue;
            };
            let (right_count, right_sum) = (open.count - left_count, open.sum - left_sum);
            decreases[feature] += left_sum * left_sum / left_count
                + right_sum * right_sum / right_count
                - open.sum * open.sum / open.count;
            let left = tree.len();
            tree[open.node] = Node::Question {
                feature,
                threshold,
                left,
                right: left + 1,
            };
            tree.extend([Node::Leaf(0.0); 2]);
            children[open.node] = Some((feature, threshold, left));
        }
        for (row, node) in node_of.iter_mut().enumerate() {
            if let Some((feature, threshold, left)) = children[*node] {
                let goes_left = f64::from(features[feature][row]) <= threshold;
                *node = if goes_left { left } else { left + 1 };
            }
        }
    }
    (tree, node_of)
}

/// Sets every leaf's value to its mean and gives the leaves worth a question.
fn summed(tree: &mut [Node], node_of: &[usize], target: &[f64]) -> Vec<Open> {
    let mut sums: Vec<Open> = (0..tree.len())
        .map(|node| Open {
            node,
            count: 0.0,
            sum: 0.0,
            squares: 0.0,
        })
        .collect();
    for (&node, &y) in node_of.iter().zip(target) {
        let sum = &mut sums[node];
        sum.count += 1.0;
        sum.sum += y;
        sum.squares += y * y;
    }
    sums.retain(|sum| sum.count > 0.0);
    for sum in &sums {
        tree[sum.node] = Node::Leaf(sum.sum / sum.count);
    }
    sums.retain(|sum| {
        let mean = sum.sum / sum.count;
        sum.count >= 2.0 && sum.squares / sum.count - mean * mean > f64::EPSILON
    });
    sums
}

/// For each open node the question that lowers its squared error most.
fn best_questions(
    features: &[Vec<f32>],
    orders: &[Vec<u32>],
    target: &[f64],
    node_of: &[usize],
    open: &[Open],
) -> Vec<Scan> {
    let mut place = vec![usize::MAX; open.last().map_or(0, |o| o.node + 1)];
    for (i, open) in open.iter().enumerate() {
        place[open.node] = i;
    }
    let fresh = Scan {
        count: 0.0,
        sum: 0.0,
        last: None,
        gain: f64::NEG_INFINITY,
        best: None,
    };
    let mut scans = vec![fresh; open.len()];
    for (feature, (values, order)) in features.iter().zip(orders).enumerate() {
        for scan in &mut scans {
            (scan.count, scan.sum, scan.last) = (0.0, 0.0, None);
        }
        for &row in order {
            let row = row as usize;
            let Some(&i) = place.get(node_of[row]).filter(|&&i| i != usize::MAX) else {
                continue;
            };
            let (scan, open, value) = (&mut scans[i], &open[i], values[row]);
            if let Some(last) = scan.last.filter(|&last| value > last + SAME) {
                let (left, right) = (scan.count, open.count - scan.count);
                let difference = right * scan.sum - left * (open.sum - scan.sum);
                let gain = difference * difference / (left * right);
                if gain > scan.gain {
                    scan.gain = gain;
                    let threshold = f64::from(last) / 2.0 + f64::from(value) / 2.0;
                    scan.best = Some((feature, threshold, scan.count, scan.sum));
                }
            }
            scan.count += 1.0;
            scan.sum += target[row];
            scan.last = Some(value);
        }
    }
    scans
}

impl Regressor {
    /// The prediction for row `row` of `columns`, which are those fitted or others
    /// of the same number.
    #[must_use]
    pub fn predict(&self, columns: &[Vec<f64>], row: usize) -> f64 {
        let sum: f64 = self
            .trees
            .iter()
            .map(|tree| {
                let mut at = 0;
                loop {
                    match tree[at] {
                        Node::Leaf(value) => return value,
                        Node::Question {
                            feature,
                            threshold,
                            left,
                            right,
                        } => {
                            let value = f64::from(columns[feature][row] as f32);
                            at = if value <= threshold { left } else { right };
                        }
                    }
                }
            })
            .sum();
        self.start + self.learning_rate * sum
    }
}
