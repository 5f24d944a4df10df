//! Checks whether an engine can continue a run that another one started.

use gemicro_event::{ErrorKind, Failure, StreamId};
use sha2::{Digest, Sha256};

use crate::engine::Engine;
use crate::run::first_event;

impl Engine {
    /// A fingerprint of the keys and endpoints that a run was started with; it reveals nothing without them.
    pub(crate) fn credential_fingerprint(&self, run: &StreamId) -> String {
        let digest = Sha256::digest(format!("{run}\n{}", self.credentials));
        digest.iter().take(16).map(|byte| format!("{byte:02x}")).collect()
    }

    /// Checks that the available keys and logins are sufficient for a run.
    ///
    /// # Errors
    /// With the missing key or login.
    pub async fn can_carry(&self, id: &StreamId) -> Result<(), Failure> {
        let Some(started) = first_event(&self.store, id).await? else {
            let message = format!("run {id} has no first event");
            return Err(Failure::new(ErrorKind::StorageError, message));
        };
        let fingerprint = self.credential_fingerprint(id);
        if started
            .credential_fingerprint
            .is_some_and(|recorded| recorded != fingerprint)
        {
            let message = "it was started with other keys or endpoints";
            return Err(Failure::new(ErrorKind::AuthFailed, message));
        }
        // An unreadable plan is refused by its flow later.
        let facts = self.flow(&started.flow)?.facts(&started.plan).ok();
        match facts.and_then(|facts| self.can.missing_backend(&facts)) {
            None => Ok(()),
            Some(missing) => {
                let message = format!("there is no key and no login for {missing}");
                Err(Failure::new(ErrorKind::AuthFailed, message))
            }
        }
    }
}
