//! Tests of what the screen and the lines share.

use gemicro_chat::{Meter, Order};
use gemicro_event::Charge;

use super::message::{self, CheckedText, MAX_BYTES};
use super::slash::{self, TypedLine};
use super::words;

fn order(order: Order) -> TypedLine {
    TypedLine::Order(order)
}

#[test]
fn messages_and_commands_are_read() {
    let text = |text: &str| text.to_owned();
    for (typed, expected) in [
        ("hello", order(Order::Say(text("hello")))),
        (
            "//clear is a command",
            order(Order::Say(text("/clear is a command"))),
        ),
        ("see /clear", order(Order::Say(text("see /clear")))),
        ("/model", order(Order::Model(None))),
        ("/model  claude ", order(Order::Model(Some(text("claude"))))),
        ("/clear", order(Order::Clear)),
        ("/compact", order(Order::Compact)),
        ("/pin", order(Order::Pin(None))),
        ("/pin two\nlines", order(Order::Pin(Some(text("two\nlines"))))),
        ("/undo", order(Order::Undo)),
        ("/export a b.jsonl", order(Order::Export("a b.jsonl".into()))),
        ("/sessions", order(Order::Sessions)),
        ("/open c0nv", order(Order::Open(text("c0nv")))),
        ("/cost", order(Order::Cost)),
        ("/help", TypedLine::Help),
        ("/quit", order(Order::Quit)),
    ] {
        assert_eq!(slash::read(typed), expected, "{typed}");
    }
}

#[test]
fn wrong_commands_are_reported_with_what_to_do() {
    for (typed, expected) in [
        ("/claer", "unknown command /claer; did you mean /clear?"),
        ("/modle x", "unknown command /modle; did you mean /model?"),
        (
            "/usr/bin/env fails",
            "unknown command /usr/bin/env; /help lists the commands. To send it as text, start with //",
        ),
        ("/open", "/open needs ID: switch to another conversation"),
        ("/export  ", "/export needs FILE: write the conversation to FILE"),
        (
            "/clear all",
            "/clear takes no argument; to send this as text, start with //",
        ),
    ] {
        assert_eq!(
            slash::read(typed),
            TypedLine::Wrong(expected.to_owned()),
            "{typed}"
        );
    }
}

#[test]
fn commands_are_completed_as_far_as_is_certain() {
    for (typed, expected) in [
        ("/m", Some("/model ")),
        ("/c", Some("/c")),
        ("/cl", Some("/clear")),
        ("/co", Some("/co")),
        ("/x", None),
        ("//m", None),
        ("m", None),
        ("/model x", None),
    ] {
        assert_eq!(slash::complete(typed).as_deref(), expected, "{typed}");
    }
    let names: Vec<&str> = slash::beginning_with("/co").iter().map(|it| it.name).collect();
    assert_eq!(names, ["/compact", "/cost"]);
}

#[test]
fn a_message_is_checked() {
    assert_eq!(message::check(" \n\t "), CheckedText::Empty);
    assert_eq!(message::check("\n  a \n"), CheckedText::Fine("  a".to_owned()));
    let most = "x".repeat(MAX_BYTES);
    assert_eq!(message::check(&most), CheckedText::Fine(most.clone()));
    assert_eq!(
        message::check(&format!("{most}x")),
        CheckedText::TooLong(
            "not sent: the message has 1,048,577 bytes, at most 1,048,576 are allowed; put it in a file and mention the file"
                .to_owned()
        )
    );
}

#[test]
fn control_characters_are_taken_out_of_a_message_and_reported() {
    for (given, expected, notice) in [
        ("plain\n\ttext", "plain\n\ttext", None),
        ("a\r\nb\rc", "a\nb\nc", None),
        ("a\x1b[31mb\x07", "a[31mb", Some("2 control characters removed")),
        ("a\u{9b}b", "ab", Some("1 control character removed")),
        // Shown with a picture, but sent: right-to-left languages need their marks.
        ("a\u{202e}b", "a\u{202e}b", None),
    ] {
        let (clean, actual) = message::clean(given);
        assert_eq!((clean.as_ref(), actual.as_deref()), (expected, notice));
    }
}

#[test]
fn a_meter_reads_well() {
    let meter = Meter {
        prompt_tokens: 3_130,
        max_prompt_tokens: 16_000,
        is_compressed: true,
        n_compactions: 2,
        spent: Charge {
            tokens: 1_240_000,
            micro_usd: 12_300,
            ..Charge::ZERO
        },
        cached_tokens: 620_000,
    };
    assert_eq!(
        words::meter(&meter).join(" · "),
        "prompt 3.1k/16k ⇣2 · $0.0123 · 1.2M tokens · 50% cached"
    );
    assert_eq!(words::meter(&Meter::default()).join(" · "), "prompt 0/0");
    let numbers = [0, 999, 1_000, 1_049, 9_999, 16_384, 2_000_000, u64::MAX].map(words::short);
    assert_eq!(
        numbers,
        ["0", "999", "1k", "1k", "9.9k", "16k", "2M", "18446744073G"]
    );
}
