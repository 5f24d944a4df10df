//! The state folder is private, and stays so.

use std::fs::{self, Permissions};
use std::os::unix::fs::{PermissionsExt, chown, symlink};
use std::path::Path;

use gemicro_core::store::StoreError;
use gemicro_store::SqliteStore;
use serde_json::json;

use crate::make::{append_outside, event, folder, free_run, open};

fn mode(path: &Path) -> u32 {
    fs::symlink_metadata(path).unwrap().permissions().mode() & 0o7777
}

fn check_modes(path: &Path, n_files: &mut usize) {
    for entry in fs::read_dir(path).unwrap() {
        let path = entry.unwrap().path();
        if path.is_dir() {
            assert_eq!(mode(&path), 0o700, "{}", path.display());
            check_modes(&path, n_files);
        } else {
            assert_eq!(mode(&path), 0o600, "{}", path.display());
            *n_files += 1;
        }
    }
}

async fn refusal(home: &Path) -> String {
    let error = SqliteStore::open(home).await.unwrap_err();
    assert!(matches!(error, StoreError::Io { .. }), "{error:?}");
    error.to_string()
}

#[tokio::test]
async fn every_file_is_private() {
    let folder = folder();
    let home = folder.path().join("deep/down/home");
    let store = open(&home).await;
    let stream = free_run(&store, "private").await;
    let large = event("noted", json!({ "text": "x".repeat(40_000) }));
    append_outside(&store, &stream, vec![large]).await.unwrap();
    store.runs(&gemicro_store::RunFilter::default()).await.unwrap();
    assert_eq!(mode(&home), 0o700);
    let mut n_files = 0;
    check_modes(&home, &mut n_files);
    assert_eq!(
        n_files, 6,
        "database, log, shared memory, number of events, format lock, one blob"
    );
}

#[tokio::test]
async fn looser_files_are_tightened() {
    let folder = folder();
    let home = folder.path().join("home");
    open(&home).await.close().await;
    fs::set_permissions(home.join("gemicro.db"), Permissions::from_mode(0o644)).unwrap();
    let _store = open(&home).await;
    assert_eq!(mode(&home.join("gemicro.db")), 0o600);
}

#[tokio::test]
async fn a_folder_that_others_can_write_to_is_refused() {
    let folder = folder();
    for bits in [0o770, 0o707, 0o1777] {
        let home = folder.path().join(format!("home-{bits:o}"));
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, Permissions::from_mode(bits)).unwrap();
        let message = refusal(&home).await;
        assert!(
            message.contains(&format!("chmod 700 {}", home.display())),
            "{message}"
        );
        assert_eq!(fs::read_dir(&home).unwrap().count(), 0, "nothing was made in it");
    }
}

#[tokio::test]
async fn a_planted_link_is_refused() {
    let folder = folder();
    let elsewhere = folder.path().join("elsewhere");
    fs::create_dir(&elsewhere).unwrap();
    fs::set_permissions(&elsewhere, Permissions::from_mode(0o700)).unwrap();
    let home = folder.path().join("home");
    symlink(&elsewhere, &home).unwrap();
    assert!(refusal(&home).await.contains("symbolic link"));

    for planted in ["gemicro.db", "gemicro.db-wal", "gemicro.db-shm", "blobs"] {
        let home = folder.path().join(format!("home-{planted}"));
        fs::create_dir(&home).unwrap();
        fs::set_permissions(&home, Permissions::from_mode(0o700)).unwrap();
        let target = folder.path().join(format!("target-{planted}"));
        symlink(&target, home.join(planted)).unwrap();
        assert!(refusal(&home).await.contains("symbolic link"), "{planted}");
        assert!(!target.exists(), "nothing was made behind the link");
    }
}

#[tokio::test]
async fn a_folder_of_another_user_is_refused() {
    let folder = folder();
    let home = folder.path().join("home");
    fs::create_dir(&home).unwrap();
    fs::set_permissions(&home, Permissions::from_mode(0o700)).unwrap();
    if chown(&home, Some(12_345), None).is_err() {
        // Only root can give a folder away; the system's root belongs to another user for everybody else.
        assert!(SqliteStore::open(Path::new("/")).await.is_err());
        return;
    }
    assert!(refusal(&home).await.contains("belongs to another user"));
}
