//! The table of URLs: what is asked in the end, or why nothing is.

use std::net::IpAddr;

use gemicro_event::{ErrorKind, Failure};

use super::super::target::Target;
use super::super::{AllowedHost, FetchError, is_url};
use super::{listing, nameless};

/// The normal form of a URL that may be asked, else the error in short.
fn outcome(listed: &[&str], url: &str) -> String {
    match Target::parse(&listing(listed), url) {
        Ok(target) => target.url.to_string(),
        Err(error) => in_short(&error),
    }
}

fn in_short(error: &FetchError) -> String {
    match error {
        FetchError::BadUrl { .. } => "bad url".to_owned(),
        FetchError::SchemeNotAllowed { .. } => "scheme".to_owned(),
        FetchError::PortNotAllowed { port, .. } => format!("port {port}"),
        FetchError::NameNotAllowed { host, .. } => format!("name {host}"),
        FetchError::AddressNotAllowed { address, .. } => format!("address {address}"),
        other => format!("{other:?}"),
    }
}

fn check(listed: &[&str], cases: &[(&str, &str)]) {
    for (url, expected) in cases {
        assert_eq!(outcome(listed, url), *expected, "{url}");
    }
}

#[test]
fn every_way_to_write_an_address_is_seen_through() {
    check(
        &[],
        &[
            ("http://127.0.0.1/", "address 127.0.0.1"),
            ("https://127.0.0.1/", "address 127.0.0.1"),
            ("https://127.0.0.1./", "address 127.0.0.1"),
            ("http://2130706433", "address 127.0.0.1"),
            ("https://0177.0.0.1/", "address 127.0.0.1"),
            ("https://0x7f.1/", "address 127.0.0.1"),
            ("https://0x7f000001/", "address 127.0.0.1"),
            ("https://017700000001/", "address 127.0.0.1"),
            ("https://127.1/", "address 127.0.0.1"),
            ("https://127.0x0.0.01/", "address 127.0.0.1"),
            ("https://%31%32%37.0.0.1/", "address 127.0.0.1"),
            ("https://127%2e0%2e0%2e1/", "address 127.0.0.1"),
            ("https://１２７.0.0.1/", "address 127.0.0.1"),
            ("https://127。0。0。1/", "address 127.0.0.1"),
            ("https://①②⑦.⓪.⓪.①/", "address 127.0.0.1"),
            ("https://1\u{ad}27.0.0.1/", "address 127.0.0.1"),
            ("https://0/", "address 0.0.0.0"),
            ("https://0.0.0.0/", "address 0.0.0.0"),
            ("https://0xa9fea9fe/latest/meta-data", "address 169.254.169.254"),
            ("https://10.0.0.1:443/", "address 10.0.0.1"),
            ("https://[::]/", "address ::"),
            ("https://[::1]/", "address ::1"),
            ("https://[0:0:0:0:0:0:0:1]/", "address ::1"),
            ("https://[::ffff:127.0.0.1]/", "address ::ffff:127.0.0.1"),
            ("https://[::ffff:7f00:1]/", "address ::ffff:127.0.0.1"),
            ("https://[::127.0.0.1]/", "address ::7f00:1"),
            ("https://[64:ff9b::7f00:1]/", "address 64:ff9b::7f00:1"),
            ("https://[fe80::1]/", "address fe80::1"),
            ("https://[fd00:ec2::254]/", "address fd00:ec2::254"),
            ("https://[fe80::1%25eth0]/", "bad url"),
            ("https://256.1.1.1/", "bad url"),
            ("https://1.2.3.4.5/", "bad url"),
            ("https://99999999999/", "bad url"),
            ("https://93.184.216.34/", "https://93.184.216.34/"),
        ],
    );
}

#[test]
fn local_names_and_tricks_are_refused() {
    check(
        &[],
        &[
            ("https://localhost/", "name localhost"),
            ("https://localhost./", "name localhost"),
            ("https://LOCALHOST/", "name localhost"),
            ("https://ⓛocalhost/", "name localhost"),
            ("https://a.b.localhost/", "name a.b.localhost"),
            ("https://localhost.localdomain/", "name localhost.localdomain"),
            ("https://printer.local/", "name printer.local"),
            (
                "https://metadata.google.internal/",
                "name metadata.google.internal",
            ),
            ("https://metadata/", "name metadata"),
            ("https://router.home.arpa/", "name router.home.arpa"),
            ("https://localhost../", "bad url"),
            ("https://a..example/", "bad url"),
            ("https://.example/", "bad url"),
            ("https://good.example@127.0.0.1/", "bad url"),
            ("https://user:secret@good.example/", "bad url"),
            ("https://127.0.0.1@good.example/", "bad url"),
            ("https://@good.example/", "https://good.example/"),
            (
                "https://good.example\\@127.0.0.1/",
                "https://good.example/@127.0.0.1/",
            ),
            ("https:\\\\127.0.0.1\\x", "address 127.0.0.1"),
            ("https:127.0.0.1", "address 127.0.0.1"),
            ("https:///127.0.0.1/", "address 127.0.0.1"),
            ("https://127.0.0.1#@good.example/", "address 127.0.0.1"),
            ("https://127.0.0.1?@good.example/", "address 127.0.0.1"),
            ("https://good.example#@127.0.0.1/", "https://good.example/"),
            (" https://127.0.\t0.1\n/ ", "address 127.0.0.1"),
            ("https://good.example:8443/", "port 8443"),
            ("https://good.example:22/", "port 22"),
            ("https://good.example:0/", "port 0"),
            ("https://good.example:65536/", "bad url"),
            ("https://good.example:80/", "https://good.example:80/"),
            ("http://good.example/", "scheme"),
            ("http://93.184.216.34/", "scheme"),
            ("ftp://good.example/", "scheme"),
            ("file:///etc/passwd", "scheme"),
            ("javascript:alert(1)", "scheme"),
            ("data:text/html,hello", "scheme"),
            ("gopher://127.0.0.1:70/", "scheme"),
            ("", "bad url"),
            ("good.example", "bad url"),
            ("//good.example/", "bad url"),
            ("https://", "bad url"),
            ("https://good example/", "bad url"),
            ("https://good.example/a b#part", "https://good.example/a%20b"),
            ("HTTPS://Good.Example./x", "https://good.example/x"),
            // Letters that only look alike are written out, so nobody takes one name for another.
            ("https://gооd.example/", "https://xn--gd-fmca.example/"),
            ("https://bücher.example/", "https://xn--bcher-kva.example/"),
            ("https://localhоst/", "name xn--localhst-sbh"),
        ],
    );
    let long = format!("https://good.example/{}", "x".repeat(9000));
    assert_eq!(outcome(&[], &long), "bad url");
    let label = format!("https://{}.example/", "x".repeat(64));
    assert_eq!(outcome(&[], &label), "bad url");
}

#[test]
fn a_listed_host_is_that_host_and_port_only() {
    check(
        &[
            "127.0.0.1:8080",
            "intranet.example",
            "[::1]:80",
            "fileserver:9000",
        ],
        &[
            ("http://127.0.0.1:8080/x", "http://127.0.0.1:8080/x"),
            ("http://2130706433:8080/x", "http://127.0.0.1:8080/x"),
            ("https://127.0.0.1:8080/x", "https://127.0.0.1:8080/x"),
            ("http://127.0.0.1:8081/", "address 127.0.0.1"),
            ("http://127.0.0.1/", "address 127.0.0.1"),
            ("http://127.0.0.2:8080/", "address 127.0.0.2"),
            ("http://[::ffff:127.0.0.1]:8080/", "address ::ffff:127.0.0.1"),
            ("http://localhost:8080/", "name localhost"),
            ("http://user@127.0.0.1:8080/", "bad url"),
            ("ftp://127.0.0.1:8080/", "scheme"),
            ("http://intranet.example/", "http://intranet.example/"),
            ("http://intranet.example./", "http://intranet.example/"),
            ("https://intranet.example/", "https://intranet.example/"),
            ("https://intranet.example:8443/", "port 8443"),
            ("http://www.intranet.example/", "scheme"),
            ("http://[::1]/", "http://[::1]/"),
            ("https://[::1]/", "address ::1"),
            ("http://fileserver:9000/", "http://fileserver:9000/"),
            ("http://fileserver/", "name fileserver"),
        ],
    );
}

#[test]
fn hosts_to_list() {
    for (text, expected) in [
        ("127.0.0.1:8080", Some("127.0.0.1:8080")),
        ("0x7f.1:8080", Some("127.0.0.1:8080")),
        ("intranet.example", Some("intranet.example")),
        ("Intranet.Example.", Some("intranet.example")),
        ("bücher.example:80", Some("xn--bcher-kva.example:80")),
        ("[::1]:80", Some("[::1]:80")),
        ("[::1]", Some("[::1]")),
        ("::1", Some("[::1]")),
        ("", None),
        (".", None),
        (":80", None),
        ("host:", None),
        ("host:0", None),
        ("host:+80", None),
        ("host:70000", None),
        ("[::1", None),
        ("*", None),
        ("*.example", None),
        ("http://intranet.example", None),
        ("intranet.example/x", None),
        ("user@intranet.example", None),
    ] {
        let listed = text.parse::<AllowedHost>().ok().map(|host| host.to_string());
        assert_eq!(listed.as_deref(), expected, "{text}");
    }
}

#[test]
fn urls_are_told_from_paths() {
    for url in ["http://x", "https://x", "HTTPS://x", "hTtP://x"] {
        assert!(is_url(url), "{url}");
    }
    for path in [
        "",
        "docs",
        "http:/x",
        "https:x",
        " http://x",
        "ftp://x",
        "http",
        "é://é",
    ] {
        assert!(!is_url(path), "{path}");
    }
}

#[tokio::test]
async fn a_refusal_needs_neither_names_nor_a_client() {
    let fetcher = nameless(listing(&[]));
    for url in [
        "https://127.0.0.1/",
        "https://localhost/",
        "http://good.example/",
        "?",
    ] {
        fetcher.fetch(url).await.unwrap_err();
        assert!(fetcher.client.get().is_none(), "{url}");
    }
}

#[test]
fn errors_say_what_and_where_and_keep_secrets() {
    let message = |url: &str| Target::parse(&listing(&[]), url).unwrap_err().to_string();
    for (url, expected) in [
        (
            "https://0x7f.1/",
            "127.0.0.1 is not allowed: 127.0.0.1 is a loopback address",
        ),
        (
            "https://printer.local/",
            "printer.local is not allowed: names with this ending are local",
        ),
        (
            "https://good.example:22/",
            "port 22 of good.example is not allowed: only 443 and 80 are, unless the user lists it",
        ),
        (
            "http://good.example/",
            "fetching http://good.example/ is not allowed: http is allowed only for hosts that the user lists",
        ),
        (
            "https://user:secret@good.example/",
            "https://good.example/ cannot be fetched: it contains a user name or password",
        ),
        (
            "https://user:secret@[::zz]/",
            "https://[::zz]/ cannot be fetched: invalid IPv6 address",
        ),
        (
            "\u{1b}[31m\u{202e}x",
            "\u{fffd}[31m\u{fffd}x cannot be fetched: relative URL without a base",
        ),
    ] {
        assert_eq!(message(url), expected);
    }
    assert!(message(&"x".repeat(5000)).len() < 400);
}

#[test]
fn every_error_has_its_kind() {
    let (url, host, reason) = (String::new, String::new, String::new);
    let address = IpAddr::from([127, 0, 0, 1]);
    for (error, kind) in [
        (
            FetchError::BadUrl {
                url: url(),
                why: reason(),
            },
            ErrorKind::InvalidInput,
        ),
        (
            FetchError::SchemeNotAllowed { url: url(), why: "" },
            ErrorKind::PermissionDenied,
        ),
        (
            FetchError::PortNotAllowed {
                host: host(),
                port: 1,
            },
            ErrorKind::PermissionDenied,
        ),
        (
            FetchError::NameNotAllowed {
                host: host(),
                why: "",
            },
            ErrorKind::PermissionDenied,
        ),
        (
            FetchError::AddressNotAllowed {
                host: host(),
                address,
                why: "",
            },
            ErrorKind::PermissionDenied,
        ),
        (FetchError::NotFound { url: url() }, ErrorKind::NotFound),
        (
            FetchError::TooManyRedirects { url: url(), limit: 5 },
            ErrorKind::UpstreamError,
        ),
        (FetchError::Empty { url: url() }, ErrorKind::InvalidInput),
        (
            FetchError::Tls {
                host: host(),
                reason: reason(),
            },
            ErrorKind::UpstreamError,
        ),
    ] {
        assert_eq!(Failure::from(error.clone()).kind, kind, "{error:?}");
    }
    let status = |status| Failure::from(FetchError::Status { url: url(), status });
    assert_eq!(status(503).kind, ErrorKind::UpstreamError);
    assert_eq!(status(429).kind, ErrorKind::RateLimited);
    assert_eq!(status(503).detail.unwrap().text(), r#"{"status":503}"#);
}
