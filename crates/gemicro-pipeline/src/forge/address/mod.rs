//! Which forge a remote belongs to, told from its address alone.
//!
//! The main function is [`recognise`]; [`ForgeHosts`] has the hosts that the user named.

mod forge_address;
mod hosts;
mod kind;
mod recognise;
mod remote_url;

pub use forge_address::{ForgeAddress, HostOrigin};
pub use hosts::{ForgeHosts, ForgeHostsError};
pub use kind::ForgeKind;
pub use recognise::recognise;
