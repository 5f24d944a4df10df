//! `gemicro payload`: shows what the pipeline would read from an agent's answer.
//!
//! A plain filter from stdin to stdout: no store, no settings, no network. It shows the fields for later rules but does
//! not enforce those rules.

use std::borrow::Cow;
use std::io::{self, BufRead, Read};

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Subcommand};
use gemicro_pipeline::payload::{
    Nonce, NonceError, PayloadMarks, PayloadReading, PayloadShape, UnknownShape, marks, read,
};
use serde::Deserialize;
use serde_json::{Map, Value, json};

use crate::command_error::CommandError;
use crate::output;

/// The end of `gemicro payload extract --help`.
const AFTER_HELP: &str = "\
Examples:
  gemicro payload extract --role auditor --nonce 4f1c09ab77de2350 < reply.txt
  gemicro payload extract --jsonl < answers.jsonl

It prints one line of JSON with these keys:
  state    ok, missing (there is no result), unparsed (the tagged block is not
           valid JSON), schema_mismatch (wrong keys or values) or ambiguous
           (results contradict each other)
  payload  the result, if the state is ok
  tagged   whether the result is in a block with the nonce

If the result breaks a later rule, it gets a mark:
  \"gate\": \"refuse\"     an APPROVE or PASS that is not tagged
  \"path\": \"refuse\"     the path of the document is not allowed
  \"honesty\": \"refuse\"  a success or PASS whose feedback reports an open problem
  \"backlog\": \"clean\"   a backlog item must be cleaned before it is used

Each line for --jsonl is {\"role\", \"nonce\", \"output\"}; other keys are ignored.

Exit codes:
  0    every answer was read, whatever its state
  2    the input could not be read, or a --jsonl line is invalid (its output
       line says why)";

/// Maximum size of an answer.
const MAX_BYTES: usize = 64 * 1024 * 1024;

/// Arguments of `gemicro payload`.
#[derive(Debug, Args)]
pub(crate) struct PayloadArgs {
    #[command(subcommand)]
    command: PayloadCommand,
}

/// What can be done with payloads.
#[derive(Debug, Subcommand)]
enum PayloadCommand {
    /// Print the payload of an agent's final answer, read from stdin
    #[command(after_help = AFTER_HELP)]
    Extract(ExtractArgs),
}

/// Arguments of `gemicro payload extract`.
#[derive(Debug, Args)]
struct ExtractArgs {
    /// The role of the agent
    #[arg(long, value_parser = roles(), required_unless_present = "jsonl", conflicts_with = "jsonl")]
    role: Option<PayloadShape>,
    /// The nonce of the step, from its prompt
    #[arg(
        long,
        allow_hyphen_values = true,
        required_unless_present = "jsonl",
        conflicts_with = "jsonl"
    )]
    nonce: Option<Nonce>,
    /// Read one answer per line and print one line for each
    #[arg(long)]
    jsonl: bool,
}

/// A line of `--jsonl`.
#[derive(Deserialize)]
struct PayloadLine<'a> {
    #[serde(borrow)]
    role: Cow<'a, str>,
    #[serde(borrow)]
    nonce: Cow<'a, str>,
    output: String,
}

pub(crate) fn run(args: &PayloadArgs) -> Result<(), CommandError> {
    let PayloadCommand::Extract(args) = &args.command;
    let mut input = io::stdin().lock();
    match (args.role, &args.nonce) {
        (Some(role), Some(nonce)) => extract_one(&mut input, role, nonce),
        // Without `--jsonl` both are given.
        _ => extract_lines(&mut input),
    }
}

fn roles() -> impl TypedValueParser<Value = PayloadShape> {
    PossibleValuesParser::new(PayloadShape::ALL.map(PayloadShape::as_str))
        .try_map(|name| name.parse::<PayloadShape>())
}

fn extract_one(input: &mut impl BufRead, role: PayloadShape, nonce: &Nonce) -> Result<(), CommandError> {
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    input.take(limit).read_to_end(&mut bytes).map_err(unread)?;
    if bytes.len() > MAX_BYTES {
        return Err(CommandError::usage(
            "the answer is longer than 64 MiB",
            "pass only the agent's final message, without tool output",
        ));
    }
    // Invalid UTF-8 becomes a character that no verdict contains: it can spoil a payload, never create one.
    let reading = read(&String::from_utf8_lossy(&bytes), role, nonce);
    print_line(&reading_json(&reading))
}

fn extract_lines(input: &mut impl BufRead) -> Result<(), CommandError> {
    let mut n_lines = 0;
    let mut n_bad = 0;
    while let Some(line) = next_line(input).map_err(unread)? {
        n_lines += 1;
        let answer = line.and_then(|bytes| extract_line(&bytes)).unwrap_or_else(|why| {
            n_bad += 1;
            json!({ "error": format!("line {n_lines}: {why}") })
        });
        print_line(&answer)?;
    }
    if n_bad == 0 {
        return Ok(());
    }
    Err(CommandError::usage(
        format!("{n_bad} of {n_lines} lines could not be read"),
        "each line is {\"role\", \"nonce\", \"output\"}; stdout says what is wrong with each bad line",
    ))
}

fn extract_line(bytes: &[u8]) -> Result<Value, String> {
    let text = String::from_utf8_lossy(bytes);
    let line: PayloadLine<'_> = serde_json::from_str(&text).map_err(|error| {
        format!(
            "the line is not an object with role, nonce and output: {}",
            without_line(&error)
        )
    })?;
    let role: PayloadShape = line
        .role
        .parse()
        .map_err(|error: UnknownShape| error.to_string())?;
    let nonce: Nonce = line
        .nonce
        .parse()
        .map_err(|error: NonceError| error.to_string())?;
    Ok(reading_json(&read(&line.output, role, &nonce)))
}

/// An error of one line by its column: the line in the error is always 1.
fn without_line(error: &serde_json::Error) -> String {
    let text = error.to_string();
    let place = format!(" at line {} column {}", error.line(), error.column());
    match text.strip_suffix(&place) {
        Some(reason) => format!("{reason} (column {})", error.column()),
        None => text,
    }
}

/// The next line, without its end; one that is too long is skipped and returned as an error.
fn next_line(input: &mut impl BufRead) -> io::Result<Option<Result<Vec<u8>, String>>> {
    let mut bytes = Vec::new();
    let limit = MAX_BYTES as u64 + 1;
    if input.by_ref().take(limit).read_until(b'\n', &mut bytes)? == 0 {
        return Ok(None);
    }
    if bytes.last() == Some(&b'\n') {
        bytes.pop();
    } else if bytes.len() > MAX_BYTES {
        input.skip_until(b'\n')?;
        return Ok(Some(Err("the line is longer than 64 MiB".to_owned())));
    }
    Ok(Some(Ok(bytes)))
}

fn reading_json(reading: &PayloadReading) -> Value {
    let mut answer = Map::new();
    answer.insert("state".to_owned(), reading.state.as_str().into());
    if let Some(payload) = &reading.payload {
        answer.insert("payload".to_owned(), payload.value().clone());
    }
    answer.insert("tagged".to_owned(), reading.tagged.into());
    let PayloadMarks {
        gate,
        path,
        honesty,
        backlog,
    } = marks(reading);
    for (is_marked, name, word) in [
        (gate, "gate", "refuse"),
        (path, "path", "refuse"),
        (honesty, "honesty", "refuse"),
        (backlog, "backlog", "clean"),
    ] {
        if is_marked {
            answer.insert(name.to_owned(), word.into());
        }
    }
    Value::Object(answer)
}

/// Prints a value on one line, also for readers that treat other characters than the newline as line ends.
fn print_line(value: &Value) -> Result<(), CommandError> {
    let mut line = value.to_string();
    for (sign, escape) in [
        ('\u{85}', "\\u0085"),
        ('\u{2028}', "\\u2028"),
        ('\u{2029}', "\\u2029"),
    ] {
        // In JSON they can only occur inside strings.
        if line.contains(sign) {
            line = line.replace(sign, escape);
        }
    }
    output::print(&format!("{line}\n"))
}

fn unread(error: io::Error) -> CommandError {
    CommandError::usage(
        format!("the answer could not be read: {error}"),
        "pass it on stdin, from a file or a pipe",
    )
}
