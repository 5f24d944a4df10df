//! The channel between gemicro and the processes it starts: a socket pair, one end of which is the launcher's standard
//! input.
//!
//! The launcher reports that it is ready, and passes on the gateway's listener if it created one; gemicro answers with
//! the real standard input, and the launcher continues. A keeper uses the same channel to report how its command ended.
//! When gemicro's end closes, for any reason, a keeper kills everything. Only descriptors 0, 1 and 2 are inherited for
//! this, and the command gets none of it.

use std::io::{IoSlice, IoSliceMut};
use std::mem::MaybeUninit;
use std::net::TcpListener;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::net::UnixDatagram;
use std::path::PathBuf;
use std::time::Duration;

use gemicro_event::ErrorKind;
use rustix::event::{PollFd, PollFlags, Timespec, poll};
use rustix::io::Errno;
use rustix::net::{
    AddressFamily, RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer,
    SendAncillaryMessage, SendFlags, Shutdown, SocketFlags, SocketType, recvmsg, sendmsg, shutdown,
    socketpair,
};
use serde::{Deserialize, Serialize};

use super::tier::Tier;

/// Maximum size of a message in bytes; error messages may be cut.
const MAX_BYTES: usize = 4096;
/// Maximum size of an order in bytes; a command that needs more is started without a spare keeper.
const MAX_ORDER_BYTES: usize = 64 * 1024;
/// The message that gemicro sends together with the standard input.
const GO: &[u8] = b"go";

/// A message from the other side to gemicro.
#[derive(Debug)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum Notice {
    /// The launcher runs and waits for its standard input.
    Ready {
        /// The gateway's listener, created inside the command's own network.
        listener: Option<TcpListener>,
    },
    /// The command was not started.
    Failed { kind: ErrorKind, message: String },
    /// The command ended, and so did all processes it left behind.
    Ended(CommandExit),
    /// The other side is gone.
    Gone,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandExit {
    /// It exited with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// A notice as it is sent.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NoticeWire {
    Ready,
    Failed { kind: ErrorKind, message: String },
    Ended(CommandExit),
}

/// The command that a waiting keeper has to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StartOrder {
    /// The sandbox tier of the command.
    pub(super) tier: Tier,
    /// The planned command: bubblewrap, a launcher, or without a sandbox the command itself.
    pub(super) command: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) cwd: PathBuf,
}

/// gemicro's end. It never blocks: wait until it is readable.
#[derive(Debug)]
pub struct Control {
    socket: OwnedFd,
}

impl Control {
    /// A channel: gemicro's end, and the end that becomes the launcher's standard input.
    pub(super) fn pair() -> std::io::Result<(Self, OwnedFd)> {
        let (ours, theirs) = socketpair(
            AddressFamily::UNIX,
            SocketType::SEQPACKET,
            SocketFlags::CLOEXEC,
            None,
        )?;
        rustix::io::ioctl_fionbio(&ours, true)?;
        Ok((Self { socket: ours }, theirs))
    }

    /// Reads the next notice.
    ///
    /// # Errors
    /// `WouldBlock` when there is none yet.
    pub fn receive(&self) -> std::io::Result<Notice> {
        let (text, descriptor) = match receive(self.socket.as_fd(), MAX_BYTES) {
            Ok(message) => message,
            Err(Errno::CONNRESET) => return Ok(Notice::Gone),
            Err(error) => return Err(error.into()),
        };
        if text.is_empty() {
            return Ok(Notice::Gone);
        }
        Ok(match serde_json::from_slice(&text)? {
            NoticeWire::Ready => Notice::Ready {
                listener: descriptor.map(TcpListener::from),
            },
            NoticeWire::Failed { kind, message } => Notice::Failed { kind, message },
            NoticeWire::Ended(exit) => Notice::Ended(exit),
        })
    }

    /// Waits for the next notice, for code that may block.
    ///
    /// # Errors
    /// `TimedOut`, and errors of the system.
    pub fn wait(&self, timeout: Duration) -> std::io::Result<Notice> {
        let time = Timespec::try_from(timeout).map_err(|_| std::io::ErrorKind::InvalidInput)?;
        let mut descriptors = [PollFd::new(&self.socket, PollFlags::IN)];
        match rustix::io::retry_on_intr(|| poll(&mut descriptors, Some(&time)))? {
            0 => Err(std::io::ErrorKind::TimedOut.into()),
            _ => self.receive(),
        }
    }

    /// A duplicate of the socket for an async runtime to wait on: when it is readable, [`Control::receive`] has a
    /// notice. The channel closes when both are dropped.
    ///
    /// # Errors
    /// When too many descriptors are open.
    pub fn readiness(&self) -> std::io::Result<UnixDatagram> {
        Ok(self.socket.try_clone()?.into())
    }

    /// Sends a waiting keeper the command to start.
    ///
    /// # Errors
    /// When the other side is gone, or the order is too long.
    pub(super) fn order(&self, order: &StartOrder) -> std::io::Result<()> {
        let text = serde_json::to_vec(order)?;
        if text.len() > MAX_ORDER_BYTES {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        Ok(send(self.socket.as_fd(), &text, None)?)
    }

    /// Gives the waiting launcher its standard input, so that it continues.
    ///
    /// # Errors
    /// When the other side is gone.
    pub fn hand_over(&self, stdin: BorrowedFd<'_>) -> std::io::Result<()> {
        Ok(send(self.socket.as_fd(), GO, Some(stdin))?)
    }

    /// Makes a keeper kill everything. Its messages can still be read.
    pub fn end(&self) {
        // Fails only when the other side is gone, which is the goal.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The other end, held by a launcher or a keeper.
pub(super) struct ControlPeer {
    socket: OwnedFd,
}

impl ControlPeer {
    /// Takes the channel from standard input.
    pub(super) fn from_stdin() -> std::io::Result<Self> {
        let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        Ok(Self { socket })
    }

    /// Reports that this process is ready, and waits for the standard input.
    pub(super) fn ready(&self, listener: Option<TcpListener>) -> std::io::Result<OwnedFd> {
        let descriptor = listener.as_ref().map(AsFd::as_fd);
        self.tell(&NoticeWire::Ready, descriptor)?;
        let (text, descriptor) = rustix::io::retry_on_intr(|| receive(self.socket.as_fd(), MAX_BYTES))?;
        match descriptor {
            Some(descriptor) if text == GO => Ok(descriptor),
            _ => Err(std::io::Error::other("standard input is missing")),
        }
    }

    /// Waits for an order; `None` when none will come.
    pub(super) fn order(&self) -> std::io::Result<Option<StartOrder>> {
        let (text, _) = rustix::io::retry_on_intr(|| receive(self.socket.as_fd(), MAX_ORDER_BYTES))?;
        match text.is_empty() {
            true => Ok(None),
            false => Ok(Some(serde_json::from_slice(&text)?)),
        }
    }

    /// Reports that nothing was started.
    pub(super) fn report_failure(&self, kind: ErrorKind, message: &str) {
        let message = message.chars().take(MAX_BYTES / 8).collect();
        let _ = self.tell(&NoticeWire::Failed { kind, message }, None);
    }

    /// Reports how the command ended.
    pub(super) fn report_end(&self, exit: CommandExit) {
        let _ = self.tell(&NoticeWire::Ended(exit), None);
    }

    /// A duplicate to use as the standard input of a child.
    pub(super) fn copy(&self) -> std::io::Result<OwnedFd> {
        self.socket.try_clone()
    }

    /// Waits until gemicro has ended, or asks for the end.
    pub(super) fn wait_for_end(&self) {
        loop {
            let mut descriptors = [PollFd::new(&self.socket, PollFlags::RDHUP)];
            match poll(&mut descriptors, None) {
                Err(Errno::INTR) => {}
                // An error here counts as an end: there is no caller left.
                Ok(_) | Err(_) => return,
            }
        }
    }

    fn tell(&self, wire: &NoticeWire, descriptor: Option<BorrowedFd<'_>>) -> std::io::Result<()> {
        let text = serde_json::to_vec(wire)?;
        Ok(send(self.socket.as_fd(), &text, descriptor)?)
    }
}

fn send(socket: BorrowedFd<'_>, bytes: &[u8], descriptor: Option<BorrowedFd<'_>>) -> rustix::io::Result<()> {
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = SendAncillaryBuffer::new(&mut space);
    let descriptors: Vec<BorrowedFd<'_>> = descriptor.into_iter().collect();
    if !descriptors.is_empty() {
        control.push(SendAncillaryMessage::ScmRights(&descriptors));
    }
    rustix::io::retry_on_intr(|| sendmsg(socket, &[IoSlice::new(bytes)], &mut control, SendFlags::NOSIGNAL))?;
    Ok(())
}

fn receive(socket: BorrowedFd<'_>, most_bytes: usize) -> rustix::io::Result<(Vec<u8>, Option<OwnedFd>)> {
    let mut bytes = vec![0; most_bytes];
    let mut space = [MaybeUninit::uninit(); rustix::cmsg_space!(ScmRights(1))];
    let mut control = RecvAncillaryBuffer::new(&mut space);
    let got = recvmsg(
        socket,
        &mut [IoSliceMut::new(&mut bytes)],
        &mut control,
        RecvFlags::CMSG_CLOEXEC,
    )?;
    bytes.truncate(got.bytes);
    let mut descriptor = None;
    for message in control.drain() {
        if let RecvAncillaryMessage::ScmRights(descriptors) = message {
            descriptor = descriptors.into_iter().next();
        }
    }
    Ok((bytes, descriptor))
}
