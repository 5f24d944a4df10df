//! A TCP proxy between gemicro and the simulator that disturbs one connection.

use std::io::{ErrorKind, Read, Write};
use std::net::{Shutdown, SocketAddr, TcpListener, TcpStream};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::Duration;

use anyhow::Result;

use super::fault::InjectedFault;
use super::random::SeededRandom;

/// How long the server is not there.
const ABSENT: Duration = Duration::from_millis(700);
/// The pieces and pauses of a slow connection.
const PIECE: usize = 48;
const PAUSE: Duration = Duration::from_millis(4);

/// A running proxy; it takes no new connection after it is dropped.
pub(crate) struct FaultProxy {
    pub(crate) url: String,
    address: SocketAddr,
    is_over: Arc<AtomicBool>,
}

/// What happens to which connection.
#[derive(Clone, Copy)]
struct Disturbance {
    fault: InjectedFault,
    /// The connection, counted from 0.
    connection: u64,
    /// Bytes of the answer that arrive before it is cut.
    n_bytes: u64,
}

impl FaultProxy {
    /// Starts a proxy to a simulator.
    pub(crate) fn start(
        simulator_url: &str,
        fault: InjectedFault,
        random: &mut SeededRandom,
    ) -> Result<Self> {
        let target: SocketAddr = simulator_url.trim_start_matches("http://").parse()?;
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let address = listener.local_addr()?;
        let disturbance = Disturbance {
            fault,
            connection: random.below(3),
            n_bytes: 1 + random.below(1_500),
        };
        let is_over = Arc::new(AtomicBool::new(false));
        let ended = Arc::clone(&is_over);
        // Nothing listens at the address until the server "comes back".
        let listener = match fault {
            InjectedFault::NetRefused => None,
            _ => Some(listener),
        };
        thread::spawn(move || {
            let listener = listener.map_or_else(
                || {
                    thread::sleep(ABSENT);
                    TcpListener::bind(address)
                },
                Ok,
            );
            if let Ok(listener) = listener {
                accept(&listener, target, disturbance, &ended);
            }
        });
        Ok(Self {
            url: format!("http://{address}"),
            address,
            is_over,
        })
    }
}

impl Drop for FaultProxy {
    fn drop(&mut self) {
        self.is_over.store(true, Ordering::SeqCst);
        // Wakes the thread that waits for a connection.
        drop(TcpStream::connect(self.address));
    }
}

fn accept(listener: &TcpListener, target: SocketAddr, disturbance: Disturbance, is_over: &Arc<AtomicBool>) {
    let n_connections = AtomicU64::new(0);
    for client in listener.incoming().map_while(Result::ok) {
        if is_over.load(Ordering::SeqCst) {
            return;
        }
        let number = n_connections.fetch_add(1, Ordering::SeqCst);
        let is_over = Arc::clone(is_over);
        thread::spawn(move || {
            let fault = (number == disturbance.connection).then_some(disturbance);
            // A connection that fails is what this is for.
            drop(serve(client, target, fault, &is_over));
        });
    }
}

fn serve(
    mut client: TcpStream,
    target: SocketAddr,
    fault: Option<Disturbance>,
    is_over: &AtomicBool,
) -> std::io::Result<()> {
    match fault.map(|it| it.fault) {
        Some(InjectedFault::NetReset) => {
            // Closing with unread bytes resets the connection.
            let mut byte = [0];
            client.read_exact(&mut byte)?;
            return Ok(());
        }
        Some(InjectedFault::NetHalfOpen) => {
            while !is_over.load(Ordering::SeqCst) {
                thread::sleep(Duration::from_millis(20));
            }
            return Ok(());
        }
        _ => {}
    }
    let mut server = TcpStream::connect(target)?;
    let (mut from_client, mut to_server) = (client.try_clone()?, server.try_clone()?);
    thread::spawn(move || {
        drop(std::io::copy(&mut from_client, &mut to_server));
        drop(to_server.shutdown(Shutdown::Write));
    });
    answer(&mut server, &mut client, fault)
}

/// Passes the answer on, slowly or only in part if that is the fault.
fn answer(server: &mut TcpStream, client: &mut TcpStream, fault: Option<Disturbance>) -> std::io::Result<()> {
    let is_slow = fault.is_some_and(|it| it.fault == InjectedFault::NetSlow);
    let is_cut = fault.filter(|it| it.fault == InjectedFault::NetCut);
    let mut left = is_cut.map_or(u64::MAX, |it| it.n_bytes);
    let mut buffer = [0; 16 * 1024];
    loop {
        let n_read = match server.read(&mut buffer) {
            Ok(0) => return client.shutdown(Shutdown::Write),
            Ok(n_read) => n_read,
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let n_passed = usize::try_from(left).unwrap_or(usize::MAX).min(n_read);
        let pieces = buffer[..n_passed].chunks(if is_slow { PIECE } else { buffer.len() });
        for piece in pieces {
            client.write_all(piece)?;
            if is_slow {
                thread::sleep(PAUSE);
            }
        }
        left -= n_passed as u64;
        if left == 0 {
            server.shutdown(Shutdown::Both)?;
            return client.shutdown(Shutdown::Both);
        }
    }
}
