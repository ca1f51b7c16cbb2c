//! Objects whose fields are taken one by one.
//!
//! A map that serde is asked for is built anew from what the reader holds, value by value, at every level of a record
//! that looks at its fields first. The tree has that map already: here it is handed over as it is.

use std::cell::Cell;

use serde::Deserialize as _;
use serde::de::value::MapAccessDeserializer;
use serde::de::{DeserializeOwned, Deserializer, Error as _, MapAccess, Unexpected, Visitor};
use serde_json::{Error, Map, Value};

use super::from_tree;

/// The name that asks a tree for its fields as they are. Other readers take it for a struct's name.
pub(crate) const AS_IT_IS: &str = "$json_tree::Object";

thread_local! {
    /// The fields handed over: serde has no other way for a value of a type of its own. They are taken at once.
    static HANDED_OVER: Cell<Option<Map<String, Value>>> = const { Cell::new(None) };
}

/// Gives the fields to a visitor that has asked for them by [`AS_IT_IS`].
pub(crate) fn hand_over<'de, V: Visitor<'de>>(
    fields: Map<String, Value>,
    visitor: V,
) -> Result<V::Value, Error> {
    HANDED_OVER.set(Some(fields));
    visitor.visit_unit()
}

/// The fields of an object.
pub(crate) fn fields<'de, D: Deserializer<'de>>(reader: D) -> Result<Map<String, Value>, D::Error> {
    struct Whole;

    impl<'de> Visitor<'de> for Whole {
        type Value = Map<String, Value>;

        fn expecting(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
            formatter.write_str("a map")
        }

        fn visit_unit<E: serde::de::Error>(self) -> Result<Self::Value, E> {
            HANDED_OVER
                .take()
                .ok_or_else(|| E::invalid_type(Unexpected::Unit, &self))
        }

        fn visit_newtype_struct<D: Deserializer<'de>>(
            self,
            reader: D,
        ) -> Result<Self::Value, D::Error> {
            Map::deserialize(reader)
        }

        fn visit_map<A: MapAccess<'de>>(self, map: A) -> Result<Self::Value, A::Error> {
            Map::deserialize(MapAccessDeserializer::new(map))
        }
    }

    reader.deserialize_newtype_struct(AS_IT_IS, Whole)
}

/// An object of JSON whose fields are taken one by one, for types that have another type's fields among their own: what
/// `#[serde(flatten)]` does, which copies all of them for each level.
#[derive(Debug, Clone, PartialEq)]
pub struct Object(Map<String, Value>);

impl Object {
    /// The object that a reader has.
    ///
    /// # Errors
    /// When it has none.
    pub fn of<'de, D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
        fields(reader).map(Self)
    }

    /// Takes a field out.
    ///
    /// # Errors
    /// When it is missing or not of this type; it is named.
    pub fn take<T: DeserializeOwned>(&mut self, name: &'static str) -> Result<T, Error> {
        let found = self.take_if_there(name)?;
        found.ok_or_else(|| Error::missing_field(name))
    }

    /// Takes a field out, if it is there.
    ///
    /// # Errors
    /// When it is not of this type; it is named.
    pub fn take_if_there<T: DeserializeOwned>(
        &mut self,
        name: &'static str,
    ) -> Result<Option<T>, Error> {
        let Some(value) = self.0.remove(name) else {
            return Ok(None);
        };
        let read = from_tree(value).map_err(|error| Error::custom(format!("{name}: {error}")));
        read.map(Some)
    }

    /// Reads what was not taken.
    ///
    /// # Errors
    /// When it is not of this type.
    pub fn rest<T: DeserializeOwned>(self) -> Result<T, Error> {
        from_tree(Value::Object(self.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde::Deserialize;
    use serde_json::json;

    /// Some fields and another type's.
    #[derive(Debug, PartialEq)]
    struct Outer {
        own: u8,
        maybe: Option<String>,
        inner: Inner,
    }

    #[derive(Debug, PartialEq, Deserialize)]
    struct Inner {
        list: Vec<f64>,
        deep: serde_json::Value,
    }

    impl<'de> Deserialize<'de> for Outer {
        fn deserialize<D: Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
            let mut object = Object::of(reader)?;
            let error = D::Error::custom;
            Ok(Self {
                own: object.take("own").map_err(error)?,
                maybe: object.take_if_there("maybe").map_err(error)?,
                inner: object.rest().map_err(error)?,
            })
        }
    }

    fn outer() -> Value {
        json!({ "own": 3, "list": [1.5, -0.0, 1e300], "deep": { "a": [null, "ä"] } })
    }

    #[test]
    fn every_reader_gives_the_same() {
        let text = outer().to_string();
        let from_our_tree: Outer = from_tree(outer()).unwrap();
        assert_eq!(from_our_tree.own, 3);
        assert_eq!(from_our_tree.inner.list, [1.5, -0.0, 1e300]);
        assert_eq!(from_our_tree.inner.deep, json!({ "a": [null, "ä"] }));
        assert_eq!(from_our_tree, serde_json::from_str(&text).unwrap());
        assert_eq!(from_our_tree, serde_json::from_value(outer()).unwrap());
        // Within a buffer, as serde's own enums have it.
        #[derive(Deserialize)]
        #[serde(untagged)]
        enum Buffered {
            Outer(Outer),
        }
        let Buffered::Outer(buffered) = serde_json::from_str(&text).unwrap();
        assert_eq!(buffered, from_our_tree);
    }

    #[test]
    fn what_is_missing_or_wrong_is_named() {
        let said = |tree: Value| from_tree::<Outer>(tree).unwrap_err().to_string();
        assert_eq!(said(json!({})), "missing field `own`");
        let wrong = said(json!({ "own": "x", "list": [], "deep": 0 }));
        assert!(wrong.starts_with("own: invalid type: string"), "{wrong}");
        let wrong = said(json!({ "own": 1, "deep": 0 }));
        assert_eq!(wrong, "missing field `list`");
        let no_object = said(json!([1]));
        let serdes = serde_json::from_str::<Outer>("[1]")
            .unwrap_err()
            .to_string();
        assert!(no_object.contains("expected a map"), "{no_object}");
        assert!(serdes.contains("expected a map"), "{serdes}");
        assert!(said(Value::Null).contains("null"));
    }
}
