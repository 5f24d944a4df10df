//! Which IP addresses are refused: [`address_refusal`].
//!
//! Refuses everything that is not a public unicast address, by the IANA special-purpose registries, and the metadata
//! services of the usual clouds. An IPv6 address that wraps an IPv4 address is always refused, except for NAT64: on a
//! network without IPv4 every IPv4 site has such an address.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

/// Network, prefix length and description. The first match gives the reason.
const V4: [(Ipv4Addr, u32, &str); 20] = [
    (Ipv4Addr::new(169, 254, 169, 254), 32, METADATA),
    (Ipv4Addr::new(100, 100, 100, 200), 32, METADATA),
    (Ipv4Addr::new(192, 0, 0, 192), 32, METADATA),
    // Azure's metadata service, on an address that looks public.
    (Ipv4Addr::new(168, 63, 129, 16), 32, METADATA),
    (Ipv4Addr::new(0, 0, 0, 0), 8, "an unspecified address"),
    (Ipv4Addr::new(10, 0, 0, 0), 8, PRIVATE),
    (Ipv4Addr::new(100, 64, 0, 0), 10, "a carrier's shared address"),
    (Ipv4Addr::new(127, 0, 0, 0), 8, LOOPBACK),
    (Ipv4Addr::new(169, 254, 0, 0), 16, LINK_LOCAL),
    (Ipv4Addr::new(172, 16, 0, 0), 12, PRIVATE),
    (Ipv4Addr::new(192, 0, 0, 0), 24, RESERVED),
    (Ipv4Addr::new(192, 0, 2, 0), 24, DOCUMENTATION),
    (Ipv4Addr::new(192, 88, 99, 0), 24, RESERVED),
    (Ipv4Addr::new(192, 168, 0, 0), 16, PRIVATE),
    (Ipv4Addr::new(198, 18, 0, 0), 15, "a benchmark address"),
    (Ipv4Addr::new(198, 51, 100, 0), 24, DOCUMENTATION),
    (Ipv4Addr::new(203, 0, 113, 0), 24, DOCUMENTATION),
    (Ipv4Addr::new(224, 0, 0, 0), 4, MULTICAST),
    (Ipv4Addr::BROADCAST, 32, "the broadcast address"),
    (Ipv4Addr::new(240, 0, 0, 0), 4, RESERVED),
];

const V6: [(Ipv6Addr, u32, &str); 16] = [
    (Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254), 128, METADATA),
    (Ipv6Addr::UNSPECIFIED, 128, "an unspecified address"),
    (Ipv6Addr::LOCALHOST, 128, LOOPBACK),
    (
        Ipv6Addr::new(0, 0, 0, 0, 0, 0xffff, 0, 0),
        96,
        "an IPv4 address in IPv6 form",
    ),
    (Ipv6Addr::UNSPECIFIED, 96, "an IPv4 address in IPv6 form"),
    (Ipv6Addr::new(0xfc00, 0, 0, 0, 0, 0, 0, 0), 7, PRIVATE),
    (Ipv6Addr::new(0xfe80, 0, 0, 0, 0, 0, 0, 0), 10, LINK_LOCAL),
    (Ipv6Addr::new(0xfec0, 0, 0, 0, 0, 0, 0, 0), 10, PRIVATE),
    (Ipv6Addr::new(0xff00, 0, 0, 0, 0, 0, 0, 0), 8, MULTICAST),
    (
        Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0),
        32,
        "a Teredo tunnel address",
    ),
    (
        Ipv6Addr::new(0x2001, 2, 0, 0, 0, 0, 0, 0),
        48,
        "a benchmark address",
    ),
    (Ipv6Addr::new(0x2001, 0, 0, 0, 0, 0, 0, 0), 23, RESERVED),
    (Ipv6Addr::new(0x2001, 0xdb8, 0, 0, 0, 0, 0, 0), 32, DOCUMENTATION),
    (
        Ipv6Addr::new(0x2002, 0, 0, 0, 0, 0, 0, 0),
        16,
        "a 6to4 tunnel address",
    ),
    (Ipv6Addr::new(0x3fff, 0, 0, 0, 0, 0, 0, 0), 20, DOCUMENTATION),
    // The local-use NAT64 prefix reaches private services of the network's owner.
    (Ipv6Addr::new(0x64, 0xff9b, 1, 0, 0, 0, 0, 0), 48, PRIVATE),
];

const METADATA: &str = "a cloud metadata address";
const LOOPBACK: &str = "a loopback address";
const PRIVATE: &str = "a private address";
const LINK_LOCAL: &str = "a link-local address";
const MULTICAST: &str = "a multicast address";
const DOCUMENTATION: &str = "a documentation address";
const RESERVED: &str = "a reserved address";

/// The well-known NAT64 prefix of 96 bits.
const NAT64: Ipv6Addr = Ipv6Addr::new(0x64, 0xff9b, 0, 0, 0, 0, 0, 0);
/// The only block that public IPv6 addresses are given from, 3 bits long.
const GLOBAL_V6: Ipv6Addr = Ipv6Addr::new(0x2000, 0, 0, 0, 0, 0, 0, 0);

/// Describes an address that an untrusted URL must not lead to; `None` for a public one.
#[must_use]
pub fn address_refusal(address: IpAddr) -> Option<&'static str> {
    match address {
        IpAddr::V4(address) => refusal_v4(address),
        IpAddr::V6(address) => refusal_v6(address),
    }
}

fn refusal_v4(address: Ipv4Addr) -> Option<&'static str> {
    let in_network = |network: Ipv4Addr, n_bits: u32| {
        let host_bits = 32 - n_bits;
        u32::from(address) >> host_bits == u32::from(network) >> host_bits
    };
    V4.iter()
        .find(|(network, n_bits, _)| in_network(*network, *n_bits))
        .map(|(_, _, what)| *what)
}

fn refusal_v6(address: Ipv6Addr) -> Option<&'static str> {
    let in_network = |network: Ipv6Addr, n_bits: u32| {
        let host_bits = 128 - n_bits;
        u128::from(address) >> host_bits == u128::from(network) >> host_bits
    };
    if in_network(NAT64, 96) {
        let [.., a, b, c, d] = address.octets();
        return refusal_v4(Ipv4Addr::new(a, b, c, d));
    }
    let listed = V6
        .iter()
        .find(|(network, n_bits, _)| in_network(*network, *n_bits));
    match listed {
        Some((_, _, what)) => Some(what),
        None if in_network(GLOBAL_V6, 3) => None,
        None => Some(RESERVED),
    }
}
