//! Forbids calls that affect other processes of the user, or shared resources, without opening a file: Landlock does
//! not check them.
//!
//! In tier full the command has its own processes and its own shared memory, so most of this is for tier landlock.

use seccompiler::{SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompRule};

use super::{FilterError, FilterRules, condition};

/// Shared memory, semaphores and message queues. Without a namespace they are those of the whole machine.
const SHARED: &[i64] = &[
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_shmdt,
    libc::SYS_semget,
    libc::SYS_semop,
    libc::SYS_semtimedop,
    libc::SYS_semctl,
    libc::SYS_msgget,
    libc::SYS_msgsnd,
    libc::SYS_msgrcv,
    libc::SYS_msgctl,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
];
/// Calls that change how a process is scheduled. Zero is the caller itself.
const SCHEDULING: &[i64] = &[
    libc::SYS_sched_setaffinity,
    libc::SYS_sched_setattr,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setscheduler,
];
/// Calls that change attributes, including access control lists, of any file that the user owns.
const ATTRIBUTES: &[i64] = &[
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
];
/// `ioctl` requests that change a file which is open for reading: its flags (both sizes), its attributes, its seal, and
/// its version (`FS_IOC_SETVERSION` and `EXT4_IOC_SETVERSION`, both sizes).
const CHANGES: &[u64] = &[
    0x4008_6602,
    0x4004_6602,
    0x401c_5820,
    0x4080_6685,
    0x4008_7602,
    0x4004_7602,
    0x4008_6604,
    0x4004_6604,
];

/// `setpriority` takes 0 for a process, 1 for a group, 2 for all processes of a user.
const LAST_SINGLE_PRIORITY: u64 = 1;
/// `ioprio_set` counts the same from 1.
const LAST_SINGLE_IO_PRIORITY: u64 = 2;

/// In every tier: limits and priorities of other processes. Otherwise a process of a shell could end its agent.
pub(super) fn in_every_tier() -> Result<FilterRules, FilterError> {
    // Reading limits is allowed: then the pointer to new ones is null.
    let limits = SeccompRule::new(vec![
        condition(0, SeccompCmpOp::Ne, 0)?,
        SeccompCondition::new(2, SeccompCmpArgLen::Qword, SeccompCmpOp::Ne, 0)?,
    ])?;
    Ok([
        (libc::SYS_prlimit64, vec![limits]),
        (libc::SYS_setpriority, unless_own(LAST_SINGLE_PRIORITY)?),
        (libc::SYS_ioprio_set, unless_own(LAST_SINGLE_IO_PRIORITY)?),
    ]
    .into())
}

/// In tier landlock, where processes and shared memory are those of the whole machine.
pub(super) fn in_tier_landlock() -> Result<FilterRules, FilterError> {
    let mut rules: FilterRules = SHARED.iter().map(|call| (*call, Vec::new())).collect();
    for call in SCHEDULING {
        let foreign = SeccompRule::new(vec![condition(0, SeccompCmpOp::Ne, 0)?])?;
        rules.insert(*call, vec![foreign]);
    }
    Ok(rules)
}

/// Calls refused as by a file system without attributes, so that programs continue without them.
pub(super) fn attributes() -> FilterRules {
    ATTRIBUTES.iter().map(|call| (*call, Vec::new())).collect()
}

/// `ioctl` requests that change files that may only be read.
pub(super) fn changing_requests() -> Result<Vec<SeccompRule>, FilterError> {
    let each = CHANGES.iter().map(|request| {
        let condition = condition(1, SeccompCmpOp::Eq, *request)?;
        Ok(SeccompRule::new(vec![condition])?)
    });
    each.collect()
}

/// Matches all processes of any user, and every process or group but the caller's own.
fn unless_own(last_single: u64) -> Result<Vec<SeccompRule>, FilterError> {
    Ok(vec![
        SeccompRule::new(vec![condition(0, SeccompCmpOp::Gt, last_single)?])?,
        SeccompRule::new(vec![condition(1, SeccompCmpOp::Ne, 0)?])?,
    ])
}
