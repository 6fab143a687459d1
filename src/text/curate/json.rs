//! JSON in which a key that an object has twice is noticed: a JSON parser keeps the last value and drops the others.

use serde::de::{Deserialize, Deserializer, MapAccess, SeqAccess, Visitor};
use serde_json::{Map, Number, Value};
use std::fmt;

/// A value as it is written: an object has every key, also one that is there twice.
#[derive(Debug)]
pub(crate) enum Json {
    Plain(Value),
    List(Vec<Self>),
    Fields(Vec<(String, Self)>),
}

impl Json {
    /// The value.
    ///
    /// # Errors
    /// The first key that an object in it has twice.
    pub(crate) fn distinct(self) -> Result<Value, String> {
        Ok(match self {
            Self::Plain(value) => value,
            Self::List(items) => {
                Value::Array(items.into_iter().map(Self::distinct).collect::<Result<_, _>>()?)
            }
            Self::Fields(fields) => {
                let mut all = Map::with_capacity(fields.len());
                for (key, value) in fields {
                    if all.contains_key(&key) {
                        return Err(key);
                    }
                    all.insert(key, value.distinct()?);
                }
                Value::Object(all)
            }
        })
    }

    /// The text of a field of an object, if it is there once.
    pub(crate) fn text(&self, name: &str) -> Option<&str> {
        let Self::Fields(fields) = self else { return None };
        let mut found = fields.iter().filter(|(key, _)| key == name);
        match (found.next(), found.next()) {
            (Some((_, Self::Plain(value))), None) => value.as_str(),
            _ => None,
        }
    }
}

impl<'de> Deserialize<'de> for Json {
    fn deserialize<D: Deserializer<'de>>(from: D) -> Result<Self, D::Error> {
        from.deserialize_any(Values)
    }
}

struct Values;

impl<'de> Visitor<'de> for Values {
    type Value = Json;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a JSON value")
    }

    fn visit_unit<E>(self) -> Result<Json, E> {
        Ok(Json::Plain(Value::Null))
    }

    fn visit_bool<E>(self, value: bool) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_i64<E>(self, value: i64) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_u64<E>(self, value: u64) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_f64<E>(self, value: f64) -> Result<Json, E> {
        Ok(Json::Plain(Number::from_f64(value).map_or(Value::Null, Value::Number)))
    }

    fn visit_str<E>(self, value: &str) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_string<E>(self, value: String) -> Result<Json, E> {
        Ok(Json::Plain(value.into()))
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut list: A) -> Result<Json, A::Error> {
        let mut items = Vec::new();
        while let Some(item) = list.next_element()? {
            items.push(item);
        }
        Ok(Json::List(items))
    }

    fn visit_map<A: MapAccess<'de>>(self, mut object: A) -> Result<Json, A::Error> {
        let mut fields = Vec::new();
        while let Some(field) = object.next_entry()? {
            fields.push(field);
        }
        Ok(Json::Fields(fields))
    }
}
