//! The gateway is all that an agent reaches.

use gemicro_guard::sandbox::NetworkReach;
use gemicro_runner::{CliSandboxMode, GeminiHeadless};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use super::tiers::{all_tiers, tiers};
use super::world::{DONE, HELLO, Run, Seen, World, read};

/// Answers every request with this body.
pub(crate) async fn serve(listener: tokio::net::TcpListener, body: &'static str) {
    while let Ok((stream, _)) = listener.accept().await {
        tokio::spawn(answer(stream, body));
    }
}

/// Passes every connection on.
pub(crate) async fn forward(listener: tokio::net::TcpListener, address: std::net::SocketAddr) {
    while let Ok((mut here, _)) = listener.accept().await {
        tokio::spawn(async move {
            if let Ok(mut there) = tokio::net::TcpStream::connect(address).await {
                let _ = tokio::io::copy_bidirectional(&mut here, &mut there).await;
            }
        });
    }
}

async fn answer(mut stream: tokio::net::TcpStream, body: &'static str) {
    let mut request = Vec::new();
    let mut piece = vec![0; 64 * 1024];
    // A server that leaves before it has read everything breaks the connection.
    while !is_whole(&request) {
        match stream.read(&mut piece).await {
            Ok(0) | Err(_) => return,
            Ok(n_bytes) => request.extend_from_slice(&piece[..n_bytes]),
        }
    }
    let kind = if body.starts_with("data:") || body.starts_with("event:") {
        "text/event-stream"
    } else {
        "text/plain"
    };
    let text = format!("HTTP/1.1 200 OK\r\ncontent-type: {kind}\r\nconnection: close\r\n\r\n{body}");
    let _ = stream.write_all(text.as_bytes()).await;
    let _ = stream.shutdown().await;
}

fn is_whole(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, _)) = text.split_once("\r\n\r\n") else {
        return false;
    };
    let length = head
        .lines()
        .filter_map(|line| line.split_once(':'))
        .find(|(name, _)| name.eq_ignore_ascii_case("content-length"));
    let n_body: usize = length.map_or(0, |(_, value)| value.trim().parse().unwrap());
    request.len() >= head.len() + 4 + n_body
}

const REACH: &str = r#"
import os, socket, urllib.request
base = os.environ["GOOGLE_GEMINI_BASE_URL"]
print("gateway", urllib.request.urlopen(base, timeout=5).read().decode(), flush=True)
def attempt(name, family, kind, to, protocol=0, fast=False):
    try:
        s = socket.socket(family, kind, protocol); s.settimeout(2)
        if fast: s.sendto(b"x", 0x20000000, to)
        else: s.connect(to); s.send(b"x")
        print("REACHED", name)
    except OSError as error: print("no", name, error)
port = int(open("port").read())
own = int(base.rsplit(":", 1)[1])
I, S, D = socket.AF_INET, socket.SOCK_STREAM, socket.SOCK_DGRAM
attempt("other port", I, S, ("127.0.0.1", port))
attempt("other port 6", socket.AF_INET6, S, ("::1", port))
attempt("other port fast", I, S, ("127.0.0.1", port), fast=True)
attempt("other port mptcp", I, S, ("127.0.0.1", port), 262)
attempt("address", I, S, (open("address").read(), port))
attempt("outside", I, S, ("192.0.2.1", own))
attempt("udp", I, D, ("192.0.2.1", 53))
attempt("udp here", I, D, ("127.0.0.1", port)) if os.environ.get("NOTHING") else None
attempt("unix", socket.AF_UNIX, S, "/run/dbus/system_bus_socket")
print("fds", sorted(os.listdir("/proc/self/fd"))[:3])
"#;

#[tokio::test]
async fn the_gateway_and_nothing_else() {
    for tier in tiers() {
        let world = World::new(&format!("python3 reach.py > reached 2>&1\n{HELLO}{DONE}"));
        // A server of the user that the agent must not reach, on every address of the machine.
        let other = std::net::TcpListener::bind("0.0.0.0:0").unwrap();
        let port = other.local_addr().unwrap().port();
        std::fs::write(world.path("wt/port"), port.to_string()).unwrap();
        std::fs::write(world.path("wt/address"), own_address()).unwrap();
        std::fs::write(world.path("wt/reach.py"), REACH).unwrap();
        let run = Run {
            has_gateway: true,
            ..Run::new(*tier)
        };
        let seen = Seen {
            serves: Some("the gateway's answer"),
            ..Seen::default()
        };
        let cli = GeminiHeadless;
        let (outcome, _) = world.run_with(&cli, run, seen, None).await;
        let reached = read(world.path("wt/reached"));
        assert!(
            reached.starts_with("gateway the gateway's answer\n"),
            "{tier}: {reached}"
        );
        assert!(!reached.contains("REACHED"), "{tier}: {reached}");
        let n_refused = reached.lines().filter(|line| line.starts_with("no ")).count();
        assert_eq!(n_refused, 8, "{tier}: {reached}");
        assert_eq!(outcome.result.unwrap().text, "hello");
        assert_eq!(outcome.record.reach, Some(NetworkReach::Gateway), "{tier}");
    }
}

/// Two agents in tier full have the same port, each in its own network; in tier landlock each has its own.
#[tokio::test]
async fn each_agent_has_its_own() {
    let danger = (tiers()[0], CliSandboxMode::DangerFullAccess);
    for (tier, mode) in all_tiers().into_iter().chain([danger]) {
        let script = format!(
            "python3 -c 'import os, urllib.request as u; print(u.urlopen(os.environ[\"GOOGLE_GEMINI_BASE_URL\"]).read())' > got\n{HELLO}{DONE}"
        );
        let worlds = [World::new(&script), World::new(&script)];
        let run = |world: &'static str| {
            let seen = Seen {
                serves: Some(world),
                ..Seen::default()
            };
            let run = Run {
                mode,
                has_gateway: true,
                ..Run::new(tier)
            };
            (run, seen)
        };
        let cli = GeminiHeadless;
        let ((first, first_seen), (second, second_seen)) = (run("one"), run("two"));
        let both = tokio::join!(
            worlds[0].run_with(&cli, first, first_seen, None),
            worlds[1].run_with(&cli, second, second_seen, None)
        );
        both.0.0.result.unwrap();
        both.1.0.result.unwrap();
        assert!(read(worlds[0].path("wt/got")).contains("one"));
        assert!(read(worlds[1].path("wt/got")).contains("two"));
    }
}

/// An address of this machine that is not loopback, if it has one.
fn own_address() -> String {
    let socket = std::net::UdpSocket::bind("0.0.0.0:0").unwrap();
    let asked = socket.connect("192.0.2.1:9").and_then(|()| socket.local_addr());
    asked.map_or_else(|_| "127.0.0.2".to_owned(), |address| address.ip().to_string())
}
