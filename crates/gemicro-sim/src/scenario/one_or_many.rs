//! Fields that accept one value or a list.

use std::fmt;
use std::marker::PhantomData;

use serde::de::{Deserialize, Deserializer, SeqAccess, Visitor, value};

/// Reads `x` as `[x]`. An untagged enum would lose the position of an error.
pub(crate) fn deserialize<'de, D, T>(deserializer: D) -> Result<Vec<T>, D::Error>
where
    D: Deserializer<'de>,
    T: Deserialize<'de>,
{
    struct OneOrMany<T>(PhantomData<T>);

    impl<'de, T: Deserialize<'de>> Visitor<'de> for OneOrMany<T> {
        type Value = Vec<T>;

        fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
            f.write_str("a string or a list of strings")
        }

        fn visit_str<E: serde::de::Error>(self, text: &str) -> Result<Vec<T>, E> {
            T::deserialize(value::StrDeserializer::new(text)).map(|one| vec![one])
        }

        fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<Vec<T>, A::Error> {
            let mut many = Vec::new();
            while let Some(one) = seq.next_element()? {
                many.push(one);
            }
            Ok(many)
        }
    }

    deserializer.deserialize_any(OneOrMany(PhantomData))
}
