//! What is not known about the cost of a run, as one column of its line.
//!
//! The column is a projection of the events, so a text that cannot be read is as good as none.

use gemicro_event::{Charge, Uncertain, UnpricedTokens};
use serde::{Deserialize, Serialize};

#[derive(Debug, Serialize, Deserialize)]
struct CostUnknowns {
    #[serde(default)]
    unpriced_models: UnpricedTokens,
    #[serde(default)]
    uncertain: Uncertain,
}

/// The column of a charge; `None` where all of it is known.
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

/// What a column says, without amounts.
pub(crate) fn read(column: Option<&str>) -> Charge {
    let unknowns = column.and_then(|text| serde_json::from_str::<CostUnknowns>(text).ok());
    unknowns.map_or(Charge::ZERO, |unknowns| Charge {
        unpriced_models: unknowns.unpriced_models,
        uncertain: unknowns.uncertain,
        ..Charge::ZERO
    })
}
