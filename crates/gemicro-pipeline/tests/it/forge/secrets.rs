//! Tokens and passwords: sent where they belong, and never shown.

use gemicro_event::Failure;
use gemicro_pipeline::forge::{ForgeError, ForgeHosts, ForgeKind, ForgeToken, open, recognise};
use gemicro_sim::forge::{CallPurpose, ForgeFaultKind};

use super::stage::{KINDS, TOKEN, address, fault, offer, script, stage};

#[tokio::test]
async fn a_token_is_in_no_debug_text_and_no_error() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::Echo)];
        let (running, forge) = stage(script).await;
        assert!(!format!("{forge:?}").contains(TOKEN));
        let error = forge.offer(&offer()).await.unwrap_err();
        assert!(error.to_string().contains("cannot use ***"), "{error}");
        for text in [
            format!("{error:?}"),
            error.to_string(),
            format!("{:?}", Failure::from(error)),
        ] {
            assert!(!text.contains(TOKEN), "{text}");
        }
        assert!(running.calls().iter().all(|call| call.had_token));
        assert!(!format!("{:?}", running.calls()).contains(TOKEN));
    }
    assert_eq!(format!("{:?}", ForgeToken::new(TOKEN)), "Some(ForgeToken(***))");
}

#[tokio::test]
async fn a_redirect_takes_no_token_elsewhere() {
    for kind in KINDS {
        let (elsewhere, _forge) = stage(script(kind)).await;
        let mut script = script(kind);
        let location = format!("{}/repos/octo/hello", elsewhere.api_url());
        script.faults = vec![fault(CallPurpose::Repository, ForgeFaultKind::Redirect(location))];
        let (_running, forge) = stage(script).await;
        let error = forge.default_branch().await.unwrap_err();
        assert!(
            matches!(error, ForgeError::Refused { status: 302, .. }),
            "{error:?}"
        );
        assert!(
            error.to_string().ends_with("give the remote its new address"),
            "{error}"
        );
        assert!(elsewhere.calls().is_empty());
    }
}

#[test]
fn a_token_is_not_sent_on_a_guess() {
    for (remote, kind) in [
        ("https://github.example.com/octo/hello", ForgeKind::GitHub),
        ("https://gitlab.example.com/octo/hello", ForgeKind::GitLab),
    ] {
        let guessed = recognise(remote, &ForgeHosts::default()).unwrap();
        let error = open(guessed.clone(), ForgeToken::new(TOKEN)).unwrap_err();
        assert!(matches!(error, ForgeError::UnnamedHost { .. }), "{error:?}");
        assert!(open(guessed, None).is_ok());
        let host = format!("{}.example.com", kind.name().to_lowercase());
        let hosts = ForgeHosts::default().name(&host, kind, None).unwrap();
        let named = recognise(remote, &hosts).unwrap();
        assert!(open(named, ForgeToken::new(TOKEN)).is_ok());
    }
}

#[test]
fn what_cannot_be_a_token_is_refused_before_it_is_sent() {
    for kind in KINDS {
        for text in ["two words", "with\nline", "schlüssel"] {
            let address = address(kind, "http://127.0.0.1:1", "octo/hello");
            let error = open(address, ForgeToken::new(text)).unwrap_err();
            assert!(matches!(error, ForgeError::Unauthorised { .. }), "{error:?}");
            assert!(!error.to_string().contains(text));
        }
    }
    assert_eq!(ForgeToken::new(" \n"), None);
}
