//! The small types of the driver; what it does is proved in `tests/it/drive_*.rs`.

use gemicro_event::{ErrorKind, Failure, StreamId};

use super::{DriveError, DriveOptions};
use crate::store::StoreError;

#[test]
fn every_way_to_stop_driving_has_its_kind() {
    let stream = StreamId::random();
    let run = stream.to_string();
    let newer = DriveError::NewerFlow {
        run: run.clone(),
        program: "gemicro 9".to_owned(),
        flow: "research".to_owned(),
        found: 9,
        known: 1,
    };
    let not_ours = DriveError::NotThisFlow {
        run: run.clone(),
        flow: "research",
        message: "x".to_owned(),
    };
    let cases = [
        (newer, ErrorKind::Interrupted),
        (not_ours, ErrorKind::InvalidInput),
        (
            DriveError::Plan {
                run,
                message: "x".to_owned(),
            },
            ErrorKind::StorageError,
        ),
        (StoreError::LeaseLost { stream }.into(), ErrorKind::Conflict),
        (
            StoreError::Full {
                message: "x".to_owned(),
            }
            .into(),
            ErrorKind::StorageError,
        ),
    ];
    for (error, kind) in cases {
        assert_eq!(Failure::from(error.clone()).kind, kind, "{error}");
    }
}

#[test]
fn a_lease_outlives_several_heartbeats_and_a_stop() {
    let options = DriveOptions::default();
    assert!(options.lease_ttl >= 3 * options.grace);
}
