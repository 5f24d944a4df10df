//! The unknown part of a run's cost, as one column of its list entry.
//!
//! The column is derived from the events, so unreadable text counts as absent.

use gemicro_event::{Charge, Uncertain, UnpricedTokens};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct CostUnknowns {
    #[serde(default)]
    unpriced_models: UnpricedTokens,
    #[serde(default)]
    uncertain: Uncertain,
}

/// The column for a charge; `None` if all of it is known.
pub(crate) fn write(charge: &Charge) -> Option<String> {
    let unknowns = CostUnknowns {
        unpriced_models: charge.unpriced_models,
        uncertain: charge.uncertain,
    };
    let all_is_known = charge.unpriced_models.is_empty() && charge.uncertain.is_none();
    (!all_is_known)
        .then(|| serde_json::to_string(&unknowns).ok())
        .flatten()
}

/// Reads the column; the amounts are zero.
pub(crate) fn read(column: Option<&str>) -> Charge {
    let unknowns = column.and_then(|text| serde_json::from_str::<CostUnknowns>(text).ok());
    unknowns.map_or(Charge::ZERO, |unknowns| Charge {
        unpriced_models: unknowns.unpriced_models,
        uncertain: unknowns.uncertain,
        ..Charge::ZERO
    })
}
