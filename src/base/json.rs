//! The form in JSON of types that are the text that they display.

#[doc(hidden)]
pub use {schemars, serde};

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
