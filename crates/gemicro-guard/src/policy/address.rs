//! Addresses that a fetching tool must not reach: this machine, its network, cloud metadata.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use super::decision::Denial;
use super::rule::PolicyRule;

/// Refuses a URL that is not plain HTTP(S) to a public host.
pub(super) fn public(url: &str) -> Result<(), Denial> {
    let deny = |hint: &str| Denial::new(PolicyRule::Address, url, hint);
    let lower = url.trim().to_ascii_lowercase();
    let rest = lower
        .strip_prefix("https://")
        .or_else(|| lower.strip_prefix("http://"))
        .ok_or_else(|| deny("only http and https addresses can be fetched"))?;
    let authority = rest.split(['/', '?', '#', '\\']).next().unwrap_or_default();
    if authority.contains(['@', '%']) || authority.chars().any(|c| c.is_control() || c.is_whitespace()) {
        return Err(deny("write the address plainly, without user name or escapes"));
    }
    let host = host_of(authority);
    if is_public(host) {
        Ok(())
    } else {
        Err(deny("only public addresses can be fetched"))
    }
}

/// Every URL inside free text: some fetching tools take their URLs in a `prompt`.
pub(super) fn in_text(text: &str) -> Vec<&str> {
    let ends = |c: char| c.is_whitespace() || matches!(c, '"' | '\'' | '<' | '>' | ')' | ']' | '`');
    text.match_indices("://")
        .map(|(at, _)| {
            let start = text[..at]
                .rfind(|c: char| !c.is_ascii_alphanumeric())
                .map_or(0, |idx| {
                    idx + text[idx..].chars().next().map_or(1, char::len_utf8)
                });
            let end = text[at..].find(ends).map_or(text.len(), |idx| at + idx);
            &text[start..end]
        })
        .collect()
}

fn host_of(authority: &str) -> &str {
    match authority.strip_prefix('[') {
        Some(v6) => v6.split(']').next().unwrap_or_default(),
        None => authority.split(':').next().unwrap_or_default(),
    }
}

fn is_public(host: &str) -> bool {
    let host = host.trim_end_matches('.');
    if let Ok(address) = host.parse::<IpAddr>() {
        return is_public_ip(address);
    }
    if let Some(address) = old_notation(host) {
        return is_public_ip(IpAddr::V4(address));
    }
    let private_suffix = [
        "localhost",
        "local",
        "internal",
        "intranet",
        "lan",
        "home",
        "corp",
        "localdomain",
    ]
    .iter()
    .any(|suffix| host == *suffix || host.ends_with(&format!(".{suffix}")));
    let plain = host.is_ascii() && host.contains('.') && !host.contains("..");
    // Names that only wrap an address, like 127.0.0.1.nip.io.
    let wraps = ["nip.io", "sslip.io", "xip.io", "localtest.me", "lvh.me"]
        .iter()
        .any(|suffix| host.ends_with(suffix));
    plain && !private_suffix && !wraps
}

/// `2130706433`, `0x7f.1`, `0177.0.0.1`: forms that the C library still accepts as addresses.
fn old_notation(host: &str) -> Option<Ipv4Addr> {
    let parts: Vec<u64> = host.split('.').map(number).collect::<Option<_>>()?;
    let (last, first) = parts.split_last()?;
    if first.len() > 3 || first.iter().any(|part| *part > 255) {
        return Some(Ipv4Addr::UNSPECIFIED);
    }
    let high = first
        .iter()
        .enumerate()
        .fold(0, |sum, (idx, part)| sum | part << (24 - 8 * idx));
    Some(Ipv4Addr::from(u32::try_from(high | last).unwrap_or_default()))
}

fn number(text: &str) -> Option<u64> {
    match text.strip_prefix("0x") {
        Some("") => Some(0),
        Some(hex) => u64::from_str_radix(hex, 16).ok(),
        None if text.len() > 1 && text.starts_with('0') => u64::from_str_radix(text, 8).ok(),
        None => text.parse().ok(),
    }
}

fn is_public_ip(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(v4) => is_public_v4(v4),
        IpAddr::V6(v6) => is_public_v6(v6),
    }
}

fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let shared = a == 100 && (64..128).contains(&b);
    let special = a == 0 || a >= 224 || (a == 192 && b == 0 && c == 0) || (a == 198 && (b == 18 || b == 19));
    !(address.is_private() || address.is_loopback() || address.is_link_local() || shared || special)
}

fn is_public_v6(address: Ipv6Addr) -> bool {
    let embedded = address.to_ipv4_mapped().or_else(|| {
        let s = address.segments();
        let translated = s[0] == 0x64 && s[1] == 0xff9b;
        let [a, b] = s[6].to_be_bytes();
        let [c, d] = s[7].to_be_bytes();
        translated.then(|| Ipv4Addr::new(a, b, c, d))
    });
    match embedded {
        Some(v4) => is_public_v4(v4),
        // Only 2000::/3 is public; in it, 6to4 and Teredo wrap other addresses.
        None => {
            let first = address.segments()[0];
            (0x2000..0x4000).contains(&first)
                && first != 0x2002
                && !(first == 0x2001 && address.segments()[1] == 0)
        }
    }
}
