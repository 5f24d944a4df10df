//! Refusals of the budget.

use gemicro_event::{ErrorKind, Failure, Json};

use super::LimitKind;

/// A reservation does not fit into what is left.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the budget has {} left and the next call may need {}", in_words(*.limit, *.left), in_words(*.limit, *.asked))]
pub struct BudgetRefusal {
    /// The limit that is too small.
    pub limit: LimitKind,
    /// The amount that the call may need.
    pub asked: u64,
    /// The amount left for this purpose.
    pub left: u64,
}

impl From<BudgetRefusal> for Failure {
    fn from(refusal: BudgetRefusal) -> Self {
        let detail =
            serde_json::json!({ "limit": refusal.limit, "asked": refusal.asked, "left": refusal.left });
        Self {
            detail: Some(Json::from(detail)),
            ..Self::new(ErrorKind::BudgetExceeded, refusal.to_string())
        }
    }
}

/// An amount with its unit.
pub(super) fn in_words(limit: LimitKind, amount: u64) -> String {
    match limit {
        LimitKind::Tokens => gemicro_event::tokens(amount),
        LimitKind::Turns if amount == 1 => "1 turn".to_owned(),
        LimitKind::Turns => format!("{amount} turns"),
        LimitKind::Money | LimitKind::WallTime => limit.amount(amount),
    }
}
