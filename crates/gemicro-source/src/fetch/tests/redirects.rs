//! Redirects: each is checked like a URL that somebody typed.

use super::super::target::Target;
use super::super::{FetchError, FetchRules};
use super::server::{Reply, Server};
use super::{listing, nameless};

#[tokio::test]
async fn redirects_are_followed_and_the_last_page_counts() {
    let server = Server::start(|path| match path {
        "/a" => Reply::redirect(301, "b?x=1#part"),
        "/b?x=1" => Reply::redirect(302, "/c/"),
        "/c/" => Reply::redirect(303, "../d"),
        "/d" => Reply::redirect(307, "?e"),
        "/d?e" => Reply::redirect(308, "/end.txt"),
        _ => Reply::page("text/plain", "The end is here."),
    })
    .await;
    let page = nameless(listing(&[&server.host()]))
        .fetch(&server.url("/a#top"))
        .await
        .unwrap();
    assert_eq!(page.asked, server.url("/a#top"));
    assert_eq!(page.url, server.url("/end.txt"));
    assert_eq!(page.document.doc, page.url);
    let requests = server.requests();
    assert_eq!(requests.len(), 6);
    for request in requests {
        let request = request.to_lowercase();
        assert!(
            !request.contains("referer") && !request.contains("cookie"),
            "{request}"
        );
    }
}

#[tokio::test]
async fn a_redirect_to_a_forbidden_place_is_refused() {
    for (location, expected) in [
        ("http://127.0.0.1:1/", "127.0.0.1 is a loopback address"),
        ("https://10.0.0.1/", "10.0.0.1 is a private address"),
        (
            "//169.254.169.254/latest",
            "169.254.169.254 is a cloud metadata address",
        ),
        (
            "http://[::ffff:7f00:1]/",
            "::ffff:127.0.0.1 is an IPv4 address in IPv6 form",
        ),
        ("https://localhost/", "names with this ending are local"),
        (
            "http://good.example/",
            "http is allowed only for hosts that the user lists",
        ),
        (
            "https://user@good.example/",
            "it contains a user name or password",
        ),
        ("file:///etc/passwd", "only https URLs can be fetched"),
        ("https://[/", "invalid IPv6 address"),
    ] {
        let server = Server::always(Reply::redirect(302, location)).await;
        let fetcher = nameless(listing(&[&server.host()]));
        let error = fetcher.fetch(&server.url("/")).await.unwrap_err().to_string();
        assert!(error.ends_with(expected), "{location}: {error}");
        assert_eq!(server.requests().len(), 1);
    }
}

#[tokio::test]
async fn a_loop_ends() {
    let server = Server::always(Reply::redirect(302, "/again")).await;
    let rules = FetchRules {
        max_redirects: 3,
        ..listing(&[&server.host()])
    };
    let error = nameless(rules).fetch(&server.url("/")).await.unwrap_err();
    let expected = FetchError::TooManyRedirects {
        url: server.url("/"),
        limit: 3,
    };
    assert_eq!(error, expected);
    assert_eq!(server.requests().len(), 4);
}

#[tokio::test]
async fn a_redirect_to_nowhere_is_a_status() {
    for reply in [
        Reply::new(302, &[], ""),
        Reply::new(304, &["Location: /x"], ""),
        Reply::new(300, &["Location: /x"], ""),
    ] {
        let server = Server::always(reply).await;
        let error = nameless(listing(&[&server.host()]))
            .fetch(&server.url("/"))
            .await
            .unwrap_err();
        assert!(
            matches!(error, FetchError::Status { status: 300..400, .. }),
            "{error:?}"
        );
    }
}

#[test]
fn https_is_never_left() {
    let rules = listing(&["intranet.example", "other.example"]);
    let follow = |from: &str, location: &str| Target::parse(&rules, from).unwrap().follow(&rules, location);
    for location in ["http://intranet.example/", "http://other.example/x"] {
        let error = follow("https://intranet.example/", location).unwrap_err();
        let expected = FetchError::SchemeNotAllowed {
            url: location.to_owned(),
            why: "a redirect from https to http is not followed",
        };
        assert_eq!(error, expected);
    }
    for (from, location, expected) in [
        (
            "http://intranet.example/",
            "http://other.example/",
            "http://other.example/",
        ),
        (
            "http://intranet.example/",
            "https://good.example/",
            "https://good.example/",
        ),
        (
            "https://good.example/a/b",
            "//other.example/c",
            "https://other.example/c",
        ),
        ("https://good.example/a/b", "../c#d", "https://good.example/c"),
    ] {
        assert_eq!(follow(from, location).unwrap().url.as_str(), expected);
    }
}
