//! The JSON of `llvm-cov export`, versions 2 and 3.
//!
//! Values go by one after another and only those are kept that say something about lines and functions. Names of
//! functions stay as they are, mangled. Functions of files that the export leaves out are left out.

mod values;

use std::fmt;
use std::io::BufRead;

use serde::Deserialize;
use serde::de::{DeserializeSeed, Deserializer, Error, IgnoredAny, MapAccess, SeqAccess, Visitor};

use self::values::{FileEntry, FunctionEntry};
use super::collected::Collected;
use super::read_error::ReadError;
use crate::coverage::file_coverage::FunctionCoverage;

/// What the export calls itself.
const TYPE: &str = "llvm.coverage.json.export";

/// Reads an export.
pub(super) fn read(reader: impl BufRead, collected: &mut Collected) -> Result<(), ReadError> {
    let mut reading = Reading {
        collected,
        refused: None,
        named: None,
        has_data: false,
    };
    let mut json = serde_json::Deserializer::from_reader(reader);
    let read = Export(&mut reading)
        .deserialize(&mut json)
        .and_then(|()| json.end());
    if let Some(refused) = reading.refused {
        return Err(refused);
    }
    let (named, has_data) = (reading.named, reading.has_data);
    match read {
        Err(error) if error.is_io() => Err(ReadError::Io(error.into())),
        Err(error) => {
            let place = format!("line {} column {}", error.line(), error.column());
            let message = error.to_string();
            let message = message.split(" at line ").next().unwrap_or(&message);
            Err(ReadError::malformed(place, message))
        }
        Ok(()) if named.as_deref() == Some(TYPE) && has_data => Ok(()),
        Ok(()) => Err(ReadError::OtherFormat("JSON of another tool".to_owned())),
    }
}

struct Reading<'c> {
    collected: &'c mut Collected,
    /// Why no more is read.
    refused: Option<ReadError>,
    /// The type that the export has.
    named: Option<String>,
    has_data: bool,
}

impl Reading<'_> {
    fn add_file(&mut self, entry: FileEntry) -> Result<(), ReadError> {
        let path = self.collected.text(&entry.filename.0);
        let file_idx = self.collected.file(&path)?;
        let mut lines = entry.segments.0;
        self.collected.add_lines(file_idx, &mut lines)
    }

    fn add_function(&mut self, entry: FunctionEntry) -> Result<(), ReadError> {
        let (Some(path), Some(line)) = (entry.filenames.first(), entry.regions.0) else {
            return Ok(());
        };
        let path = String::from_utf8_lossy(&path.0).replace('\0', "\u{fffd}");
        let Some(file_idx) = self.collected.known(&path) else {
            return Ok(());
        };
        let function = FunctionCoverage {
            name: String::from_utf8_lossy(&entry.name.0).into_owned(),
            line,
            count: entry.count.as_count(),
        };
        self.collected.add_function(file_idx, function)
    }
}

/// The whole export.
struct Export<'r, 'c>(&'r mut Reading<'c>);

impl<'de> DeserializeSeed<'de> for Export<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for Export<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "data" => {
                    self.0.has_data = true;
                    map.next_value_seed(DataList(&mut *self.0))?;
                }
                "type" => self.0.named = Some(map.next_value()?),
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// `data`: one entry per export, as a rule one.
struct DataList<'r, 'c>(&'r mut Reading<'c>);

impl<'de> DeserializeSeed<'de> for DataList<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de> Visitor<'de> for DataList<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("the list `data` of an export")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while seq.next_element_seed(DataEntry(&mut *self.0))?.is_some() {}
        Ok(())
    }
}

/// An entry of `data`.
struct DataEntry<'r, 'c>(&'r mut Reading<'c>);

impl<'de> DeserializeSeed<'de> for DataEntry<'_, '_> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_map(self)
    }
}

impl<'de> Visitor<'de> for DataEntry<'_, '_> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("an object with `files`")
    }

    fn visit_map<A: MapAccess<'de>>(self, mut map: A) -> Result<(), A::Error> {
        while let Some(key) = map.next_key::<String>()? {
            match key.as_str() {
                "files" => map.next_value_seed(Each {
                    reading: &mut *self.0,
                    take: Reading::add_file,
                })?,
                "functions" => map.next_value_seed(Each {
                    reading: &mut *self.0,
                    take: Reading::add_function,
                })?,
                _ => drop(map.next_value::<IgnoredAny>()?),
            }
        }
        Ok(())
    }
}

/// A list whose entries are taken one by one.
struct Each<'r, 'c, T> {
    reading: &'r mut Reading<'c>,
    take: fn(&mut Reading<'c>, T) -> Result<(), ReadError>,
}

impl<'de, T: Deserialize<'de>> DeserializeSeed<'de> for Each<'_, '_, T> {
    type Value = ();

    fn deserialize<D: Deserializer<'de>>(self, deserializer: D) -> Result<(), D::Error> {
        deserializer.deserialize_seq(self)
    }
}

impl<'de, T: Deserialize<'de>> Visitor<'de> for Each<'_, '_, T> {
    type Value = ();

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("a list")
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut seq: A) -> Result<(), A::Error> {
        while let Some(entry) = seq.next_element::<T>()? {
            if let Err(error) = (self.take)(self.reading, entry) {
                // The error of the parser is then no news.
                self.reading.refused = Some(error);
                return Err(A::Error::custom("refused"));
            }
        }
        Ok(())
    }
}
