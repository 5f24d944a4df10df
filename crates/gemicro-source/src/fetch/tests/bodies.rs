//! What servers send: pages, other things, too much, too slowly, and garbage.

use std::time::Duration;

use gemicro_core::corpus::Document;

use super::super::{FetchError, FetchRules, FetchedPage};
use super::server::{Reply, Server};
use super::{listing, nameless};

const HTML: &str = "text/html; charset=utf-8";

async fn fetch(path: &str, reply: Reply) -> Result<FetchedPage, FetchError> {
    let server = Server::always(reply).await;
    nameless(listing(&[&server.host()]))
        .fetch(&server.url(path))
        .await
}

fn blocks_of(document: &Document) -> Vec<&str> {
    let blocks = document.blocks.iter();
    blocks.map(|block| &document.text[block.range.clone()]).collect()
}

#[tokio::test]
async fn a_page_becomes_a_document() {
    let body = "<!doctype html><html><head><title> A  title </title>\
        <meta name=date content=2031-05-04><style>.x{display:none}</style></head>\
        <body><h1>Heading</h1><p>Seen\u{200b} text.</p><p hidden>evil one</p><div class=x>evil two</div>\
        <!-- evil three --><script>evil()</script><p>More.</p></body></html>";
    let server = Server::always(Reply::page(HTML, body)).await;
    let fetcher = nameless(listing(&[&server.host()]));
    let page = fetcher.fetch(&server.url("/x/page?q=1#part")).await.unwrap();
    assert_eq!(page.url, server.url("/x/page?q=1"));
    assert_eq!(page.asked, server.url("/x/page?q=1#part"));
    assert_eq!(page.document.doc, page.url);
    assert_eq!(page.document.title, "A title");
    assert_eq!(page.document.date.as_deref(), Some("2031-05-04"));
    assert_eq!(blocks_of(&page.document), ["Heading", "Seen text.", "More."]);
    assert_eq!(page.n_bytes, body.len() as u64);
    assert_eq!(page.content_type, "text/html");
    assert_eq!(page.sha256.len(), 64);
    let version = env!("CARGO_PKG_VERSION");
    let expected = format!(
        "GET /x/page?q=1 HTTP/1.1\r\naccept: text/html, text/plain, text/markdown, application/xhtml+xml, \
         application/json\r\naccept-encoding: identity\r\nuser-agent: gemicro/{version}\r\nhost: {}\r\n\r\n",
        server.host()
    );
    let mut sent: Vec<String> = server.requests()[0].lines().map(str::to_owned).collect();
    let mut wanted: Vec<String> = expected.lines().map(str::to_owned).collect();
    sent.sort();
    wanted.sort();
    assert_eq!(sent, wanted);
}

#[tokio::test]
async fn the_type_and_the_name_choose_the_parser() {
    for (content_type, path, body, expected) in [
        (
            "text/markdown",
            "/x",
            "# One\n\ntwo <!-- evil -->",
            &["One", "two"][..],
        ),
        (
            "text/plain",
            "/README.md",
            "# One\n\ntwo <!-- evil -->",
            &["One", "two"],
        ),
        ("text/plain", "/x", "One\n\nTwo three.", &["One", "Two three."]),
        ("TEXT/PLAIN ; x=y", "/a.csv?b.md", "a,b\n1,2", &["a,b", "1,2"]),
        (
            "application/json",
            "/x",
            "{\"a\": 1,\n\"b\": 2}",
            &["{\"a\": 1,", "\"b\": 2}"],
        ),
        ("application/xhtml+xml", "/x.txt", "<p>One</p>", &["One"]),
    ] {
        let page = fetch(path, Reply::page(content_type, body)).await.unwrap();
        assert_eq!(blocks_of(&page.document), expected, "{content_type} {path}");
    }
}

#[tokio::test]
async fn a_page_without_a_title_is_called_by_its_place() {
    for (path, expected) in [
        ("/", "127.0.0.1"),
        ("/a/b/", "b"),
        ("/a/notes.html?x=/y", "notes.html"),
    ] {
        let page = fetch(path, Reply::page(HTML, "<p>One.</p>")).await.unwrap();
        assert_eq!(page.document.title, expected, "{path}");
    }
}

#[tokio::test]
async fn encodings_come_from_the_header_the_page_or_the_bytes() {
    for (content_type, body, expected) in [
        ("text/html; charset=utf-8", "<p>Größe</p>".as_bytes(), "Größe"),
        ("text/html", "<p>Größe</p>".as_bytes(), "Größe"),
        ("text/html; charset=\"ISO-8859-1\"", b"<p>Gr\xf6\xdfe</p>", "Größe"),
        // Labels that are wrong or unknown.
        ("text/html; charset=utf-8", b"<p>Gr\xf6\xdfe</p>", "Größe"),
        ("text/html; charset=iso-8859-1", "<p>Größe</p>".as_bytes(), "Größe"),
        ("text/html; charset=klingon", "<p>Größe</p>".as_bytes(), "Größe"),
        ("text/html; charset=iso-2022-kr", b"<p>plain</p>", "plain"),
        ("text/html; charset=shift_jis", b"<p>d\xfd \xfdd \xfd</p>", "dý ýd ý"),
        ("text/html; charset=utf-16", b"<p>odd</p>\n", "odd"),
        // Labels that matter.
        ("text/plain; charset=koi8-r", b"\xd0\xd2\xc9\xd7\xc5\xd4", "привет"),
        ("text/html; charset=Shift_JIS", b"<p>\x93\xfa\x96\x7b</p>", "日本"),
        ("text/html", b"<meta charset='shift_jis'><p>\x93\xfa\x96\x7b</p>", "日本"),
        (
            "text/html",
            b"<meta http-equiv=Content-Type content=\"text/html; charset = Shift_JIS\"><p>\x93\xfa\x96\x7b</p>",
            "日本",
        ),
        (
            "application/xhtml+xml",
            b"<?xml version='1.0' encoding='Shift_JIS'?><p>\x93\xfa\x96\x7b</p>",
            "日本",
        ),
        (
            "text/html; charset=koi8-r",
            b"<meta charset=shift_jis><p>\xd0\xd2\xc9\xd7\xc5\xd4</p>",
            "привет",
        ),
        ("text/html", b"<meta charset=utf-16><p>plain</p>", "plain"),
        // A byte order mark is worth more than a label.
        ("text/html; charset=koi8-r", b"\xef\xbb\xbf<p>Gr\xc3\xb6\xc3\x9fe</p>", "Größe"),
        ("text/plain; charset=utf-16le", b"G\0r\0\xf6\0\xdf\0e\0", "Größe"),
    ] {
        let body_text = String::from_utf8_lossy(body);
        let page = fetch("/", Reply::page(content_type, body)).await.unwrap();
        assert_eq!(blocks_of(&page.document), [expected], "{content_type}: {body_text}");
    }
}

#[tokio::test]
async fn what_is_no_text_is_refused() {
    for (reply, expected) in [
        (Reply::page("application/pdf", "%PDF-1.7"), "application/pdf"),
        (Reply::page("image/png", "x"), "image/png"),
        (
            Reply::page("application/octet-stream", "x"),
            "application/octet-stream",
        ),
        (Reply::page("text/html-not", "x"), "text/html-not"),
        (Reply::new(200, &[], "x"), "of unknown type"),
        (Reply::page(HTML, "%PDF-1.7 ..."), "a PDF sent as text/html"),
        (
            Reply::page(HTML, b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR"),
            "binary data sent as text/html",
        ),
        (
            Reply::page("text/plain; charset=shift_jis", b"\0\x01\x02\x03"),
            "binary data sent as text/plain",
        ),
        (
            Reply::new(
                200,
                &["Content-Type: text/html", "Content-Encoding: gzip"],
                b"\x1f\x8b\x08",
            ),
            "text/html compressed with gzip",
        ),
    ] {
        match fetch("/x", reply).await {
            Err(FetchError::NotText { content_type, .. }) => assert_eq!(content_type, expected),
            other => panic!("{expected}: {other:?}"),
        }
    }
    let error = fetch("/x", Reply::page("application/pdf", "%PDF-1.7"))
        .await
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("only HTML, plain text, Markdown and JSON pages are supported"),
        "{error}"
    );
    let page = Reply::new(
        200,
        &["Content-Type: text/html", "Content-Encoding: identity"],
        "<p>x</p>",
    );
    fetch("/x", page).await.unwrap();
}

#[tokio::test]
async fn a_page_without_visible_text_is_an_error() {
    for body in [
        "",
        " \n ",
        "<html><title>App</title><div id=root></div><script>x()</script>",
        "<p hidden>evil</p>",
    ] {
        let outcome = fetch("/", Reply::page(HTML, body)).await;
        assert!(
            matches!(outcome, Err(FetchError::Empty { .. })),
            "{body}: {outcome:?}"
        );
    }
}

#[tokio::test]
async fn a_status_without_a_page_is_an_error() {
    for status in [404, 410] {
        let outcome = fetch(
            "/",
            Reply::new(status, &["Content-Type: text/html"], "<p>gone</p>"),
        )
        .await;
        assert!(
            matches!(outcome, Err(FetchError::NotFound { .. })),
            "{status}: {outcome:?}"
        );
    }
    for wanted in [201, 204, 400, 401, 403, 429, 500, 503] {
        match fetch("/", Reply::new(wanted, &["Content-Type: text/html"], "")).await {
            Err(FetchError::Status { status, .. }) => assert_eq!(status, wanted),
            other => panic!("{wanted}: {other:?}"),
        }
    }
}

#[tokio::test]
async fn a_body_over_the_limit_is_an_error() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
    let lying = format!("{head}Content-Length: 99999999999\r\n\r\nshort");
    let unlimited = format!("{head}\r\n");
    let chunked = format!("{head}Transfer-Encoding: chunked\r\n\r\n");
    for reply in [
        Reply::Bytes(lying.into_bytes()),
        Reply::Endless(unlimited.into_bytes(), vec![b'x'; 4096], Duration::ZERO),
        Reply::Endless(
            chunked.into_bytes(),
            b"10\r\n0123456789abcdef\r\n".repeat(256),
            Duration::ZERO,
        ),
        Reply::page("text/plain", "x".repeat(65537)),
    ] {
        let server = Server::always(reply).await;
        let rules = FetchRules {
            max_bytes: 65536,
            ..listing(&[&server.host()])
        };
        let outcome = nameless(rules).fetch(&server.url("/")).await;
        assert!(
            matches!(outcome, Err(FetchError::TooLarge { limit: 65536, .. })),
            "{outcome:?}"
        );
    }
    let server = Server::always(Reply::page("text/plain", "x".repeat(65536))).await;
    let rules = FetchRules {
        max_bytes: 65536,
        ..listing(&[&server.host()])
    };
    assert_eq!(
        nameless(rules).fetch(&server.url("/")).await.unwrap().n_bytes,
        65536
    );
}

#[tokio::test]
async fn one_limit_ends_everything_slow() {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\n";
    let pause = Duration::from_millis(20);
    for reply in [
        Reply::Silence,
        Reply::Endless(b"HTTP/1.1 200 OK\r\n".to_vec(), b"X".to_vec(), pause),
        Reply::Endless(format!("{head}\r\n").into_bytes(), b"x".to_vec(), pause),
        Reply::Endless(
            format!("{head}Content-Length: 9999\r\n\r\n").into_bytes(),
            Vec::new(),
            pause,
        ),
    ] {
        let server = Server::always(reply).await;
        let rules = FetchRules {
            timeout: Duration::from_millis(250),
            ..listing(&[&server.host()])
        };
        let outcome = nameless(rules).fetch(&server.url("/")).await;
        assert!(matches!(outcome, Err(FetchError::Timeout { .. })), "{outcome:?}");
    }
}

#[tokio::test]
async fn garbage_is_a_broken_answer() {
    let cut_short = b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 100\r\n\r\nhalf";
    let bad_chunks =
        b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\nx";
    let two_lengths = b"HTTP/1.1 200 OK\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nxx";
    for bytes in [
        &b""[..],
        b"hello there\r\n\r\n",
        b"SSH-2.0-OpenSSH_9.6\r\n",
        b"\x00\xff\x13\x37",
        b"HTTP/1.1 999999 ?\r\n\r\n",
        cut_short,
        bad_chunks,
        two_lengths,
    ] {
        let outcome = fetch("/", Reply::Bytes(bytes.to_vec())).await;
        assert!(
            matches!(outcome, Err(FetchError::BadAnswer { .. })),
            "{outcome:?}"
        );
    }
    let endless_head = Reply::Endless(
        b"HTTP/1.1 200 OK\r\n".to_vec(),
        b"X-A: b\r\n".repeat(512),
        Duration::ZERO,
    );
    let outcome = fetch("/", endless_head).await;
    assert!(
        matches!(outcome, Err(FetchError::BadAnswer { .. })),
        "{outcome:?}"
    );
}

#[tokio::test]
async fn a_connection_that_fails_says_how() {
    let server = Server::always(Reply::page(HTML, "<p>plain</p>")).await;
    let fetcher = nameless(listing(&[&server.host()]));
    let outcome = fetcher.fetch(&format!("https://{}/", server.host())).await;
    assert!(matches!(outcome, Err(FetchError::Tls { .. })), "{outcome:?}");
    let closed = {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").unwrap();
        listener.local_addr().unwrap().to_string()
    };
    let outcome = nameless(listing(&[&closed]))
        .fetch(&format!("http://{closed}/"))
        .await;
    assert!(
        matches!(outcome, Err(FetchError::Unreachable { .. })),
        "{outcome:?}"
    );
}

/// One tag with more attributes than the parser can take in a minute. The test's runtime ends only when the
/// parser's thread has ended.
#[tokio::test]
async fn a_page_that_is_slow_to_parse_is_given_up() {
    let attributes: String = (0..250_000).map(|n| format!(" a{n:x}")).collect();
    let server = Server::always(Reply::page(HTML, format!("<p{attributes}>x</p>"))).await;
    let rules = FetchRules {
        timeout: Duration::from_secs(1),
        ..listing(&[&server.host()])
    };
    let outcome = nameless(rules).fetch(&server.url("/")).await;
    assert!(matches!(outcome, Err(FetchError::Timeout { .. })), "{outcome:?}");
}
