//! A database that is deleted or replaced while it is open.

use std::fs;

use gemicro_core::store::StoreError;

use crate::make::{all, append_outside, folder, free_run, note, open};

#[tokio::test]
async fn nothing_is_written_into_a_database_that_was_deleted_or_replaced() {
    let folder = folder();
    for case in ["folder deleted", "log deleted", "replaced", "moved"] {
        let (home, away) = (
            folder.path().join(case),
            folder.path().join(format!("{case} away")),
        );
        let store = open(&home).await;
        let stream = free_run(&store, "kept").await;
        append_outside(&store, &stream, vec![note(1)]).await.unwrap();
        match case {
            "folder deleted" => fs::remove_dir_all(&home).unwrap(),
            "log deleted" => fs::remove_file(home.join("gemicro.db-wal")).unwrap(),
            "replaced" => {
                fs::rename(&home, &away).unwrap();
                open(&home).await.close().await;
            }
            _ => fs::rename(&home, &away).unwrap(),
        }
        let error = append_outside(&store, &stream, vec![note(2)]).await.unwrap_err();
        assert!(matches!(error, StoreError::Io { .. }), "{case}: {error:?}");
        let message = error.to_string();
        let named = home.join("gemicro.db").display().to_string();
        assert!(
            message.contains(&named) && message.contains("was deleted or replaced"),
            "{case}: {message}"
        );
        if case == "moved" {
            fs::rename(&away, &home).unwrap();
            append_outside(&store, &stream, vec![note(2)]).await.unwrap();
            assert_eq!(all(&store, &stream).await.len(), 3);
        }
    }
}
