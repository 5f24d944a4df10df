//! Tests of the lines: what is read, what is sent, what is printed where.

mod questions;

use std::io::{self, Cursor, Write};
use std::sync::{Arc, Mutex};

use gemicro_chat::{Meter, News, Order, ToolLine, ToolQuestion, ToolState};
use gemicro_event::{ErrorKind, Failure, Usage};
use tokio::sync::mpsc;
use tokio_util::sync::CancellationToken;

use super::assembler::Assembler;
use super::line_writer::LineWriter;
use super::reader::{self, InputLine};
use super::talk::talk;
use crate::args::DataFormat;
use crate::chat::actor::{self, answered_news, opened_news, sent_news};
use crate::command_error::CommandError;
use crate::environment::Environment;
use crate::screen::Screen;

#[derive(Clone, Default)]
struct Written(Arc<Mutex<Vec<u8>>>);

impl Written {
    fn text(&self) -> String {
        String::from_utf8(self.0.lock().unwrap().clone()).unwrap()
    }
}

impl Write for Written {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.lock().unwrap().write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

/// What came of a whole chat.
struct Outcome {
    out: String,
    err: String,
    code: u8,
    orders: Vec<Order>,
}

/// What a chat in lines is like.
struct Setting {
    format: DataFormat,
    verbose: bool,
    has_keyboard: bool,
}

const PIPE: Setting = Setting {
    format: DataFormat::Text,
    verbose: false,
    has_keyboard: false,
};

async fn chat(
    setting: Setting,
    input: &str,
    script: impl FnMut(&Order) -> Vec<News> + Send + 'static,
) -> Outcome {
    let (out, err) = (Written::default(), Written::default());
    let mut screen = Screen::of_process(&Environment::of([("NO_COLOR", "1")]));
    screen.stdin_is_terminal = setting.has_keyboard;
    screen.stdout_is_terminal = false;
    let voice = LineWriter {
        out: Box::new(out.clone()),
        err: Box::new(err.clone()),
        format: setting.format,
        verbose: setting.verbose,
        screen,
    };
    // One line at a time, as somebody types who waits for what is asked.
    let (give, lines) = mpsc::channel(1);
    let all: Vec<InputLine> = lines_of(input.as_bytes());
    tokio::spawn(async move {
        for line in all {
            let _ = give.send(line).await;
            tokio::time::sleep(std::time::Duration::from_secs(1)).await;
        }
    });
    let (ends, actor) = actor::start(vec![opened_news(Vec::new())], script);
    let result = talk(ends, lines, voice, &CancellationToken::new(), || "yab".to_owned()).await;
    let code = match result {
        Ok(()) => 0,
        Err(stopped @ CommandError::AlreadyReported(_)) => stopped.exit_code(),
        Err(other) => panic!("{other:?}"),
    };
    Outcome {
        out: out.text(),
        err: err.text(),
        code,
        orders: actor.await.unwrap(),
    }
}

fn lines_of(input: &[u8]) -> Vec<InputLine> {
    let mut lines = Vec::new();
    let taken = reader::read(Cursor::new(input), |line| {
        lines.push(line);
        true
    });
    taken.unwrap();
    lines
}

/// Answers each message with its own words.
fn echo(order: &Order) -> Vec<News> {
    match order {
        Order::Say(text) => vec![
            sent_news(1, text),
            News::Text("no answer in a pipe".to_owned()),
            answered_news(2, &format!("you said: {text}")),
        ],
        Order::Undo => vec![News::Refused("there is nothing to take back".to_owned())],
        Order::Quit => Vec::new(),
        _ => vec![News::Notice("done".to_owned())],
    }
}

fn say(text: &str) -> Order {
    Order::Say(text.to_owned())
}

#[test]
fn lines_are_read_whole_and_bounded() {
    let words = |text: &str| InputLine::Words(text.to_owned());
    assert_eq!(lines_of(b""), []);
    assert_eq!(lines_of(b"a\r\n\nb"), [words("a"), words(""), words("b")]);
    assert_eq!(
        lines_of(b"a\n\xff\xfe\nb\n"),
        [words("a"), InputLine::NotText, words("b")]
    );
    let mut long = vec![b'x'; (1 << 20) + 1];
    long.extend_from_slice(b"\nb");
    assert_eq!(lines_of(&long), [InputLine::TooLong((1 << 20) + 1), words("b")]);
}

#[test]
fn messages_are_put_together() {
    let assembled = |input: &str| {
        let mut assembler = Assembler::default();
        let mut messages: Vec<_> = lines_of(input.as_bytes())
            .into_iter()
            .filter_map(|line| assembler.line(line))
            .collect();
        messages.extend(assembler.end());
        messages.into_iter().map(|it| it.unwrap()).collect::<Vec<_>>()
    };
    assert_eq!(assembled("one\ntwo\n"), ["one", "two"]);
    assert_eq!(
        assembled("one\\\ntwo\\\nthree\nfour"),
        ["one\ntwo\nthree", "four"]
    );
    assert_eq!(assembled("\"\"\"\na\n\nb\\\n\"\"\"\nc"), ["a\n\nb\\\n", "c"]);
    assert_eq!(assembled("\"\"\"\nnot closed"), ["not closed\n"]);
    assert_eq!(assembled("ends\\"), ["ends\n"]);
    let mut assembler = Assembler::default();
    assert_eq!(assembler.line(InputLine::Words("\"\"\"".to_owned())), None);
    for _ in 0..3 {
        assert_eq!(assembler.line(InputLine::Words("x".repeat(1 << 19))), None);
    }
    let why = assembler
        .line(InputLine::Words("\"\"\"".to_owned()))
        .unwrap()
        .unwrap_err();
    assert!(
        why.starts_with("not sent: the message has 1,572,867 bytes"),
        "{why}"
    );
}

#[tokio::test(start_paused = true)]
async fn answers_go_to_stdout_and_nothing_else_does() {
    let outcome = chat(PIPE, "hello\n\n  \nsee //x\\\nand y\n/cost\n", echo).await;
    assert_eq!(outcome.out, "you said: hello\nyou said: see //x\nand y\n");
    assert_eq!(
        outcome.err,
        "[•] done\nContinue with: gemicro chat c0nversat10n0001\n"
    );
    assert_eq!(outcome.code, 0);
    assert_eq!(
        outcome.orders,
        [say("hello"), say("see //x\nand y"), Order::Cost, Order::Quit]
    );
}

#[tokio::test(start_paused = true)]
async fn what_was_not_taken_gives_the_exit_code() {
    let outcome = chat(PIPE, "/claer\n/undo\nhello\n", echo).await;
    assert_eq!(outcome.out, "you said: hello\n");
    assert_eq!(
        outcome.err,
        "[!] unknown command /claer; did you mean /clear?\n[!] there is nothing to take back\n\
         Continue with: gemicro chat c0nversat10n0001\n"
    );
    assert_eq!(outcome.code, 2);
    assert_eq!(outcome.orders, [Order::Undo, say("hello"), Order::Quit]);
}

#[tokio::test(start_paused = true)]
async fn the_last_failure_gives_the_exit_code() {
    let script = |order: &Order| match order {
        Order::Say(text) if text == "bad" => vec![
            sent_news(1, text),
            News::Failed {
                failure: Failure::new(ErrorKind::UpstreamError, "it broke\x1b[31m"),
                offers_clear: true,
            },
        ],
        order => echo(order),
    };
    let outcome = chat(PIPE, "bad\ngood", script).await;
    assert_eq!(outcome.out, "you said: good\n");
    assert_eq!(
        outcome.err,
        "error: it broke␛[31m\n  hint: try again later; `gemicro show run0000000000001 --raw` has the provider's answer\n  \
         hint: your message stays and is sent with the next one; /undo removes it\n  \
         hint: /clear starts a new conversation, which may be faster; this one is saved\n\
         Continue with: gemicro chat c0nversat10n0001\n"
    );
    assert_eq!(outcome.code, 4);
}

#[tokio::test(start_paused = true)]
async fn every_news_is_one_json_object() {
    let script = |order: &Order| match order {
        Order::Say(text) => vec![
            sent_news(1, text),
            News::Text("a\x1b".to_owned()),
            News::StartedOver,
            News::Tool(ToolLine {
                id: "1".to_owned(),
                text: "ls".to_owned(),
                state: ToolState::Running,
            }),
            News::Question(ToolQuestion {
                key: "q".to_owned(),
                tool: "sh".to_owned(),
                text: "rm".to_owned(),
            }),
            News::Settled { key: "q".to_owned() },
            News::Notice("n".to_owned()),
            News::Warning("w".to_owned()),
            News::Meter(Meter {
                prompt_tokens: 1,
                ..Meter::default()
            }),
            News::Answered {
                turn: actor::turn(2, gemicro_core::history::Author::Assistant, "b"),
                usage: Some(Usage {
                    input_tokens: 3,
                    output_tokens: 4,
                    ..Usage::default()
                }),
                duration_ms: 5,
            },
        ],
        Order::Clear => vec![opened_news(Vec::new())],
        Order::Undo => vec![News::Undone { from: 1 }],
        Order::Sessions => vec![News::Listed(Vec::new())],
        Order::Compact => vec![News::Failed {
            failure: Failure::new(ErrorKind::UpstreamError, "late"),
            offers_clear: false,
        }],
        Order::Cost => vec![News::Refused("no".to_owned())],
        Order::Quit => vec![News::Stopped],
        _ => Vec::new(),
    };
    let setting = Setting {
        format: DataFormat::Json,
        verbose: true,
        has_keyboard: false,
    };
    let outcome = chat(
        setting,
        "hi\n/undo\n/sessions\n/compact\n/cost\n/nonsense\n",
        script,
    )
    .await;
    assert_eq!(outcome.err, "");
    assert_eq!(outcome.code, 2);
    insta::assert_snapshot!("every_news_as_json", outcome.out);
}

#[tokio::test(start_paused = true)]
async fn what_was_used_is_reported_to_those_who_ask() {
    let script = |order: &Order| match order {
        Order::Quit => vec![News::Meter(Meter {
            prompt_tokens: 1_200,
            max_prompt_tokens: 16_000,
            ..Meter::default()
        })],
        order => echo(order),
    };
    let outcome = chat(
        Setting {
            verbose: true,
            ..PIPE
        },
        "hi",
        script,
    )
    .await;
    assert_eq!(
        outcome.err,
        "[•] the parser · gemini · gemini-3.1-pro-preview · 0 turns\n[•] run run0000000000001\n3.2s\nContinue with: gemicro chat c0nversat10n0001\nprompt 1.2k/16k\n"
    );
}

#[tokio::test(start_paused = true)]
async fn whoever_leaves_is_reported_how_to_continue() {
    let left = chat(PIPE, "hi\n/quit", echo).await;
    assert!(
        left.err.contains("Continue with: gemicro chat c0nversat10n0001"),
        "{}",
        left.err
    );
    // Nothing was said: there is nothing to continue.
    let empty = chat(PIPE, "/quit", echo).await;
    assert!(!empty.err.contains("Continue with"), "{}", empty.err);
    // The end of a pipe is the end of a chat, too.
    let piped = chat(PIPE, "hi", echo).await;
    assert_eq!(piped.err, left.err);
}
