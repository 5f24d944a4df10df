//! Names and what they resolve to: private answers, mixed answers, answers that change.

use std::sync::Arc;

use super::super::client::build;
use super::super::lookup::addresses_of;
use super::super::target::Target;
use super::super::{FetchError, FetchRules, Fetcher};
use super::server::{Reply, Server};
use super::{ScriptedLookup, listing};

const PAGE: &str = "<title>A title</title><p>Some text.</p>";

#[tokio::test]
async fn one_private_address_refuses_the_name() {
    for (answer, refused) in [
        (&["10.0.0.1"][..], "10.0.0.1"),
        (&["127.0.0.1"], "127.0.0.1"),
        (&["::1"], "::1"),
        (&["93.184.216.34", "192.168.0.7"], "192.168.0.7"),
        (&["169.254.169.254", "93.184.216.34"], "169.254.169.254"),
        (&["93.184.216.34", "::ffff:10.0.0.1"], "::ffff:10.0.0.1"),
        (&["2606:4700::1", "64:ff9b::7f00:1"], "64:ff9b::7f00:1"),
    ] {
        let lookup = ScriptedLookup::new(&[answer]);
        let fetcher = Fetcher::with_lookup(FetchRules::default(), lookup);
        match fetcher.fetch("https://good.example/").await {
            Err(FetchError::AddressNotAllowed { host, address, .. }) => {
                assert_eq!(
                    (host.as_str(), address.to_string().as_str()),
                    ("good.example", refused)
                );
            }
            other => panic!("{answer:?} gave {other:?}"),
        }
        assert!(fetcher.client.get().is_none(), "{answer:?}");
    }
}

#[tokio::test]
async fn listing_an_address_does_not_list_names_that_lead_there() {
    let server = Server::always(Reply::page("text/html", PAGE)).await;
    let rules = listing(&[&server.host()]);
    let fetcher = Fetcher::with_lookup(rules, ScriptedLookup::new(&[&["127.0.0.1"]]));
    let url = format!("https://good.example:{}/", server.addr.port());
    let error = fetcher.fetch(&url).await.unwrap_err();
    assert!(matches!(error, FetchError::PortNotAllowed { .. }), "{error:?}");
    assert_eq!(server.requests().len(), 0);
}

#[tokio::test]
async fn public_addresses_are_kept_as_they_were_checked() {
    let lookup = ScriptedLookup::new(&[&["93.184.216.34", "2606:4700::1"], &["127.0.0.1"]]);
    let target = Target::parse(&FetchRules::default(), "https://good.example/").unwrap();
    let addresses = addresses_of(&*lookup, &target).await.unwrap();
    let addresses: Vec<String> = addresses.iter().map(ToString::to_string).collect();
    assert_eq!(addresses, ["93.184.216.34:443", "[2606:4700::1]:443"]);
    assert_eq!(lookup.asked(), ["good.example"]);
}

/// A second look at the name would lead to 127.0.0.2, where nobody listens.
#[tokio::test]
async fn a_name_is_resolved_once_and_the_connection_goes_there() {
    let server = Server::always(Reply::page("text/html", PAGE)).await;
    let host = format!("rebind.example:{}", server.addr.port());
    let lookup = ScriptedLookup::new(&[&["127.0.0.1"], &["127.0.0.2"]]);
    let fetcher = Fetcher::with_lookup(listing(&[&host]), Arc::<ScriptedLookup>::clone(&lookup));
    let page = fetcher.fetch(&format!("http://{host}/")).await.unwrap();
    assert_eq!(page.document.title, "A title");
    assert_eq!(lookup.asked(), ["rebind.example"]);
    let requests = server.requests();
    assert_eq!(requests.len(), 1);
    assert!(
        requests[0].contains(&format!("\r\nhost: {host}\r\n")),
        "{requests:?}"
    );
}

/// No connection is kept: the next fetch of a name looks at its addresses again.
#[tokio::test]
async fn each_fetch_checks_anew() {
    let server = Server::start(|_| {
        let page = format!(
            "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nContent-Length: {}\r\n\r\n{PAGE}",
            PAGE.len()
        );
        Reply::Bytes(page.into_bytes())
    })
    .await;
    let host = format!("again.example:{}", server.addr.port());
    let lookup = ScriptedLookup::new(&[&["127.0.0.1"]]);
    let fetcher = Fetcher::with_lookup(listing(&[&host]), Arc::<ScriptedLookup>::clone(&lookup));
    for _ in 0..3 {
        fetcher.fetch(&format!("http://{host}/")).await.unwrap();
    }
    assert_eq!(lookup.asked(), ["again.example"; 3]);
}

/// The addresses belong to the task that asks, however many ask at once.
#[tokio::test]
async fn fetches_at_the_same_time_do_not_share_addresses() {
    let server = Server::start(|path| Reply::page("text/plain", format!("The page {path}."))).await;
    let port = server.addr.port();
    let hosts: Vec<String> = (0..8).map(|n| format!("host{n}.example:{port}")).collect();
    let listed: Vec<&str> = hosts.iter().map(String::as_str).collect();
    let fetcher = Fetcher::with_lookup(listing(&listed), ScriptedLookup::new(&[&["127.0.0.1"]]));
    let urls: Vec<String> = hosts
        .iter()
        .enumerate()
        .map(|(n, host)| format!("http://{host}/{n}"))
        .collect();
    let pages = futures_util::future::join_all(urls.iter().map(|url| fetcher.fetch(url))).await;
    for (n, page) in pages.into_iter().enumerate() {
        assert_eq!(page.unwrap().document.text, format!("The page /{n}."));
    }
}

#[tokio::test]
async fn a_name_without_addresses_cannot_be_reached() {
    for (lookup, reason) in [
        (ScriptedLookup::new(&[]), "no such name"),
        (ScriptedLookup::new(&[&[]]), "the name has no address"),
    ] {
        let fetcher = Fetcher::with_lookup(FetchRules::default(), lookup);
        let error = fetcher.fetch("https://good.example/").await.unwrap_err();
        let expected = FetchError::Unreachable {
            host: "good.example".to_owned(),
            reason: reason.to_owned(),
        };
        assert_eq!(error, expected);
    }
}

#[tokio::test]
async fn the_operating_system_is_asked_for_listed_names() {
    let server = Server::always(Reply::page("text/html", PAGE)).await;
    let host = format!("localhost:{}", server.addr.port());
    let page = Fetcher::new(listing(&[&host]))
        .fetch(&format!("http://{host}/"))
        .await
        .unwrap();
    assert_eq!(page.url, format!("http://{host}/"));
}

/// The client by itself connects nowhere, not even to a name that every machine knows.
#[tokio::test]
async fn without_checked_addresses_there_is_no_connection() {
    let server = Server::always(Reply::page("text/html", PAGE)).await;
    let url = format!("http://localhost:{}/", server.addr.port());
    let error = build().unwrap().get(url).send().await.unwrap_err();
    assert!(error.is_dns(), "{error:?}");
    assert_eq!(server.requests().len(), 0);
}
