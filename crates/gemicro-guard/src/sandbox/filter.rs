//! seccomp filters: forbid system calls that could escape a sandbox regardless of the file rules.

mod others;

use std::collections::BTreeMap;

use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter, SeccompRule,
    TargetArch,
};

use super::error::SandboxError;
use super::plan::Launch;
use super::profile::Network;
use super::tier::Tier;

type FilterRules = BTreeMap<i64, Vec<SeccompRule>>;
type FilterError = Box<dyn std::error::Error + Send + Sync>;

const FORBIDDEN: &[i64] = &[
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_pivot_root,
    libc::SYS_move_mount,
    libc::SYS_mount_setattr,
    libc::SYS_open_tree,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fsconfig,
    libc::SYS_fspick,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_open_by_handle_at,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_keyctl,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_kexec_load,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_pidfd_getfd,
    OPEN_TREE_ATTR,
];
/// Clones mounts and changes them, in one call. Not in every libc yet; the number is the same on all architectures.
const OPEN_TREE_ATTR: i64 = 467;
/// Calls newer than `mseal`, including future ones: their effects have not been reviewed.
const NEWER: std::ops::RangeInclusive<i64> = 463..=511;
/// Refused with ENOSYS, so that programs fall back. `clone3` hides its flags in memory, where no filter can look.
const ABSENT: &[i64] = &[
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_clone3,
];
/// Flags of `clone` that make namespaces.
const NAMESPACES: &[i32] = &[
    libc::CLONE_NEWUSER,
    libc::CLONE_NEWNS,
    libc::CLONE_NEWPID,
    libc::CLONE_NEWNET,
    libc::CLONE_NEWIPC,
    libc::CLONE_NEWUTS,
    libc::CLONE_NEWCGROUP,
];
/// `ioctl` requests that type into, or paste from, a terminal. Not every libc has constants for them.
const TIOCSTI: u64 = 0x5412;
const TIOCLINUX: u64 = 0x541c;
/// The bit of x32's call numbers.
#[cfg(target_arch = "x86_64")]
const X32: i64 = 0x4000_0000;
/// x32's own numbers of forbidden calls: ioctl, ptrace, `process_vm_*`, kexec.
#[cfg(target_arch = "x86_64")]
const X32_OWN: &[i64] = &[514, 521, 528, 539, 540];

/// A process id that never exists: the kernel counts to 2^22. The answer of `getpgid` to it shows whether this is a
/// shell.
const NOBODY: i32 = i32::MAX;

/// Marks this process and its descendants as a shell of an agent. A filter can never be removed, and a shell cannot
/// apply one to the agent.
pub(super) fn mark() -> Result<(), SandboxError> {
    let put_up = || {
        let asked = when(0, SeccompCmpOp::Eq, u64::from(NOBODY.cast_unsigned()))?;
        let program = filter([(libc::SYS_getpgid, vec![asked])].into(), libc::EALREADY)?;
        Ok(seccompiler::apply_filter(&program)?)
    };
    put_up().map_err(|error: FilterError| SandboxError::wall_refused("seccomp", error))
}

/// Whether this process belongs to a shell of an agent.
pub(super) fn is_marked() -> bool {
    rustix::process::getpgid(rustix::process::Pid::from_raw(NOBODY)) == Err(rustix::io::Errno::ALREADY)
}

/// Applies the filters, which can never be removed.
pub(super) fn apply(launch: &Launch) -> Result<(), SandboxError> {
    let refused = |error: FilterError| SandboxError::wall_refused("seccomp", error);
    for program in programs(launch).map_err(refused)? {
        seccompiler::apply_filter(&program).map_err(|error| refused(error.into()))?;
    }
    Ok(())
}

fn programs(launch: &Launch) -> Result<Vec<BpfProgram>, FilterError> {
    let mut forbidden: FilterRules = FORBIDDEN.iter().map(|call| (*call, Vec::new())).collect();
    let terminal = [TIOCSTI, TIOCLINUX].map(|request| when(1, SeccompCmpOp::Eq, request));
    let mut requests = terminal.into_iter().collect::<Result<Vec<_>, _>>()?;
    forbidden.extend(others::in_every_tier()?);
    let mut unsupported = FilterRules::new();
    if launch.tier != Tier::Full {
        forbidden.extend(others::in_tier_landlock()?);
        requests.extend(others::changing_requests()?);
        unsupported = others::attributes();
    }
    forbidden.insert(libc::SYS_ioctl, requests);
    let namespaces = NAMESPACES.iter().map(|flag| {
        let bit = u64::from(flag.cast_unsigned());
        when(0, SeccompCmpOp::MaskedEq(bit), bit)
    });
    forbidden.insert(libc::SYS_clone, namespaces.collect::<Result<_, _>>()?);
    let sockets = closed_families(launch)
        .into_iter()
        .map(|family| when(0, SeccompCmpOp::Eq, u64::from(family.cast_unsigned())));
    let mut sockets = sockets.collect::<Result<Vec<_>, _>>()?;
    if is_held_to_a_port(launch) {
        sockets.extend(all_but_tcp()?);
        forbidden.extend(connecting_sends()?);
    }
    if !sockets.is_empty() {
        forbidden.insert(libc::SYS_socket, sockets);
    }
    let newer = NEWER.filter(|call| *call != OPEN_TREE_ATTR);
    let absent: FilterRules = ABSENT
        .iter()
        .copied()
        .chain(newer)
        .map(|call| (call, Vec::new()))
        .collect();
    let mut programs = vec![
        filter(with_x32(forbidden), libc::EPERM)?,
        filter(with_x32(absent), libc::ENOSYS)?,
    ];
    if !unsupported.is_empty() {
        programs.push(filter(with_x32(unsupported), libc::EOPNOTSUPP)?);
    }
    Ok(programs)
}

/// Adds the same calls by their x32 numbers, where they are refused whatever their arguments are.
#[cfg(target_arch = "x86_64")]
fn with_x32(mut rules: FilterRules) -> FilterRules {
    let known: Vec<i64> = rules.keys().copied().collect();
    rules.extend(
        known
            .into_iter()
            .chain(X32_OWN.iter().copied())
            .map(|call| (call | X32, Vec::new())),
    );
    rules
}

#[cfg(not(target_arch = "x86_64"))]
fn with_x32(rules: FilterRules) -> FilterRules {
    rules
}

/// Address families of sockets that must not be created.
fn closed_families(launch: &Launch) -> Vec<i32> {
    let mut families = vec![libc::AF_PACKET, libc::AF_VSOCK, libc::AF_ALG];
    // Landlock does not restrict connections to Unix sockets; D-Bus and docker would be ways out.
    if !(launch.profile.unix_sockets && launch.tier == Tier::Full) {
        families.push(libc::AF_UNIX);
    }
    // In tier full the command has its own network, with nothing in it.
    if launch.tier != Tier::Full && launch.profile.network == Network::None {
        families.extend([libc::AF_INET, libc::AF_INET6, libc::AF_NETLINK]);
    }
    families
}

/// Whether Landlock restricts a command to one port, which only works for TCP connections.
fn is_held_to_a_port(launch: &Launch) -> bool {
    launch.tier != Tier::Full && matches!(launch.profile.network, Network::Gateway { .. })
}

/// Every socket that Landlock's port rules do not see: other families (SMC falls back to TCP inside the kernel),
/// datagrams, and TCP's other protocols.
fn all_but_tcp() -> Result<Vec<SeccompRule>, FilterError> {
    let internet = [libc::AF_INET, libc::AF_INET6].map(|family| u64::from(family.cast_unsigned()));
    let known = [
        internet[0],
        internet[1],
        u64::from(libc::AF_NETLINK.cast_unsigned()),
    ];
    let others = known.map(|family| condition(0, SeccompCmpOp::Ne, family));
    let others = others.into_iter().collect::<Result<Vec<_>, _>>()?;
    let mut rules = vec![SeccompRule::new(others)?];
    for family in internet {
        for kind in (0..16).filter(|kind| *kind != u64::from(libc::SOCK_STREAM.cast_unsigned())) {
            rules.push(SeccompRule::new(vec![
                condition(0, SeccompCmpOp::Eq, family)?,
                condition(1, SeccompCmpOp::MaskedEq(0xf), kind)?,
            ])?);
        }
        rules.push(SeccompRule::new(vec![
            condition(0, SeccompCmpOp::Eq, family)?,
            condition(2, SeccompCmpOp::Ne, 0)?,
            condition(2, SeccompCmpOp::Ne, u64::from(libc::IPPROTO_TCP.cast_unsigned()))?,
        ])?);
    }
    Ok(rules)
}

/// Forbids sends with a flag that makes them connect, which Landlock does not check.
fn connecting_sends() -> Result<FilterRules, FilterError> {
    let flag = u64::from(libc::MSG_FASTOPEN.cast_unsigned());
    let calls = [
        (libc::SYS_sendto, 3),
        (libc::SYS_sendmsg, 2),
        (libc::SYS_sendmmsg, 3),
    ];
    calls
        .into_iter()
        .map(|(call, argument)| Ok((call, vec![when(argument, SeccompCmpOp::MaskedEq(flag), flag)?])))
        .collect()
}

fn when(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompRule, FilterError> {
    Ok(SeccompRule::new(vec![condition(argument, operator, value)?])?)
}

fn condition(argument: u8, operator: SeccompCmpOp, value: u64) -> Result<SeccompCondition, FilterError> {
    Ok(SeccompCondition::new(
        argument,
        SeccompCmpArgLen::Dword,
        operator,
        value,
    )?)
}

/// A filter; calls of another architecture end the process.
fn filter(rules: FilterRules, errno: i32) -> Result<BpfProgram, FilterError> {
    let arch: TargetArch = std::env::consts::ARCH.try_into()?;
    let action = SeccompAction::Errno(errno.cast_unsigned());
    let filter = SeccompFilter::new(rules, SeccompAction::Allow, action, arch)?;
    Ok(filter.try_into()?)
}
