//! The form in JSON of types that are the text that they display.

#[doc(hidden)]
pub use {schemars, serde};

/// What is there, `null` included; with a default for what is not.
///
/// # Errors
/// What is there is of another type.
pub fn some<'de, T: serde::Deserialize<'de>, D: serde::Deserializer<'de>>(
    from: D,
) -> Result<Option<T>, D::Error> {
    T::deserialize(from).map(Some)
}

/// A value as the text that it displays.
///
/// # Errors
/// The errors of the serializer.
pub fn shown<S: serde::Serializer>(value: &impl std::fmt::Display, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(value)
}

/// Types that are the text that they display.
#[macro_export]
macro_rules! json_text {
    ($($type:ty),* $(,)?) => {$(
        impl $crate::json::serde::Serialize for $type {
            fn serialize<S: $crate::json::serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
                serializer.collect_str(self)
            }
        }

        impl $crate::json::schemars::JsonSchema for $type {
            fn inline_schema() -> bool {
                true
            }

            fn schema_name() -> ::std::borrow::Cow<'static, str> {
                <String as $crate::json::schemars::JsonSchema>::schema_name()
            }

            fn json_schema(generator: &mut $crate::json::schemars::SchemaGenerator) -> $crate::json::schemars::Schema {
                <String as $crate::json::schemars::JsonSchema>::json_schema(generator)
            }
        }
    )*};
}
