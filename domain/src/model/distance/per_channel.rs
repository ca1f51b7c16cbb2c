//! A number for every channel of an instance, or one for each.

use serde::de::Error as _;
use serde::{Deserialize, Deserializer, Serialize, Serializer};

use crate::json::{self, Value};

/// A number that belongs to the channels of an instance (the curves of a series, the colours of a
/// picture): one for all of them, or one for each in their order. There is at least one.
///
/// In JSON a number, or a list of numbers:
///
/// ```
/// use domain::model::distance::PerChannel;
/// let one: PerChannel = serde_json::from_str("0.5")?;
/// let each: PerChannel = serde_json::from_str("[0.5, 20]")?;
/// assert_eq!((one.of(7), each.of(0), each.of(1)), (0.5, 0.5, 20.0));
/// # Ok::<(), serde_json::Error>(())
/// ```
#[derive(Debug, Clone, PartialEq)]
pub struct PerChannel(Vec<f64>);

impl PerChannel {
    /// These numbers; `None` if there are none.
    #[must_use]
    pub fn of_each(numbers: Vec<f64>) -> Option<Self> {
        (!numbers.is_empty()).then_some(Self(numbers))
    }

    /// The number of a channel, counted from 0. Beyond the last one it begins again.
    #[must_use]
    pub fn of(&self, channel: usize) -> f64 {
        self.0.get(channel % self.0.len()).copied().unwrap_or(0.0)
    }

    /// The numbers as they were given: one, or one for each channel.
    #[must_use]
    pub fn numbers(&self) -> &[f64] {
        &self.0
    }

    /// For each value of an instance, whose channels come last, the number of its channel. Without
    /// an end.
    pub(super) fn by_value(&self) -> impl Iterator<Item = f64> + '_ {
        self.0.iter().copied().cycle()
    }
}

impl From<f64> for PerChannel {
    fn from(number: f64) -> Self {
        Self(vec![number])
    }
}

impl Serialize for PerChannel {
    fn serialize<S: Serializer>(&self, writer: S) -> Result<S::Ok, S::Error> {
        match self.0[..] {
            [one] => writer.serialize_f64(one),
            ref each => each.serialize(writer),
        }
    }
}

impl<'de> Deserialize<'de> for PerChannel {
    fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        let numbers = match Value::deserialize(reader)? {
            each @ Value::Array(_) => json::from_tree(each),
            one => json::from_tree(one).map(|number| vec![number]),
        };
        let numbers = numbers.map_err(D::Error::custom)?;
        Self::of_each(numbers).ok_or_else(|| D::Error::custom("a list without numbers"))
    }
}

#[cfg(feature = "check")]
impl schemars::JsonSchema for PerChannel {
    fn schema_name() -> std::borrow::Cow<'static, str> {
        "PerChannel".into()
    }

    fn json_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
        schemars::json_schema!({
            "description": "A number for all channels, or a list with one for each.",
            "anyOf": [
                { "type": "number" },
                { "type": "array", "items": { "type": "number" }, "minItems": 1 }
            ]
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_or_a_list_is_read_and_written_as_it_was() {
        for text in ["0.5", "[0.5,2.0]"] {
            let read: PerChannel = serde_json::from_str(text).unwrap();
            assert_eq!(serde_json::to_string(&read).unwrap(), text);
            let tree: PerChannel = json::from_text(text).unwrap();
            assert_eq!(tree, read);
        }
        for bad in ["[]", "\"0.5\"", "null", "[1, null]"] {
            assert!(serde_json::from_str::<PerChannel>(bad).is_err(), "{bad}");
        }
    }

    #[test]
    fn values_have_the_number_of_their_channel() {
        let each = PerChannel::of_each(vec![1.0, 2.0, 3.0]).unwrap();
        let found: Vec<f64> = each.by_value().take(7).collect();
        assert_eq!(found, [1.0, 2.0, 3.0, 1.0, 2.0, 3.0, 1.0]);
        assert_eq!(each.of(4), 2.0);
        assert_eq!(PerChannel::from(0.5).by_value().nth(9), Some(0.5));
        assert_eq!(PerChannel::of_each(Vec::new()), None);
    }
}
