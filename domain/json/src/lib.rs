//! Reading JSON with little code.
//!
//! The code that serde writes for each type is compiled once for each reader that it is used with, and
//! once more for the buffer of enums with a tag. In the participant's page this was a quarter of all that
//! is downloaded. Here is one reader for all types, which reads from a tree; [`tagged!`] makes enums
//! with a tag read from it, too. Types write and read the same JSON as with serde's own attributes, but
//! that a struct is read from an object only, never from an array.
//!
//! Deliberately absent: anything of Redial's other crates, and a parser, which is `serde_json`'s.

use serde::de::{
    DeserializeOwned, DeserializeSeed, Deserializer, EnumAccess, Error as _, IntoDeserializer,
    MapAccess, SeqAccess, Unexpected, VariantAccess, Visitor,
};
use serde_json::Map;
#[doc(no_inline)]
pub use serde_json::{Error, Value};

mod names;
mod object;

pub use names::{snake, snake_len};
pub use object::Object;

/// Reads a value from JSON.
///
/// # Errors
/// When it is no JSON, or not of this type.
pub fn from_text<T: DeserializeOwned>(text: &str) -> Result<T, Error> {
    from_tree(serde_json::from_str(text)?)
}

/// Reads a value from a tree of JSON.
///
/// # Errors
/// When it is not of this type.
pub fn from_tree<T: DeserializeOwned>(tree: Value) -> Result<T, Error> {
    T::deserialize(Tree(tree))
}

/// A tree of JSON as serde reads it.
struct Tree(Value);

/// An object whose variant stands in one of its fields, among the variant's own; serde's internally
/// tagged enum.
pub struct Tagged<'a> {
    /// Name of the field.
    tag: &'static str,
    /// The fields. They are taken once the tag is known to name a variant.
    fields: &'a mut Map<String, Value>,
    /// Whether something else reads what the tag does not know: nobody sees the error then, and it names all variants.
    tried: bool,
}

impl Tree {
    fn other_than(&self, expected: &dyn serde::de::Expected) -> Error {
        let found = match &self.0 {
            Value::Null => Unexpected::Unit,
            Value::Bool(value) => Unexpected::Bool(*value),
            Value::Number(number) => match (number.as_u64(), number.as_i64(), number.as_f64()) {
                (Some(value), _, _) => Unexpected::Unsigned(value),
                (_, Some(value), _) => Unexpected::Signed(value),
                (_, _, value) => Unexpected::Float(value.unwrap_or(f64::NAN)),
            },
            Value::String(text) => Unexpected::Str(text),
            Value::Array(_) => Unexpected::Seq,
            Value::Object(_) => Unexpected::Map,
        };
        Error::invalid_type(found, expected)
    }
}

/// Methods that hand one kind of value to the visitor, and refuse the others.
macro_rules! kinds {
    ($visitor:ident; $([$($method:ident)+] $pattern:pat => $call:expr;)*) => {
        $($(fn $method<V: Visitor<'de>>(self, $visitor: V) -> Result<V::Value, Error> {
            match self.0 {
                $pattern => $call,
                other => Err(Tree(other).other_than(&$visitor)),
            }
        })+)*
    };
}

impl<'de> Deserializer<'de> for Tree {
    type Error = Error;

    kinds! { visitor;
        [deserialize_bool] Value::Bool(value) => visitor.visit_bool(value);
        [deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_u8
            deserialize_u16 deserialize_u32 deserialize_u64 deserialize_f32 deserialize_f64]
            Value::Number(number) => number.deserialize_any(visitor);
        [deserialize_char deserialize_str deserialize_string deserialize_identifier
            deserialize_bytes deserialize_byte_buf]
            Value::String(text) => visitor.visit_string(text);
        [deserialize_unit] Value::Null => visitor.visit_unit();
        [deserialize_seq] Value::Array(items) => visitor.visit_seq(Items(items.into_iter()));
        [deserialize_map] Value::Object(fields) => visitor.visit_map(Fields::of(fields));
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_unit(),
            Value::Bool(value) => visitor.visit_bool(value),
            Value::Number(number) => number.deserialize_any(visitor),
            Value::String(text) => visitor.visit_string(text),
            Value::Array(items) => visitor.visit_seq(Items(items.into_iter())),
            Value::Object(fields) => visitor.visit_map(Fields::of(fields)),
        }
    }

    fn deserialize_option<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        match self.0 {
            Value::Null => visitor.visit_none(),
            _ => visitor.visit_some(self),
        }
    }

    fn deserialize_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }

    fn deserialize_unit_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_unit(visitor)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        if name != object::AS_IT_IS {
            return visitor.visit_newtype_struct(self);
        }
        match self.0 {
            Value::Object(fields) => object::hand_over(fields, visitor),
            other => Err(Tree(other).other_than(&visitor)),
        }
    }

    fn deserialize_tuple<V: Visitor<'de>>(
        self,
        _len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        let Value::Array(items) = self.0 else {
            return Err(self.other_than(&visitor));
        };
        let count = items.len();
        let mut items = Items(items.into_iter());
        let value = visitor.visit_seq(&mut items)?;
        match items.0.len() {
            0 => Ok(value),
            _ => Err(Error::invalid_length(count, &"fewer elements in the array")),
        }
    }

    fn deserialize_tuple_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        len: usize,
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        match self.0 {
            Value::String(name) => visitor.visit_enum(Variant(name, Value::Null)),
            Value::Object(fields) if fields.len() == 1 => match fields.into_iter().next() {
                Some((name, content)) => visitor.visit_enum(Variant(name, content)),
                None => Err(Error::invalid_length(0, &"a map with a single key")),
            },
            Value::Object(_) => Err(Error::invalid_value(
                Unexpected::Map,
                &"map with a single key",
            )),
            other => Err(Tree(other).other_than(&"string or map")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_unit()
    }
}

/// The elements of an array.
struct Items(std::vec::IntoIter<Value>);

impl<'de> SeqAccess<'de> for Items {
    type Error = Error;

    fn next_element_seed<T: DeserializeSeed<'de>>(
        &mut self,
        seed: T,
    ) -> Result<Option<T::Value>, Error> {
        let item = self.0.next();
        item.map(|item| seed.deserialize(Tree(item))).transpose()
    }

    fn size_hint(&self) -> Option<usize> {
        Some(self.0.len())
    }
}

/// The fields of an object.
struct Fields {
    left: serde_json::map::IntoIter,
    value: Value,
}

impl Fields {
    fn of(fields: Map<String, Value>) -> Self {
        Self {
            left: fields.into_iter(),
            value: Value::Null,
        }
    }
}

impl<'de> MapAccess<'de> for Fields {
    type Error = Error;

    fn next_key_seed<K: DeserializeSeed<'de>>(
        &mut self,
        seed: K,
    ) -> Result<Option<K::Value>, Error> {
        let Some((name, value)) = self.left.next() else {
            return Ok(None);
        };
        self.value = value;
        seed.deserialize(Key(name)).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'de>>(&mut self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(Tree(self.value.take()))
    }
}

/// The name of a field, or the key of a map: a text, or what a text is read as.
struct Key(String);

/// Keys of maps may be numbers.
macro_rules! number_keys {
    ($($method:ident $visit:ident $Number:ty),*) => {
        $(fn $method<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
            match self.0.parse::<$Number>() {
                Ok(number) => visitor.$visit(number),
                Err(_) => visitor.visit_string(self.0),
            }
        })*
    };
}

impl<'de> Deserializer<'de> for Key {
    type Error = Error;

    number_keys! {
        deserialize_i8 visit_i64 i64, deserialize_i16 visit_i64 i64, deserialize_i32 visit_i64 i64,
        deserialize_i64 visit_i64 i64, deserialize_u8 visit_u64 u64, deserialize_u16 visit_u64 u64,
        deserialize_u32 visit_u64 u64, deserialize_u64 visit_u64 u64
    }

    fn deserialize_any<V: Visitor<'de>>(self, visitor: V) -> Result<V::Value, Error> {
        visitor.visit_string(self.0)
    }

    fn deserialize_newtype_struct<V: Visitor<'de>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_enum(self.0.into_deserializer())
    }

    serde::forward_to_deserialize_any! {
        bool f32 f64 char str string bytes byte_buf option unit unit_struct seq tuple tuple_struct
        map struct identifier ignored_any
    }
}

/// The name of a variant, and what it holds.
struct Variant(String, Value);

impl<'de> EnumAccess<'de> for Variant {
    type Error = Error;
    type Variant = Tree;

    fn variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<(T::Value, Tree), Error> {
        Ok((seed.deserialize(Key(self.0))?, Tree(self.1)))
    }
}

impl<'de> VariantAccess<'de> for Tree {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        match self.0 {
            Value::Null => Ok(()),
            _ => Err(self.other_than(&"unit variant")),
        }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'de>>(self, len: usize, visitor: V) -> Result<V::Value, Error> {
        self.deserialize_tuple(len, visitor)
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        self.deserialize_map(visitor)
    }
}

impl<'de> Deserializer<'de> for Tagged<'_> {
    type Error = Error;

    fn deserialize_enum<V: Visitor<'de>>(
        self,
        _name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        let name = match self.fields.get(self.tag) {
            Some(Value::String(name)) => name,
            Some(other) => return Err(Tree(other.clone()).other_than(&"variant identifier")),
            None => return Err(Error::missing_field(self.tag)),
        };
        if !variants.contains(&name.as_str()) {
            return Err(match self.tried {
                true => Error::custom(""),
                false => Error::unknown_variant(name, variants),
            });
        }
        let name = name.clone();
        let mut fields = std::mem::take(self.fields);
        fields.remove(self.tag);
        visitor.visit_enum(TaggedVariant { name, fields })
    }

    fn deserialize_any<V: Visitor<'de>>(self, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("only an enum has a tag"))
    }

    serde::forward_to_deserialize_any! {
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf option
        unit unit_struct newtype_struct seq tuple tuple_struct map struct identifier ignored_any
    }
}

/// A variant whose name stood among its fields.
struct TaggedVariant {
    name: String,
    fields: Map<String, Value>,
}

impl<'de> EnumAccess<'de> for TaggedVariant {
    type Error = Error;
    type Variant = Self;

    fn variant_seed<T: DeserializeSeed<'de>>(mut self, seed: T) -> Result<(T::Value, Self), Error> {
        let name = std::mem::take(&mut self.name);
        Ok((seed.deserialize(Key(name))?, self))
    }
}

impl<'de> VariantAccess<'de> for TaggedVariant {
    type Error = Error;

    fn unit_variant(self) -> Result<(), Error> {
        Ok(())
    }

    fn newtype_variant_seed<T: DeserializeSeed<'de>>(self, seed: T) -> Result<T::Value, Error> {
        seed.deserialize(Tree(Value::Object(self.fields)))
    }

    fn tuple_variant<V: Visitor<'de>>(self, _len: usize, _visitor: V) -> Result<V::Value, Error> {
        Err(Error::custom("a variant with a tag has named fields"))
    }

    fn struct_variant<V: Visitor<'de>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, Error> {
        visitor.visit_map(Fields::of(self.fields))
    }
}

/// Reads an enum with a tag: `read` takes what the tag names, `otherwise` the rest.
///
/// # Errors
/// When it is no object, has no tag or another one than `read` knows, or does not fit its variant.
pub fn read_tagged<'de, D: Deserializer<'de>, T>(
    deserializer: D,
    tag: &'static str,
    read: impl FnOnce(Tagged) -> Result<T, Error>,
    otherwise: Option<impl FnOnce(Value) -> Result<T, Error>>,
) -> Result<T, D::Error> {
    let mut fields = object::fields(deserializer)?;
    let tagged = Tagged {
        tag,
        fields: &mut fields,
        tried: otherwise.is_some(),
    };
    let mut result = read(tagged);
    if let (Err(_), Some(otherwise), false) = (&result, otherwise, fields.is_empty()) {
        result = otherwise(Value::Object(fields));
    }
    result.map_err(D::Error::custom)
}

/// Declares an enum whose variant stands in the field `TAG`, in snake case, among the variant's own
/// fields: what `#[serde(tag = TAG, rename_all = "snake_case")]` says, read with little code.
/// `deny_unknown_fields` may follow the tag; after the enum, `else` gives the variant that takes
/// what no other one does.
#[macro_export]
macro_rules! tagged {
    (
        $tag:literal $(, $strict:ident)?;
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident { $($body:tt)* }
        $(else $(#[$about:meta])* $Other:ident($Inner:ty))?
    ) => {
        #[derive(serde::Serialize)]
        $(#[$meta])*
        #[serde(tag = $tag, rename_all = "snake_case" $(, $strict)?)]
        $vis enum $Name {
            $($body)*
            $($(#[$about])* #[serde(untagged)] $Other($Inner),)?
        }

        const _: () = {
            type Target = $Name;

            #[derive(serde::Deserialize)]
            $(#[$meta])*
            #[serde(remote = "Target", rename_all = "snake_case" $(, $strict)?)]
            #[allow(dead_code, missing_docs, clippy::large_enum_variant)]
            enum Read { $($body)* }

            impl<'de> serde::Deserialize<'de> for $Name {
                fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                    let otherwise = $crate::tagged!(@else $($Name $Other $Inner)?);
                    $crate::read_tagged(reader, $tag, |it| Read::deserialize(it), otherwise)
                }
            }
        };
    };
    (
        $tag:literal $(, $strict:ident)?;
        $(#[$meta:meta])*
        $vis:vis enum $Name:ident<T: $Bound:ident = $Default:ty> { $($body:tt)* }
    ) => {
        #[derive(serde::Serialize)]
        $(#[$meta])*
        #[serde(tag = $tag, rename_all = "snake_case", bound = "" $(, $strict)?)]
        $vis enum $Name<T: $Bound = $Default> { $($body)* }

        const _: () = {
            type Target<T> = $Name<T>;

            #[derive(serde::Deserialize)]
            $(#[$meta])*
            #[serde(remote = "Target", rename_all = "snake_case", bound = "" $(, $strict)?)]
            #[allow(dead_code, missing_docs, clippy::large_enum_variant)]
            enum Read<T: $Bound> { $($body)* }

            impl<'de, T: $Bound> serde::Deserialize<'de> for $Name<T> {
                fn deserialize<D: serde::Deserializer<'de>>(reader: D) -> Result<Self, D::Error> {
                    let otherwise = $crate::tagged!(@else);
                    $crate::read_tagged(reader, $tag, |it| Read::deserialize(it), otherwise)
                }
            }
        };
    };
    (@else) => { None::<fn($crate::Value) -> Result<Self, $crate::Error>> };
    (@else $Name:ident $Other:ident $Inner:ty) => {
        Some(|tree: $crate::Value| {
            $crate::from_tree::<$Inner>(tree).map($Name::$Other)
        })
    };
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use serde::Deserialize;
    use serde_json::{Value, json};

    tagged! {
        "kind";
        /// Every kind of variant.
        #[derive(Debug, PartialEq)]
        enum Ours {
            Nothing,
            LongName { count: u8, #[serde(default)] note: Option<String> },
            Holds(Held),
        }
        else
        /// A value with another tag.
        Other(Inner)
    }

    tagged! {
        "kind", deny_unknown_fields;
        /// The same, strict.
        #[derive(Debug, PartialEq)]
        enum OursStrict {
            Nothing,
            LongName { count: u8, #[serde(default)] note: Option<String> },
        }
    }

    tagged! {
        "kind";
        /// The type that is tried last.
        #[derive(Debug, PartialEq)]
        enum Inner {
            Deep { value: f64 },
        }
    }

    /// The same enum, read by serde itself.
    #[derive(Debug, Deserialize)]
    #[allow(dead_code)] // compared by their Debug texts
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum Serdes {
        Nothing,
        LongName {
            count: u8,
            #[serde(default)]
            note: Option<String>,
        },
        Holds(Held),
        #[serde(untagged)]
        Other(SerdesInner),
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)] // compared by their Debug texts
    #[serde(tag = "kind", rename_all = "snake_case", deny_unknown_fields)]
    enum SerdesStrict {
        Nothing,
        LongName {
            count: u8,
            #[serde(default)]
            note: Option<String>,
        },
    }

    #[derive(Debug, Deserialize)]
    #[allow(dead_code)] // compared by their Debug texts
    #[serde(tag = "kind", rename_all = "snake_case")]
    enum SerdesInner {
        Deep { value: f64 },
    }

    /// Every kind of value that our records have.
    #[derive(Debug, PartialEq, Deserialize, serde::Serialize)]
    struct Held {
        flag: bool,
        whole: i64,
        small: u8,
        real: f32,
        letters: String,
        pair: (u16, f64),
        array: [f64; 2],
        list: Vec<Option<u64>>,
        by_name: BTreeMap<String, Value>,
        way: Way,
        #[serde(flatten)]
        more: More,
        #[serde(default)]
        absent: Option<Box<Held>>,
    }

    #[derive(Debug, PartialEq, Deserialize, serde::Serialize)]
    #[serde(rename_all = "snake_case")]
    enum Way {
        Plain,
        Of(u8),
        Both(u8, u8),
        Named { a: u8 },
    }

    #[derive(Debug, PartialEq, Deserialize, serde::Serialize)]
    struct More {
        extra: Either,
    }

    #[derive(Debug, PartialEq, Deserialize, serde::Serialize)]
    #[serde(untagged)]
    enum Either {
        Number(f64),
        Words(Vec<String>),
    }

    fn held() -> Value {
        json!({
            "kind": "holds", "flag": true, "whole": -7, "small": 200, "real": 0.1, "letters": "ä",
            "pair": [1, 2.5], "array": [1, 2], "list": [1, null, 3],
            "by_name": {"a": [1, {"b": null}]}, "way": {"both": [1, 2]},
            "extra": ["x"], "nobody": "knows this",
        })
    }

    /// Objects that are right, and every one that has one value or name replaced.
    fn samples() -> Vec<Value> {
        let mut samples = vec![
            json!({"kind": "nothing"}),
            json!({"kind": "nothing", "more": 1}),
            json!({"kind": "long_name", "count": 3}),
            json!({"kind": "long_name", "count": 3, "note": null}),
            json!({"kind": "long_name", "count": 3, "note": "n", "more": 1}),
            json!({"count": 3, "kind": "long_name"}),
            json!({"kind": "LongName", "count": 3}),
            json!({"kind": 1}),
            json!({"kind": null, "count": 3}),
            json!({"count": 3}),
            json!({"kind": "deep", "value": 1}),
            json!({"kind": "deep", "value": "1"}),
            json!({}),
            json!("nothing"),
            json!(null),
            json!(3),
        ];
        let replacements = [
            json!(null),
            json!(true),
            json!(-1),
            json!(300),
            json!(1.5),
            json!(1e300),
            json!("t"),
            json!([]),
            json!([1]),
            json!([1, 2, 3]),
            json!({}),
            json!({"of": 1}),
            json!({"named": {"a": 1}}),
            json!("plain"),
            json!({"x": "y"}),
            json!({"plain": null, "of": 1}),
        ];
        for whole in [
            held(),
            json!({"kind": "long_name", "count": 3, "note": "n"}),
        ] {
            samples.push(whole.clone());
            let fields = whole.as_object().unwrap();
            for name in fields.keys() {
                let mut without = fields.clone();
                without.remove(name);
                samples.push(Value::Object(without));
                for replacement in &replacements {
                    let mut with = fields.clone();
                    with.insert(name.clone(), replacement.clone());
                    samples.push(Value::Object(with));
                }
            }
        }
        samples
    }

    #[test]
    fn what_serde_takes_is_taken_and_what_it_refuses_is_refused() {
        let (mut taken, mut refused) = (0, 0);
        for sample in samples() {
            let serdes = serde_json::from_value::<Serdes>(sample.clone());
            let ours = super::from_tree::<Ours>(sample.clone());
            match (&serdes, &ours) {
                (Ok(serdes), Ok(ours)) => {
                    assert_eq!(format!("{ours:?}"), format!("{serdes:?}"), "{sample}");
                    taken += 1;
                }
                (Err(_), Err(_)) => refused += 1,
                _ => panic!("{sample}: serde {serdes:?}, ours {ours:?}"),
            }
            let serdes = serde_json::from_value::<SerdesStrict>(sample.clone());
            let ours = super::from_tree::<OursStrict>(sample.clone());
            match (&serdes, &ours) {
                (Ok(serdes), Ok(ours)) => assert_eq!(format!("{ours:?}"), format!("{serdes:?}")),
                (Err(_), Err(_)) => {}
                _ => panic!("{sample}: serde {serdes:?}, ours {ours:?}"),
            }
        }
        assert!(
            taken > 30 && refused > 100,
            "{taken} taken, {refused} refused"
        );
    }

    #[test]
    fn texts_are_read_with_any_reader_of_serde() {
        let text = held().to_string();
        let by_tree = super::from_text::<Ours>(&text).unwrap();
        assert_eq!(serde_json::from_str::<Ours>(&text).unwrap(), by_tree);
        assert_eq!(
            serde_json::from_slice::<Ours>(text.as_bytes()).unwrap(),
            by_tree
        );
        let by_number = json!({"4": "four"});
        assert_eq!(
            super::from_tree::<BTreeMap<u32, String>>(by_number.clone()).unwrap(),
            serde_json::from_value(by_number).unwrap()
        );
        let written = serde_json::to_value(&by_tree).unwrap();
        assert_eq!(super::from_tree::<Ours>(written).unwrap(), by_tree);
    }

    #[test]
    fn messages_say_what_serdes_say() {
        for (sample, expected) in [
            (
                json!({"kind": "long_name", "count": 1, "more": 1}),
                "unknown field `more`, expected `count` or `note`",
            ),
            (json!({"count": 1}), "missing field `kind`"),
            (json!({"kind": "long_name"}), "missing field `count`"),
            (
                json!({"kind": "longname"}),
                "unknown variant `longname`, expected `nothing` or `long_name`",
            ),
            (
                json!({"kind": "long_name", "count": "x"}),
                "invalid type: string \"x\", expected u8",
            ),
            (
                json!({"kind": "long_name", "count": 256}),
                "invalid value: integer `256`, expected u8",
            ),
            (json!([1]), "invalid type: sequence, expected a map"),
        ] {
            let error = super::from_tree::<OursStrict>(sample)
                .unwrap_err()
                .to_string();
            assert!(error.starts_with(expected), "{error}");
        }
    }
}
