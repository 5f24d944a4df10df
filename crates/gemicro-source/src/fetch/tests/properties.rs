//! No text makes checking panic, and no forbidden address is ever asked, however it is written.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use gemicro_client::address_refusal;
use proptest::prelude::{Strategy, any, prop_oneof, proptest};
use proptest::{collection, sample};
use tokio::runtime::Builder;

use super::super::charset;
use super::super::page::MediaType;
use super::super::target::Target;
use super::super::{AllowedHost, FetchError, FetchRules, is_url};
use super::nameless;

const PIECES: [&str; 32] = [
    "https",
    "http",
    "://",
    ":",
    "/",
    "\\",
    "@",
    "#",
    "?",
    "[",
    "]",
    "::",
    ".",
    "。",
    "%",
    "%2e",
    "%00",
    "0x7f",
    "0177",
    "127.0.0.1",
    "2130706433",
    "ffff:",
    "localhost",
    "good.example",
    "xn--",
    "xn--a",
    "é",
    "\u{202e}",
    "\t",
    " ",
    "65536",
    "443",
];

fn url_text() -> impl Strategy<Value = String> {
    let piece = prop_oneof![
        4 => sample::select(&PIECES[..]).prop_map(str::to_owned),
        1 => any::<char>().prop_map(String::from),
    ];
    collection::vec(piece, 0..16).prop_map(|pieces| pieces.concat())
}

/// Addresses of all kinds, most of them in or near a special block.
fn address() -> impl Strategy<Value = IpAddr> {
    let v4 = prop_oneof![
        any::<u32>(),
        sample::select(
            &[
                0u32,
                0x0a00_0000,
                0x6440_0000,
                0x7f00_0000,
                0xa9fe_0000,
                0xac10_0000,
                0xc0a8_0000
            ][..]
        )
        .prop_flat_map(|base| (0..0xffffu32).prop_map(move |low| base | low)),
    ];
    let v6 = prop_oneof![
        any::<u128>(),
        (
            sample::select(&[0u128, 0xffff, 0x0064_ff9b << 64][..]),
            any::<u32>()
        )
            .prop_map(|(prefix, low)| prefix << 32 | u128::from(low)),
        (
            sample::select(&[0xfc00u128, 0xfe80, 0xff02, 0x2001, 0x2002][..]),
            any::<u64>()
        )
            .prop_map(|(prefix, low)| prefix << 112 | u128::from(low)),
    ];
    prop_oneof![
        v4.prop_map(|bits| IpAddr::V4(Ipv4Addr::from(bits))),
        v6.prop_map(|bits| IpAddr::V6(Ipv6Addr::from(bits))),
    ]
}

/// The ways in which one address can stand in a URL.
fn spellings(address: IpAddr) -> Vec<String> {
    match address {
        IpAddr::V6(address) => vec![
            format!("[{address}]"),
            format!(
                "[{}]",
                address.segments().map(|part| format!("{part:04X}")).join(":")
            ),
        ],
        IpAddr::V4(address) => {
            let [a, b, c, d] = address.octets();
            let bits = u32::from(address);
            vec![
                address.to_string(),
                format!("{address}."),
                format!("{bits}"),
                format!("{bits:#x}"),
                format!("0{bits:o}"),
                format!("0{a:o}.{b:#x}.{c}.0{d:o}"),
                format!("{a}.{}", bits & 0xff_ffff),
                format!("{a}.{b}.{}", bits & 0xffff),
                format!("{a}。{b}。{c}。{d}"),
                address
                    .to_string()
                    .bytes()
                    .map(|byte| format!("%{byte:02x}"))
                    .collect(),
            ]
        }
    }
}

proptest! {
    #[test]
    fn no_text_makes_checking_panic(text in url_text(), other in any::<String>()) {
        let rules = FetchRules::default();
        for text in [&text, &other] {
            let _ = is_url(text);
            let _ = text.parse::<AllowedHost>();
            let _ = MediaType::parse(text);
            charset::named_in(text.as_bytes());
            let base = Target::parse(&rules, "https://good.example/a/b").unwrap();
            for target in [Target::parse(&rules, text), base.follow(&rules, text)].into_iter().flatten() {
                // What passed is https to a public place, and passes again as it is written then.
                assert_eq!(target.url.scheme(), "https");
                assert!([80, 443].contains(&target.port));
                assert!(target.literal().is_none_or(|address| address_refusal(address).is_none()));
                let again = Target::parse(&rules, target.url.as_str()).unwrap();
                assert_eq!(again.url, target.url);
            }
        }
    }

    #[test]
    fn a_forbidden_address_is_refused_without_a_connection(address in address(), path in "[a-z?#/@:]{0,8}") {
        let runtime = Builder::new_current_thread().enable_all().build().unwrap();
        let fetcher = nameless(FetchRules::default());
        for host in spellings(address) {
            for scheme in ["http", "https"] {
                let url = format!("{scheme}://{host}/{path}");
                if let Some(why) = address_refusal(address) {
                    let error = runtime.block_on(fetcher.fetch(&url)).unwrap_err();
                    match error {
                        FetchError::AddressNotAllowed { address: refused, why: said, .. } => {
                            assert_eq!((refused, said), (address, why), "{url}");
                        }
                        other => panic!("{url}: {other:?}"),
                    }
                    assert!(fetcher.client.get().is_none());
                } else if scheme == "https" {
                    let target = Target::parse(&FetchRules::default(), &url).unwrap();
                    assert_eq!(target.literal(), Some(address), "{url}");
                }
            }
        }
    }
}
