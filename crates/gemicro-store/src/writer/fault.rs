//! The reasons why a transaction failed, by whether a retry can help.

use gemicro_core::store::StoreError;

use crate::error::{DbName, is_collision, is_lost};

/// The reason why a group failed.
#[derive(Debug)]
pub(crate) enum GroupFault {
    /// A request in it cannot be written; nothing was written.
    Refused(StoreError),
    /// A concurrent transaction interfered; nothing was written, and a retry may work.
    Collided(StoreError),
    /// The connection was lost; the last statement may or may not have been executed.
    Lost(StoreError),
}

impl GroupFault {
    pub(crate) fn of(db: &DbName, error: sqlx::Error) -> Self {
        if is_collision(&error) {
            Self::Collided(db.error(error))
        } else if is_lost(&error) {
            Self::Lost(db.error(error))
        } else {
            Self::Refused(db.error(error))
        }
    }

    pub(crate) fn into_error(self) -> StoreError {
        match self {
            Self::Refused(error) | Self::Collided(error) | Self::Lost(error) => error,
        }
    }
}

impl From<StoreError> for GroupFault {
    fn from(error: StoreError) -> Self {
        Self::Refused(error)
    }
}
