//! The table of operators: `operators.txt` says for every version of an operator what may be set, and
//! what is meant unless it is.

use std::collections::BTreeMap;
use std::sync::LazyLock;

/// What a version of an operator means by an attribute.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AttributeRule {
    /// It may be set; this unless it is.
    Unless(Option<&'static str>),
    /// It cannot be set, and means this.
    Fixed(&'static str),
    /// It is read with this value alone.
    Only(&'static str),
}

/// An operator as a version of its set brought it.
#[derive(Debug, PartialEq, Eq)]
pub struct Operator {
    /// Its name.
    pub name: &'static str,
    /// The version of its set that brought it.
    pub since: i64,
    /// Number of inputs that it can have.
    pub(super) most_inputs: usize,
    /// Whether it is no operator of the set any more.
    pub(super) taken_out: bool,
    pub(super) attributes: BTreeMap<&'static str, AttributeRule>,
}

/// A set of operators, by domain.
pub(super) struct OperatorSet {
    /// The newest version that is known.
    pub newest: i64,
    /// The versions of each operator, oldest first.
    pub operators: BTreeMap<&'static str, Vec<Operator>>,
}

pub(super) struct OperatorTable {
    pub sets: BTreeMap<&'static str, OperatorSet>,
    pub advice: BTreeMap<&'static str, &'static str>,
}

pub(super) static TABLE: LazyLock<OperatorTable> =
    LazyLock::new(|| table(include_str!("operators.txt")));

fn table(text: &'static str) -> OperatorTable {
    let mut sets: BTreeMap<&str, OperatorSet> = BTreeMap::new();
    let (mut advice, mut domain) = (BTreeMap::new(), "");
    for line in text.lines() {
        let mut words = line.split_whitespace();
        let (Some(first), second) = (words.next(), words.next().unwrap_or_default()) else {
            continue;
        };
        match first {
            "#" => {}
            "?" => {
                let (_, said) = line.split_once(second).unwrap_or_default();
                advice.insert(second, said.trim());
            }
            "@" => {
                domain = second;
                let newest = words.next().and_then(|n| n.parse().ok()).unwrap_or(0);
                let operators = BTreeMap::new();
                sets.insert(domain, OperatorSet { newest, operators });
            }
            name => {
                let inputs = words.next().unwrap_or_default();
                let operator = Operator {
                    name,
                    since: second.parse().unwrap_or(0),
                    most_inputs: inputs.parse().unwrap_or(usize::MAX),
                    taken_out: inputs == "-",
                    attributes: words.map(attribute).collect(),
                };
                if let Some(set) = sets.get_mut(domain) {
                    set.operators.entry(name).or_default().push(operator);
                }
            }
        }
    }
    OperatorTable { sets, advice }
}

fn attribute(word: &'static str) -> (&'static str, AttributeRule) {
    let of = |sign: char| word.split_once(sign);
    if let Some((name, value)) = of('=') {
        (name, AttributeRule::Unless(Some(value)))
    } else if let Some((name, value)) = of(':') {
        (name, AttributeRule::Fixed(value))
    } else if let Some((name, value)) = of('!') {
        (name, AttributeRule::Only(value))
    } else {
        (word, AttributeRule::Unless(None))
    }
}

/// Every operator that is read, in each of its versions: domain and operator.
pub fn operators() -> impl Iterator<Item = (&'static str, &'static Operator)> {
    TABLE.sets.iter().flat_map(|(domain, set)| {
        let all = set.operators.values().flatten();
        let read = all.filter(|operator| !operator.taken_out);
        read.map(move |operator| (*domain, operator))
    })
}

impl Operator {
    /// What is meant by an attribute that is not set.
    pub fn usual(&self, attribute: &str) -> Option<&'static str> {
        match *self.attributes.get(attribute)? {
            AttributeRule::Unless(value) => value,
            AttributeRule::Fixed(value) | AttributeRule::Only(value) => Some(value),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_line_of_the_table_is_understood() {
        assert!(operators().count() > 150);
        for (domain, operator) in operators() {
            assert!(operator.since > 0, "{domain} {}", operator.name);
            let inputs = operator.most_inputs;
            assert!(inputs <= 8 || inputs == usize::MAX, "{}", operator.name);
        }
        for set in TABLE.sets.values() {
            assert!(set.newest > 0);
            for versions in set.operators.values() {
                assert!(versions.is_sorted_by(|a, b| a.since < b.since));
            }
        }
    }
}
