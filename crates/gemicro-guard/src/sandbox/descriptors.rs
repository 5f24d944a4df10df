//! Makes sure that the command inherits only standard input, output and error.
//!
//! Uses `unsafe`: an inherited descriptor has no owner in this process, and the standard library has no safe way to
//! refer to it.

use std::os::fd::BorrowedFd;

use rustix::io::FdFlags;

use super::error::SandboxError;

/// Marks every other descriptor to be closed when the command starts.
pub(super) fn close_on_exec() -> Result<(), SandboxError> {
    let entries = std::fs::read_dir("/proc/self/fd")
        .map_err(|source| SandboxError::wall_refused("listing the file descriptors", source))?;
    // Collected first: the listing itself uses a descriptor, which is closed afterwards.
    let numbers: Vec<i32> = entries
        .flatten()
        .filter_map(|entry| entry.file_name().to_str().and_then(|name| name.parse().ok()))
        .filter(|number| *number > 2)
        .collect();
    for number in numbers {
        match set_flags(number, FdFlags::CLOEXEC) {
            Ok(()) | Err(rustix::io::Errno::BADF) => {}
            Err(source) => return Err(SandboxError::wall_refused("closing a file descriptor", source)),
        }
    }
    Ok(())
}

#[expect(unsafe_code, reason = "an inherited descriptor has a number and no owner")]
fn set_flags(number: i32, flags: FdFlags) -> rustix::io::Result<()> {
    // SAFETY: the number was just listed as open and is greater than 2, never -1. It is borrowed for one call
    // that changes a flag; should it have been closed meanwhile, the kernel answers EBADF.
    let descriptor = unsafe { BorrowedFd::borrow_raw(number) };
    rustix::io::fcntl_setfd(descriptor, flags)
}
