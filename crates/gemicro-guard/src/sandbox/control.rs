//! The channel between gemicro and what it starts: a pair of sockets, one end of which is the launcher's standard
//! input.
//!
//! The launcher says that it is ready, and gives away the gateway's listener if it made one; gemicro answers
//! with the real standard input, and the launcher goes on. A keeper tells over the same channel how its command
//! ended. When gemicro's end closes, for whatever reason, a keeper ends everything. No descriptor but 0, 1 and 2
//! is inherited for this by anybody, and nothing of it reaches the command.

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

/// The longest message; an error's words may be cut.
const MAX_BYTES: usize = 4096;
/// The longest order; a command that needs more is started without a spare keeper.
const MAX_ORDER_BYTES: usize = 64 * 1024;
/// What gemicro sends with the standard input.
const GO: &[u8] = b"go";

/// What the other side tells gemicro.
#[derive(Debug)]
#[expect(missing_docs, reason = "the field names say what they are")]
pub enum Notice {
    /// The launcher runs and waits for its standard input.
    Ready {
        /// The gateway's listener, made inside the command's own network.
        listener: Option<TcpListener>,
    },
    /// The command was not started.
    Failed { kind: ErrorKind, message: String },
    /// The command ended, and so did everything it left behind.
    Ended(CommandExit),
    /// There is nobody on the other side any more.
    Gone,
}

/// How a command ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum CommandExit {
    /// It left with this code.
    Code(i32),
    /// This signal ended it.
    Signal(i32),
}

/// A notice as it is written.
#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum NoticeWire {
    Ready,
    Failed { kind: ErrorKind, message: String },
    Ended(CommandExit),
}

/// What a keeper that waits has to start.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub(super) struct StartOrder {
    /// The walls around the command.
    pub(super) tier: Tier,
    /// What is planned: bubblewrap, a launcher, or without walls the command itself.
    pub(super) command: Vec<String>,
    pub(super) environment: Vec<(String, String)>,
    pub(super) cwd: PathBuf,
}

/// gemicro's end. It never blocks; wait until it can be read.
#[derive(Debug)]
pub struct Control {
    socket: OwnedFd,
}

impl Control {
    /// A channel: gemicro's end, and the one that becomes the launcher's standard input.
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
    /// `TimedOut`, and what the system says.
    pub fn wait(&self, timeout: Duration) -> std::io::Result<Notice> {
        let time = Timespec::try_from(timeout).map_err(|_| std::io::ErrorKind::InvalidInput)?;
        let mut descriptors = [PollFd::new(&self.socket, PollFlags::IN)];
        match rustix::io::retry_on_intr(|| poll(&mut descriptors, Some(&time)))? {
            0 => Err(std::io::ErrorKind::TimedOut.into()),
            _ => self.receive(),
        }
    }

    /// The same socket once more, for a runtime to wait on: when it can be read, [`Control::receive`] has
    /// something. The channel closes when both are dropped.
    ///
    /// # Errors
    /// When there are too many descriptors.
    pub fn readiness(&self) -> std::io::Result<UnixDatagram> {
        Ok(self.socket.try_clone()?.into())
    }

    /// Tells a keeper that waits what to start.
    ///
    /// # Errors
    /// When there is nobody any more, or the order is too long.
    pub(super) fn order(&self, order: &StartOrder) -> std::io::Result<()> {
        let text = serde_json::to_vec(order)?;
        if text.len() > MAX_ORDER_BYTES {
            return Err(std::io::ErrorKind::InvalidInput.into());
        }
        Ok(send(self.socket.as_fd(), &text, None)?)
    }

    /// Gives the waiting launcher its standard input; it goes on with that.
    ///
    /// # Errors
    /// When there is nobody any more.
    pub fn hand_over(&self, stdin: BorrowedFd<'_>) -> std::io::Result<()> {
        Ok(send(self.socket.as_fd(), GO, Some(stdin))?)
    }

    /// Tells a keeper to end everything. What it has to say can still be read.
    pub fn end(&self) {
        // Fails only when the other side is gone, which is what is wanted.
        let _ = shutdown(&self.socket, Shutdown::Write);
    }
}

impl AsFd for Control {
    fn as_fd(&self) -> BorrowedFd<'_> {
        self.socket.as_fd()
    }
}

/// The other end: a launcher's or a keeper's.
pub(super) struct ControlPeer {
    socket: OwnedFd,
}

impl ControlPeer {
    /// Takes the channel from the standard input.
    pub(super) fn from_stdin() -> std::io::Result<Self> {
        let socket = rustix::io::fcntl_dupfd_cloexec(rustix::stdio::stdin(), 3)?;
        Ok(Self { socket })
    }

    /// Says that we are ready, and waits for the standard input.
    pub(super) fn ready(&self, listener: Option<TcpListener>) -> std::io::Result<OwnedFd> {
        let descriptor = listener.as_ref().map(AsFd::as_fd);
        self.tell(&NoticeWire::Ready, descriptor)?;
        let (text, descriptor) = rustix::io::retry_on_intr(|| receive(self.socket.as_fd(), MAX_BYTES))?;
        match descriptor {
            Some(descriptor) if text == GO => Ok(descriptor),
            _ => Err(std::io::Error::other("standard input is missing")),
        }
    }

    /// Waits for an order; nothing when nobody needs one any more.
    pub(super) fn order(&self) -> std::io::Result<Option<StartOrder>> {
        let (text, _) = rustix::io::retry_on_intr(|| receive(self.socket.as_fd(), MAX_ORDER_BYTES))?;
        match text.is_empty() {
            true => Ok(None),
            false => Ok(Some(serde_json::from_slice(&text)?)),
        }
    }

    /// Says that nothing was started.
    pub(super) fn report_failure(&self, kind: ErrorKind, message: &str) {
        let message = message.chars().take(MAX_BYTES / 8).collect();
        let _ = self.tell(&NoticeWire::Failed { kind, message }, None);
    }

    /// Says how the command ended.
    pub(super) fn report_end(&self, exit: CommandExit) {
        let _ = self.tell(&NoticeWire::Ended(exit), None);
    }

    /// A copy for a child, as its standard input.
    pub(super) fn copy(&self) -> std::io::Result<OwnedFd> {
        self.socket.try_clone()
    }

    /// Waits until gemicro ended, or told us to end.
    pub(super) fn wait_for_end(&self) {
        loop {
            let mut descriptors = [PollFd::new(&self.socket, PollFlags::RDHUP)];
            match poll(&mut descriptors, None) {
                Err(Errno::INTR) => {}
                // An error here is as good as an end: there is nobody to work for.
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
