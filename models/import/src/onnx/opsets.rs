//! Which operators are read, and what each means in the version of a file.
//!
//! An operator is known by its domain, its name and the version of its set that the file was
//! written for: `operators.txt` says for every version what may be set and what is meant unless
//! it is. A [`Node`] exists only once this has been looked up, so nothing is decided by a name alone.

use std::collections::BTreeMap;

use super::super::error::ImportError;
use super::node::{Node, at};
use super::operator_table::{AttributeRule, Operator, TABLE};
use super::proto::{NodeProto, OperatorSetIdProto};
use super::unsupported;

/// Oldest version of ONNX's operators that is read: before, arithmetic stretched values
/// by other rules.
const OLDEST_VERSION: i64 = 7;

/// The domain as the table has it: ONNX's own may be left out.
fn domain(written: &str) -> &str {
    if written.is_empty() {
        "ai.onnx"
    } else {
        written
    }
}

/// The versions of the operator sets that a file was written for.
#[derive(Debug, Clone)]
pub struct Opsets(BTreeMap<String, i64>);

impl Opsets {
    /// Reads them.
    ///
    /// # Errors
    /// When the file does not say a version, or says one that is too old or not known.
    pub fn of(sets: &[OperatorSetIdProto]) -> Result<Self, ImportError> {
        let versions = sets
            .iter()
            .map(|set| (domain(&set.domain).to_owned(), set.version));
        let versions = Self(versions.collect());
        let newest = TABLE.sets.get("ai.onnx").map_or(0, |set| set.newest);
        match versions.0.get("ai.onnx") {
            Some(&version) if version < OLDEST_VERSION => Err(ImportError::file(format!(
                "the file has operators of version {version}, {OLDEST_VERSION} is the oldest that is read; export with opset 13 to 23"
            ))),
            Some(&version) if version > newest => Err(ImportError::file(format!(
                "the file has operators of version {version}, {newest} is the newest that is known: what they mean may have changed; export with opset 13 to 23"
            ))),
            Some(_) => Ok(versions),
            None => Err(ImportError::file(
                "the file does not say which version its operators have; it seems to be cut short",
            )),
        }
    }

    /// The operator that a node means, by domain, name and version.
    pub fn operator(&self, node: &NodeProto) -> Option<&'static Operator> {
        let domain = domain(&node.domain);
        let version = *self.0.get(domain)?;
        let set = TABLE.sets.get(domain)?;
        let versions = set.operators.get(node.op_type.as_str())?;
        let in_force = versions.iter().rfind(|operator| operator.since <= version);
        in_force.filter(|operator| !operator.taken_out && version <= set.newest)
    }

    /// A node, once its operator is known.
    ///
    /// # Errors
    /// Says which operator, of which domain, is not read, or which attribute or input.
    pub fn node<'a>(&self, proto: &'a NodeProto) -> Result<Node<'a>, ImportError> {
        let Some(operator) = self.operator(proto) else {
            let set = TABLE.sets.get(domain(&proto.domain));
            let versions = set.and_then(|set| set.operators.get(proto.op_type.as_str()));
            let known = versions.map(|versions| {
                let each = versions.iter().map(|operator| match operator.taken_out {
                    true => format!("until {}", operator.since - 1),
                    false => operator.since.to_string(),
                });
                each.collect::<Vec<_>>().join(", ")
            });
            let version = self.0.get(domain(&proto.domain)).copied();
            return Err(unsupported::unknown(
                proto,
                domain(&proto.domain),
                version,
                known,
            ));
        };
        let refuse = |problem: String| Err(at(proto, problem));
        if proto.input.len() > operator.most_inputs {
            return refuse(format!(
                "it has {} inputs; in the version of this file ({}) it takes at most {}",
                proto.input.len(),
                operator.since,
                operator.most_inputs
            ));
        }
        let node = Node(proto, operator);
        for attribute in &proto.attribute {
            let name = attribute.name.as_str();
            match operator.attributes.get(name) {
                Some(AttributeRule::Unless(_)) => {}
                Some(AttributeRule::Only(value)) => {
                    let found = node.written(name).unwrap_or_default();
                    if found != *value {
                        return refuse(format!(
                            "its {name} is {found}; only {value} is read: {}",
                            TABLE.advice.get(name).unwrap_or(&"export without it")
                        ));
                    }
                }
                Some(AttributeRule::Fixed(_)) | None => {
                    let known = operator.attributes.iter();
                    let known =
                        known.filter(|(_, means)| !matches!(means, AttributeRule::Fixed(_)));
                    let known: Vec<&str> = known.map(|(name, _)| *name).collect();
                    return refuse(format!(
                        "its attribute {name:?} is not read in the version of this file ({}); {}export with opset 13 to 23",
                        operator.since,
                        match known.join(", ") {
                            none if none.is_empty() =>
                                "none is known of this operator; ".to_owned(),
                            known => format!("known are {known}; "),
                        }
                    ));
                }
            }
        }
        Ok(node)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn meant(name: &str, version: i64) -> Option<i64> {
        let sets = [OperatorSetIdProto {
            domain: String::new(),
            version,
        }];
        let node = NodeProto {
            op_type: name.to_owned(),
            ..NodeProto::default()
        };
        Opsets::of(&sets).unwrap().operator(&node).map(|o| o.since)
    }

    #[test]
    fn the_version_of_the_file_decides() {
        assert_eq!(meant("Softmax", 12), Some(1));
        assert_eq!(meant("Softmax", 13), Some(13));
        assert_eq!(meant("Softmax", 28), Some(13));
        assert_eq!(meant("Gelu", 19), None);
        assert_eq!(meant("Upsample", 9), Some(9));
        assert_eq!(meant("Upsample", 10), None);
    }
}
