//! Ports that one agent or check has for itself, so that tasks can start servers at the same time.
//!
//! A block is reserved machine-wide by listening on its last port. The system frees it when the process dies.

use std::net::{Ipv4Addr, TcpListener};

/// The ports of all blocks; the ephemeral ports of the system begin above.
const FIRST: u16 = 20_000;
const END: u16 = 32_000;
/// Distance between two blocks. Its last port reserves a block.
const STEP: u16 = 32;
/// Number of ports that a block offers.
const N_PORTS: u16 = 20;

/// A reserved block of ports.
pub(super) struct PortBlock {
    base: u16,
    _reservation: TcpListener,
}

impl PortBlock {
    /// The first block without a used port; `None` if there is none.
    pub(super) fn take() -> Option<Self> {
        (FIRST..END).step_by(usize::from(STEP)).find_map(Self::at)
    }

    fn at(base: u16) -> Option<Self> {
        let bind = |port: u16| TcpListener::bind((Ipv4Addr::LOCALHOST, port));
        let reservation = bind(base + STEP - 1).ok()?;
        let is_free = (base..base + N_PORTS).all(|port| bind(port).is_ok());
        is_free.then_some(Self {
            base,
            _reservation: reservation,
        })
    }

    /// The variables that name it.
    pub(super) fn variables(&self) -> [(String, String); 2] {
        ["GEMICRO_PORT_BASE", "PORT"].map(|name| (name.to_owned(), self.base.to_string()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_disjoint_and_skip_used_ports() {
        let first = PortBlock::take().unwrap();
        let used = (first.base + STEP..END)
            .step_by(usize::from(STEP))
            .find_map(|base| TcpListener::bind((Ipv4Addr::LOCALHOST, base + 3)).ok())
            .unwrap();
        let used = used.local_addr().map(|at| (used, at.port())).unwrap();
        let others: Vec<PortBlock> = (0..4).map(|_| PortBlock::take().unwrap()).collect();
        let mut bases: Vec<u16> = others
            .iter()
            .map(|block| block.base)
            .chain([first.base])
            .collect();
        bases.sort_unstable();
        assert!(
            bases.windows(2).all(|pair| pair[1] - pair[0] >= STEP),
            "{bases:?}"
        );
        assert!(bases.iter().all(|base| base + 3 != used.1), "{bases:?}");
        assert_eq!(
            first.variables().map(|(name, _)| name),
            ["GEMICRO_PORT_BASE", "PORT"]
        );
    }
}
