//! Requests are made once: found, adopted, and never doubled, whatever gets lost on the way.

use gemicro_pipeline::forge::{ForgeError, ForgeKind, ForgeToken, RequestState, open};
use gemicro_sim::forge::{CallPurpose, ForgeFaultKind, HeldState, ScriptedRequest};

use super::stage::{KINDS, TOKEN, address, fault, offer, offered, script, stage};

fn held(head: &str, base: &str, body: &str) -> ScriptedRequest {
    ScriptedRequest {
        head: head.to_owned(),
        base: base.to_owned(),
        title: "Older".to_owned(),
        body: body.to_owned(),
        fork: false,
    }
}

#[tokio::test]
async fn a_request_is_made_with_its_marker_and_found_again() {
    for kind in KINDS {
        let (running, forge) = stage(script(kind)).await;
        let first = forge.offer(&offer()).await.unwrap();
        assert_eq!(first, offered(kind, 1, false, RequestState::Open));
        let request = running.requests().pop().unwrap();
        assert_eq!(
            (
                request.head.as_str(),
                request.base.as_str(),
                request.title.as_str()
            ),
            ("task/greet people", "main", "Greet people")
        );
        assert_eq!(request.body, "Because they like it.\n\nGemicro-Run: k3v9");
        let second = forge.offer(&offer()).await.unwrap();
        assert_eq!(second, offered(kind, 1, true, RequestState::Open));
        let counted = (
            running.count(CallPurpose::Create),
            running.count(CallPurpose::Update),
        );
        assert_eq!(counted, (1, 0));
    }
}

#[tokio::test]
async fn a_request_of_a_person_is_returned_as_it_is() {
    for kind in KINDS {
        let mut script = script(kind);
        script.requests = vec![held("task/greet people", "main", "by hand")];
        let (running, forge) = stage(script).await;
        let found = forge.offer(&offer()).await.unwrap();
        assert_eq!(found, offered(kind, 1, true, RequestState::Open));
        assert_eq!(running.requests()[0].body, "by hand");
        assert!(running.calls().iter().all(|call| call.method == "GET"));
    }
}

#[tokio::test]
async fn a_request_of_gemicro_gets_the_new_text() {
    for kind in KINDS {
        for marker in ["Gemicro-Run: k3v9", "Gemicro-Run: an-older-run"] {
            let mut script = script(kind);
            script.requests = vec![held("task/greet people", "main", &format!("Older.\n\n{marker}"))];
            let (running, forge) = stage(script).await;
            let found = forge.offer(&offer()).await.unwrap();
            assert_eq!(found, offered(kind, 1, true, RequestState::Open));
            let request = running.requests().pop().unwrap();
            assert_eq!(request.title, "Greet people");
            assert_eq!(request.body, "Because they like it.\n\nGemicro-Run: k3v9");
            let counted = (
                running.count(CallPurpose::Create),
                running.count(CallPurpose::Update),
            );
            assert_eq!(counted, (0, 1));
        }
    }
}

#[tokio::test]
async fn the_marker_finds_a_request_that_was_given_another_base() {
    for kind in KINDS {
        let mut script = script(kind);
        script.requests = vec![
            held("task/greet people", "next", "Why.\n\nGemicro-Run: k3v9"),
            held("task/greet people", "main", "by hand"),
        ];
        let (running, forge) = stage(script).await;
        let found = forge.offer(&offer()).await.unwrap();
        assert_eq!(found, offered(kind, 1, true, RequestState::Open));
        assert_eq!(running.count(CallPurpose::Create), 0);
    }
}

#[tokio::test]
async fn requests_of_forks_and_other_branches_are_another_users() {
    for kind in KINDS {
        let mut script = script(kind);
        let mut from_fork = held("task/greet people", "main", "by hand");
        from_fork.fork = true;
        script.requests = vec![
            from_fork,
            held("task/greet", "main", "by hand"),
            held("task/greet people", "next", "by hand"),
        ];
        let (running, forge) = stage(script).await;
        let made = forge.offer(&offer()).await.unwrap();
        assert_eq!(made, offered(kind, 4, false, RequestState::Open));
        assert_eq!(running.requests().len(), 4);
    }
}

#[tokio::test]
async fn a_request_that_was_merged_or_closed_is_not_made_again() {
    for kind in KINDS {
        for (set, expected) in [
            (HeldState::Merged, RequestState::Merged),
            (HeldState::Closed, RequestState::Closed),
        ] {
            let (running, forge) = stage(script(kind)).await;
            forge.offer(&offer()).await.unwrap();
            running.set_state(1, set);
            let found = forge.offer(&offer()).await.unwrap();
            assert_eq!(found, offered(kind, 1, true, expected));
            assert_eq!(running.requests().len(), 1);
            // Another run of the same branch makes its own.
            let mut other = offer();
            other.marker = "Gemicro-Run: another".to_owned();
            let made = forge.offer(&other).await.unwrap();
            assert_eq!(made, offered(kind, 2, false, RequestState::Open));
        }
    }
}

#[tokio::test]
async fn the_request_is_found_behind_many_others() {
    for kind in KINDS {
        let mut script = script(kind);
        script.requests = vec![held("task/greet people", "main", "Gemicro-Run: k3v9")];
        script
            .requests
            .extend((0..70).map(|n| held("task/greet people", &format!("base-{n}"), "by hand")));
        let (running, forge) = stage(script).await;
        let found = forge.offer(&offer()).await.unwrap();
        assert_eq!((found.number, found.existed), (1, true));
        assert_eq!(running.count(CallPurpose::Create), 0);
    }
}

#[tokio::test]
async fn another_users_request_in_the_same_moment_is_taken() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::Race)];
        let (running, forge) = stage(script).await;
        let found = forge.offer(&offer()).await.unwrap();
        assert_eq!(found, offered(kind, 1, true, RequestState::Open));
        assert_eq!(
            (running.requests().len(), running.count(CallPurpose::Create)),
            (1, 1)
        );
    }
}

#[tokio::test]
async fn a_lost_answer_makes_no_second_request() {
    for kind in KINDS {
        for status in [500, 502, 504] {
            let mut script = script(kind);
            script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::DoneThenStatus(status))];
            let (running, forge) = stage(script).await;
            let made = forge.offer(&offer()).await.unwrap();
            assert_eq!(made, offered(kind, 1, false, RequestState::Open));
            assert_eq!(
                (running.requests().len(), running.count(CallPurpose::Create)),
                (1, 1)
            );
        }
    }
}

#[tokio::test]
async fn an_answer_that_breaks_off_makes_no_second_request() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::DoneThenCut)];
        let (running, forge) = stage(script).await;
        let made = forge.offer(&offer()).await.unwrap();
        assert_eq!(made, offered(kind, 1, false, RequestState::Open));
        assert_eq!(
            (running.requests().len(), running.count(CallPurpose::Create)),
            (1, 1)
        );
    }
}

#[tokio::test]
async fn a_kill_while_the_request_is_made_leaves_one_request() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::DoneThenHang)];
        let (running, forge) = stage(script).await;
        let wanted = offer();
        tokio::select! {
            offered = forge.offer(&wanted) => panic!("answered: {offered:?}"),
            () = running.saw(CallPurpose::Create, 1) => {}
        }
        drop(forge);
        let address = address(kind, &running.api_url(), "octo/hello");
        let forge = open(address, ForgeToken::new(TOKEN)).unwrap();
        let found = forge.offer(&wanted).await.unwrap();
        assert_eq!(found, offered(kind, 1, true, RequestState::Open));
        assert_eq!(
            (running.requests().len(), running.count(CallPurpose::Create)),
            (1, 1)
        );
    }
}

#[tokio::test]
async fn a_lost_answer_and_a_late_list_make_no_second_request() {
    // The list does not show the request at first: the second try is refused, and the look after it finds the request.
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![
            fault(CallPurpose::Create, ForgeFaultKind::DoneThenStatus(500)),
            fault(CallPurpose::List, ForgeFaultKind::Stale),
            fault(CallPurpose::List, ForgeFaultKind::Stale),
        ];
        let (running, forge) = stage(script).await;
        let made = forge.offer(&offer()).await.unwrap();
        assert_eq!(made, offered(kind, 1, false, RequestState::Open));
        assert_eq!(
            (running.requests().len(), running.count(CallPurpose::Create)),
            (1, 2)
        );
    }
}

#[tokio::test]
async fn a_failed_try_is_repeated_only_after_a_look() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::Status(503))];
        let (running, forge) = stage(script).await;
        let made = forge.offer(&offer()).await.unwrap();
        assert_eq!(made, offered(kind, 1, false, RequestState::Open));
        let purposes: Vec<_> = running
            .calls()
            .into_iter()
            .filter_map(|call| call.purpose)
            .collect();
        assert_eq!(
            purposes,
            [
                CallPurpose::List,
                CallPurpose::Create,
                CallPurpose::List,
                CallPurpose::Create
            ]
        );
    }
}

#[tokio::test]
async fn a_forge_that_stays_broken_is_given_up_after_three_tries() {
    for kind in KINDS {
        let mut script = script(kind);
        let mut broken = fault(CallPurpose::Create, ForgeFaultKind::Status(500));
        broken.times = 100;
        script.faults = vec![broken];
        let (running, forge) = stage(script).await;
        let error = forge.offer(&offer()).await.unwrap_err();
        assert!(
            matches!(error, ForgeError::Refused { status: 500, .. }),
            "{error:?}"
        );
        assert_eq!(
            (running.requests().len(), running.count(CallPurpose::Create)),
            (0, 3)
        );
        assert_eq!(running.count(CallPurpose::List), 4);
    }
}

#[tokio::test]
async fn a_page_for_people_after_making_is_followed_by_a_look() {
    for kind in KINDS {
        let mut script = script(kind);
        script.faults = vec![fault(CallPurpose::Create, ForgeFaultKind::Garbage)];
        let (running, forge) = stage(script).await;
        let made = forge.offer(&offer()).await.unwrap();
        assert_eq!((made.number, made.existed), (1, false));
        assert_eq!(
            (running.requests().len(), running.count(CallPurpose::Create)),
            (1, 2)
        );
    }
}

#[tokio::test]
async fn what_the_forge_refuses_is_not_tried_again() {
    for kind in KINDS {
        let (running, forge) = stage(script(kind)).await;
        let mut nameless = offer();
        nameless.title = " ".to_owned();
        let error = forge.offer(&nameless).await.unwrap_err();
        let (status, message) = match kind {
            ForgeKind::GitHub => (422, "Validation Failed; title: missing_field"),
            ForgeKind::GitLab => (400, "title is missing"),
        };
        assert!(
            matches!(&error, ForgeError::Refused { status: s, message: m, .. } if *s == status && m == message),
            "{error:?}"
        );
        assert_eq!(running.count(CallPurpose::Create), 1);
    }
}
