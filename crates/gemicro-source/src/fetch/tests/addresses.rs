//! The table of IP addresses.

use std::net::IpAddr;

use gemicro_client::address_refusal;

#[test]
fn addresses_that_are_not_public_are_refused() {
    for (address, what) in [
        ("0.0.0.0", "an unspecified address"),
        ("0.1.2.3", "an unspecified address"),
        ("10.0.0.1", "a private address"),
        ("10.255.255.255", "a private address"),
        ("100.64.0.1", "a carrier's shared address"),
        ("100.127.255.255", "a carrier's shared address"),
        ("100.100.100.200", "a cloud metadata address"),
        ("127.0.0.1", "a loopback address"),
        ("127.255.255.254", "a loopback address"),
        ("169.254.0.1", "a link-local address"),
        ("169.254.169.254", "a cloud metadata address"),
        ("168.63.129.16", "a cloud metadata address"),
        ("172.16.0.1", "a private address"),
        ("172.31.255.255", "a private address"),
        ("192.0.0.1", "a reserved address"),
        ("192.0.0.192", "a cloud metadata address"),
        ("192.0.2.1", "a documentation address"),
        ("192.88.99.1", "a reserved address"),
        ("192.168.1.1", "a private address"),
        ("198.18.0.1", "a benchmark address"),
        ("198.19.255.255", "a benchmark address"),
        ("198.51.100.1", "a documentation address"),
        ("203.0.113.1", "a documentation address"),
        ("224.0.0.1", "a multicast address"),
        ("239.255.255.255", "a multicast address"),
        ("240.0.0.1", "a reserved address"),
        ("255.255.255.255", "the broadcast address"),
        ("::", "an unspecified address"),
        ("::1", "a loopback address"),
        ("::7f00:1", "an IPv4 address in IPv6 form"),
        ("::ffff:127.0.0.1", "an IPv4 address in IPv6 form"),
        ("::ffff:8.8.8.8", "an IPv4 address in IPv6 form"),
        ("::ffff:0:7f00:1", "a reserved address"),
        ("64:ff9b::7f00:1", "a loopback address"),
        ("64:ff9b::a9fe:a9fe", "a cloud metadata address"),
        ("64:ff9b::10.0.0.1", "a private address"),
        ("64:ff9b:1::1", "a private address"),
        ("100::1", "a reserved address"),
        ("2001::1", "a Teredo tunnel address"),
        ("2001:0:7f00:1::", "a Teredo tunnel address"),
        ("2001:2::1", "a benchmark address"),
        ("2001:10::1", "a reserved address"),
        ("2001:20::1", "a reserved address"),
        ("2001:db8::1", "a documentation address"),
        ("2002:7f00:1::", "a 6to4 tunnel address"),
        ("3fff::1", "a documentation address"),
        ("4000::1", "a reserved address"),
        ("5f00::1", "a reserved address"),
        ("fc00::1", "a private address"),
        ("fd00:ec2::254", "a cloud metadata address"),
        ("fdff::1", "a private address"),
        ("fe80::1", "a link-local address"),
        ("febf::1", "a link-local address"),
        ("fec0::1", "a private address"),
        ("ff02::1", "a multicast address"),
    ] {
        let address: IpAddr = address.parse().unwrap();
        assert_eq!(address_refusal(address), Some(what), "{address}");
    }
}

#[test]
fn neighbours_of_the_forbidden_blocks_are_public() {
    for address in [
        "1.1.1.1",
        "8.8.8.8",
        "9.255.255.255",
        "11.0.0.0",
        "93.184.216.34",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "169.255.0.0",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.167.255.255",
        "192.169.0.0",
        "198.17.255.255",
        "198.20.0.0",
        "223.255.255.255",
        "64:ff9b::8.8.8.8",
        "2001:200::1",
        "2001:4860:4860::8888",
        "2003::1",
        "2606:4700:4700::1111",
        "3ffe::1",
    ] {
        let address: IpAddr = address.parse().unwrap();
        assert_eq!(address_refusal(address), None, "{address}");
    }
}
