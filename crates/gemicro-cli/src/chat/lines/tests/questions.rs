//! Questions about tools: asked at a keyboard, refused elsewhere.

use gemicro_chat::{News, Order, ToolLine, ToolQuestion, ToolState};

use super::{PIPE, Setting, chat, say};
use crate::chat::actor::{answered_news, sent_news};

fn with_question(order: &Order) -> Vec<News> {
    match order {
        Order::Say(text) => vec![
            sent_news(1, text),
            News::Question(ToolQuestion {
                key: "q1".to_owned(),
                tool: "shell".to_owned(),
                text: "rm -r build".to_owned(),
            }),
        ],
        Order::Answer { key, allow } => {
            let state = if *allow {
                ToolState::Done
            } else {
                ToolState::Denied
            };
            let (id, text) = ("1".to_owned(), "rm -r build".to_owned());
            vec![
                News::Settled { key: key.clone() },
                News::Tool(ToolLine { id, text, state }),
                answered_news(2, "ok"),
            ]
        }
        _ => Vec::new(),
    }
}

#[tokio::test(start_paused = true)]
async fn questions_are_refused_where_no_one_can_be_asked() {
    let outcome = chat(PIPE, "clean up\ny\n", with_question).await;
    assert_eq!(
        outcome.err.lines().take(2).collect::<Vec<_>>(),
        [
            "[!] shell was denied: it needs your approval, and there is no terminal to ask on",
            "  ⊘ rm -r build (denied)"
        ]
    );
    let refused = Order::Answer {
        key: "q1".to_owned(),
        allow: false,
    };
    assert_eq!(outcome.orders[..3], [say("clean up"), refused, say("y")]);
}

#[tokio::test(start_paused = true)]
async fn questions_are_asked_at_a_keyboard_and_only_yes_allows() {
    for (typed, allow) in [
        ("yab", true),
        (" yab ", true),
        ("", false),
        ("n", false),
        ("no", false),
    ] {
        let setting = Setting {
            has_keyboard: true,
            ..PIPE
        };
        let outcome = chat(setting, &format!("clean up\n{typed}\n"), with_question).await;
        let answer = Order::Answer {
            key: "q1".to_owned(),
            allow,
        };
        assert_eq!(outcome.orders, [say("clean up"), answer, Order::Quit], "{typed}");
        assert!(
            outcome
                .err
                .contains("[?] May shell do this?\n    rm -r build\ntype yab to allow, n to deny: "),
            "{}",
            outcome.err
        );
    }
    // What was typed before the question answers nothing: it is the next message.
    let setting = Setting {
        has_keyboard: true,
        ..PIPE
    };
    let outcome = chat(setting, "clean up\ny\nyes\nn\n", with_question).await;
    let refused = Order::Answer {
        key: "q1".to_owned(),
        allow: false,
    };
    assert_eq!(outcome.orders[..3], [say("clean up"), refused, say("y")]);
    // The input ends without an answer.
    let setting = Setting {
        has_keyboard: true,
        ..PIPE
    };
    let outcome = chat(setting, "clean up", with_question).await;
    let answer = Order::Answer {
        key: "q1".to_owned(),
        allow: false,
    };
    assert_eq!(outcome.orders, [say("clean up"), answer, Order::Quit]);
}
