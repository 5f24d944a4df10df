//! What can go wrong, and what is said about it.

use std::net::TcpListener;
use std::time::Duration;

use gemicro_event::{ErrorKind, Failure};
use gemicro_pipeline::forge::{Forge, ForgeError, ForgeKind, ForgeToken, open};
use gemicro_sim::forge::{CallPurpose, ForgeFaultKind, TokenRights};

use super::stage::{KINDS, TOKEN, address, fault, offer, script, stage, stage_with};

/// All that a pipeline asks, with what came of it.
async fn ask_everything(forge: &dyn Forge) -> Vec<ForgeError> {
    vec![
        forge.default_branch().await.unwrap_err(),
        forge.protection("main").await.unwrap_err(),
        forge.offer(&offer()).await.unwrap_err(),
    ]
}

fn kind_of(error: ForgeError) -> ErrorKind {
    Failure::from(error).kind
}

#[tokio::test]
async fn a_wrong_token() {
    for kind in KINDS {
        let mut script = script(kind);
        script.token = Some("another-token-altogether".to_owned());
        let (running, forge) = stage(script).await;
        for error in ask_everything(forge.as_ref()).await {
            assert!(matches!(error, ForgeError::Unauthorised { .. }), "{error:?}");
            assert!(error.to_string().contains("set a new one in G"), "{error}");
            assert_eq!(kind_of(error), ErrorKind::AuthFailed);
        }
        assert_eq!((running.calls().len(), running.requests().len()), (3, 0));
    }
}

#[tokio::test]
async fn no_token() {
    for kind in KINDS {
        let mut script = script(kind);
        script.token = Some(TOKEN.to_owned());
        let (running, forge) = stage_with(script, None).await;
        let error = forge.default_branch().await.unwrap_err();
        assert!(
            error.to_string().contains("no token was given: set one in G"),
            "{error}"
        );
        assert!(!running.calls()[0].had_token);
    }
}

#[tokio::test]
async fn a_token_without_the_right() {
    for (kind, right) in [
        (ForgeKind::GitHub, "`Pull requests: write`"),
        (ForgeKind::GitLab, "the scope `api` and the role Developer"),
    ] {
        let mut script = script(kind);
        script.token = Some(TOKEN.to_owned());
        script.rights = TokenRights::Read;
        let (running, forge) = stage(script).await;
        assert_eq!(forge.default_branch().await.unwrap(), "main");
        let error = forge.offer(&offer()).await.unwrap_err();
        assert!(matches!(error, ForgeError::Forbidden { .. }), "{error:?}");
        assert!(error.to_string().contains(right), "{error}");
        assert_eq!(kind_of(error), ErrorKind::PermissionDenied);
        assert_eq!(running.count(CallPurpose::Create), 1);
    }
}

#[tokio::test]
async fn no_server_listens() {
    for kind in KINDS {
        // A port that was free a moment ago, and that nobody listens on now.
        let port = TcpListener::bind("127.0.0.1:0")
            .unwrap()
            .local_addr()
            .unwrap()
            .port();
        let address = address(kind, &format!("http://127.0.0.1:{port}"), "octo/hello");
        let forge = open(address, ForgeToken::new(TOKEN)).unwrap();
        for error in ask_everything(forge.as_ref()).await {
            let text = error.to_string();
            let start = format!("cannot reach {kind} octo/hello at 127.0.0.1:{port} to ");
            assert!(text.starts_with(&start) && text.contains("refused"), "{text}");
            assert_eq!(kind_of(error), ErrorKind::UpstreamError);
        }
    }
}

#[tokio::test]
async fn a_failure_that_passes_is_not_noticed() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![
            fault(CallPurpose::Repository, ForgeFaultKind::Status(500)),
            fault(CallPurpose::Repository, ForgeFaultKind::Status(502)),
            fault(CallPurpose::List, ForgeFaultKind::Status(503)),
            fault(CallPurpose::Protection, ForgeFaultKind::Status(504)),
        ];
        let (running, forge) = stage(script).await;
        assert_eq!(forge.default_branch().await.unwrap(), "main");
        assert_eq!(running.count(CallPurpose::Repository), 3);
        assert!(!forge.protection("main").await.unwrap().is_complete());
        assert_eq!(forge.offer(&offer()).await.unwrap().number, 1);
    }
}

#[tokio::test]
async fn a_failure_that_stays_is_reported() {
    for kind in KINDS {
        let mut script = script(kind);
        let mut broken = fault(CallPurpose::Repository, ForgeFaultKind::Status(500));
        broken.times = 100;
        script.faults = vec![broken];
        let (running, forge) = stage(script).await;
        let error = forge.default_branch().await.unwrap_err();
        assert!(error.to_string().contains("(HTTP 500)") && error.to_string().ends_with("try again later"));
        assert_eq!(kind_of(error), ErrorKind::UpstreamError);
        assert_eq!(running.count(CallPurpose::Repository), 3);
    }
}

#[tokio::test]
async fn a_limit_is_reported_with_its_wait_and_not_tried_again() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::RateLimit(60))];
        let (running, forge) = stage(script).await;
        let error = forge.offer(&offer()).await.unwrap_err();
        assert!(
            matches!(&error, ForgeError::RateLimited { retry_after, .. } if *retry_after == Some(Duration::from_secs(60))),
            "{error:?}"
        );
        let failure = Failure::from(error);
        assert_eq!(
            (failure.kind, failure.retry_after_ms),
            (ErrorKind::RateLimited, Some(60_000))
        );
        assert_eq!(running.count(CallPurpose::Create), 1);
    }
}

#[tokio::test]
async fn a_limit_on_protection_is_no_missing_right() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Protection, ForgeFaultKind::RateLimit(5))];
        let (_running, forge) = stage(script).await;
        let error = forge.protection("main").await.unwrap_err();
        assert!(matches!(error, ForgeError::RateLimited { .. }), "{error:?}");
    }
}

#[tokio::test]
async fn a_page_for_people_is_no_answer() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Repository, ForgeFaultKind::Garbage)];
        let (_running, forge) = stage(script).await;
        let error = forge.default_branch().await.unwrap_err();
        assert!(matches!(error, ForgeError::Protocol { .. }), "{error:?}");
        assert_eq!(kind_of(error), ErrorKind::MalformedOutput);
    }
}

#[tokio::test]
async fn an_unknown_repository() {
    for kind in KINDS {
        let (running, _forge) = stage(script(kind)).await;
        let address = address(kind, &running.api_url(), "octo/other");
        let forge = open(address, ForgeToken::new(TOKEN)).unwrap();
        for error in ask_everything(forge.as_ref()).await {
            assert!(matches!(error, ForgeError::NotFound { .. }), "{error:?}");
            assert_eq!(kind_of(error), ErrorKind::NotFound);
        }
    }
}
