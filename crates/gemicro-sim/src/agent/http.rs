//! HTTP requests of a fake agent: one plain-text connection each.

use std::io::{self, Read as _, Write as _};
use std::net::TcpStream;
use std::time::Duration;

use serde_json::json;

use super::files::append_text;
use super::script_stage::ScriptStage;
use super::step::Http;

/// Maximum time for an answer.
const PATIENCE: Duration = Duration::from_secs(60);

/// Sends the requests. Returns the exit code if one of them fails and the script sets one.
pub(super) fn request(stage: &ScriptStage, wanted: &Http) -> io::Result<Option<u8>> {
    let save = wanted.save.as_ref().map(|file| file.fill(stage));
    for number in 0..wanted.times {
        if number > 0 {
            std::thread::sleep(wanted.delay.duration());
        }
        let answer = ask(stage, wanted);
        if let Some(file) = &save {
            let line = match &answer {
                Ok((status, body)) => json!({"status": status, "body": body}),
                Err(error) => json!({"error": error.to_string()}),
            };
            append_text(file, &format!("{line}\n"))?;
        }
        let is_ok = answer.is_ok_and(|(status, _)| (200..300).contains(&status));
        if let (false, Some(code)) = (is_ok, wanted.exit_unless_ok) {
            return Ok(Some(code));
        }
    }
    Ok(None)
}

/// Sends one request; returns status and body.
fn ask(stage: &ScriptStage, wanted: &Http) -> io::Result<(u16, String)> {
    let url = wanted.url.fill(stage);
    let wrong = |what: &str| io::Error::new(io::ErrorKind::InvalidInput, format!("`{url}` {what}"));
    let rest = url
        .strip_prefix("http://")
        .ok_or_else(|| wrong("is not an http:// address"))?;
    let (host, path) = rest.split_once('/').unwrap_or((rest, ""));
    if host.is_empty() {
        return Err(wrong("has no host"));
    }
    let place = match host.rsplit_once(':') {
        Some((_, port)) if port.parse::<u16>().is_ok() => host.to_owned(),
        _ => format!("{host}:80"),
    };
    let body = wanted
        .body
        .as_ref()
        .map(|body| body.fill(stage))
        .unwrap_or_default();
    let default = if wanted.body.is_some() { "POST" } else { "GET" };
    let method = wanted.method.as_deref().unwrap_or(default);
    let mut head = format!(
        "{method} /{path} HTTP/1.1\r\nhost: {host}\r\nconnection: close\r\ncontent-length: {}\r\n",
        body.len()
    );
    for (name, value) in &wanted.headers {
        let value = value.fill(stage).replace(['\r', '\n'], " ");
        head.push_str(&format!("{name}: {value}\r\n"));
    }
    let mut stream = TcpStream::connect(place)?;
    stream.set_read_timeout(Some(PATIENCE))?;
    stream.write_all(format!("{head}\r\n{body}").as_bytes())?;
    let mut answer = Vec::new();
    stream.read_to_end(&mut answer)?;
    let answer = String::from_utf8_lossy(&answer);
    let (head, body) = answer.split_once("\r\n\r\n").unwrap_or((&answer, ""));
    let status = head.split(' ').nth(1).and_then(|status| status.parse().ok());
    let status = status.ok_or_else(|| io::Error::other("the answer is not HTTP"))?;
    Ok((status, join_chunks(head, body)))
}

/// Returns the body, joined if it was sent in chunks.
fn join_chunks(head: &str, body: &str) -> String {
    if !head.to_ascii_lowercase().contains("transfer-encoding: chunked") {
        return body.to_owned();
    }
    let mut whole = String::new();
    let mut rest = body;
    while let Some((size, tail)) = rest.split_once("\r\n") {
        let n_bytes = usize::from_str_radix(size.trim(), 16).unwrap_or(0);
        match tail.get(..n_bytes) {
            Some(piece) if n_bytes > 0 => whole.push_str(piece),
            _ => break,
        }
        rest = tail[n_bytes..].trim_start_matches("\r\n");
    }
    whole
}
