//! Why a transaction did not happen, as far as trying again goes.

use gemicro_core::store::StoreError;

use crate::error::{DbName, is_collision, is_lost};

/// What stopped a group.
#[derive(Debug)]
pub(crate) enum GroupFault {
    /// Something in it cannot be written; nothing was.
    Refused(StoreError),
    /// Another process did something at the same moment; nothing was written, and the same again may work.
    Collided(StoreError),
    /// The server went away; the last statement may have been carried out or not.
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
