//! Recognises the forge of a remote by its address.
//!
//! The main function is [`recognise`]; [`ForgeHosts`] holds the hosts that the user configured.

mod forge_address;
mod hosts;
mod kind;
mod recognise;
mod remote_url;

pub use forge_address::{ForgeAddress, HostOrigin};
pub use hosts::{ForgeHosts, ForgeHostsError};
pub use kind::ForgeKind;
pub use recognise::recognise;
