//! What units measure.
//!
//! The one type is [`UnitClass`]; the words for the units are in the language files.

use serde::de::value::{Error as ValueError, StrDeserializer};
use serde::{Deserialize, Serialize};

/// What a unit measures.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[expect(missing_docs, reason = "the names of the quantities say it")]
pub enum UnitClass {
    Duration,
    Length,
    Mass,
    Volume,
    Area,
    Speed,
    Temperature,
    Money,
    Percent,
    Power,
    Energy,
    Voltage,
    Current,
    Charge,
    Data,
    Pressure,
    Frequency,
    Sound,
    Light,
    Angle,
    /// A number of things, without a unit of measure.
    Count,
}

impl UnitClass {
    /// The name used in the language files.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::Duration => "duration",
            Self::Length => "length",
            Self::Mass => "mass",
            Self::Volume => "volume",
            Self::Area => "area",
            Self::Speed => "speed",
            Self::Temperature => "temperature",
            Self::Money => "money",
            Self::Percent => "percent",
            Self::Power => "power",
            Self::Energy => "energy",
            Self::Voltage => "voltage",
            Self::Current => "current",
            Self::Charge => "charge",
            Self::Data => "data",
            Self::Pressure => "pressure",
            Self::Frequency => "frequency",
            Self::Sound => "sound",
            Self::Light => "light",
            Self::Angle => "angle",
            Self::Count => "count",
        }
    }

    /// The class of that name in the language files.
    pub(crate) fn from_name(name: &str) -> Option<Self> {
        Self::deserialize(StrDeserializer::<ValueError>::new(name)).ok()
    }
}
