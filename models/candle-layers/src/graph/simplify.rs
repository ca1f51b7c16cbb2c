//! Nodes that are one operation together.

use std::collections::{BTreeMap, BTreeSet};

use decode::architecture::graph::{Function, GraphNode, Operation, PairFunction};
use decode::architecture::{Activation, Graph};

/// How often each value is used; the output once more.
pub(super) fn uses(nodes: &[GraphNode], output: &str) -> BTreeMap<String, usize> {
    let mut uses = BTreeMap::from([(output.to_owned(), 1)]);
    for name in nodes.iter().flat_map(|node| &node.of) {
        *uses.entry(name.clone()).or_insert(0) += 1;
    }
    uses
}

/// The nodes, with x · sigmoid(x) in one.
pub(super) fn simplified(graph: &Graph) -> Vec<GraphNode> {
    let uses = uses(&graph.nodes, &graph.output);
    let mut nodes = graph.nodes.clone();
    // The value that each gate is the sigmoid of.
    let gates: BTreeMap<&str, &str> = graph
        .nodes
        .iter()
        .filter_map(|node| match (&node.operation, &node.of[..]) {
            (
                Operation::Activation {
                    function: Activation::Sigmoid,
                },
                [x],
            ) if uses.get(&node.name) == Some(&1) => Some((node.name.as_str(), x.as_str())),
            _ => None,
        })
        .collect();
    let mut gone = BTreeSet::new();
    for node in &mut nodes {
        let Operation::Pair {
            function: PairFunction::Multiply,
        } = node.operation
        else {
            continue;
        };
        let [a, b] = &node.of[..] else { continue };
        let (x, gate) = match (gates.get(a.as_str()), gates.get(b.as_str())) {
            (_, Some(x)) if x == a => (a.clone(), b),
            (Some(x), _) if x == b => (b.clone(), a),
            _ => continue,
        };
        gone.insert(gate.clone());
        node.of = vec![x];
        node.operation = Operation::Map {
            function: Function::Silu,
        };
    }
    nodes.retain(|node| !gone.contains(&node.name));
    nodes
}

#[cfg(test)]
mod tests {
    use super::*;

    fn node(name: &str, of: &[&str], operation: Operation) -> GraphNode {
        GraphNode {
            name: name.to_owned(),
            of: of.iter().map(|&name| name.to_owned()).collect(),
            operation,
        }
    }

    #[test]
    fn only_a_value_times_its_own_sigmoid_is_one_function() {
        let function = Activation::Sigmoid;
        let gate = Operation::Activation { function };
        let function = PairFunction::Multiply;
        let times = Operation::Pair { function };
        let graph = |product: &[&str], output: &str| Graph {
            nodes: vec![
                node("gate", &["z"], gate.clone()),
                node("other", &["z"], Operation::Softmax { axis: 0 }),
                node("product", product, times.clone()),
            ],
            output: output.to_owned(),
        };
        for product in [["z", "gate"], ["gate", "z"]] {
            let nodes = simplified(&graph(&product, "product"));
            let function = Function::Silu;
            let silu = node("product", &["z"], Operation::Map { function });
            assert_eq!(nodes.last().unwrap(), &silu);
            assert_eq!(nodes.len(), 2);
        }
        // The gate of another value, and a gate that somebody else looks at.
        for (product, output) in [(["other", "gate"], "product"), (["z", "gate"], "gate")] {
            let graph = graph(&product, output);
            assert_eq!(simplified(&graph), graph.nodes);
        }
    }
}
