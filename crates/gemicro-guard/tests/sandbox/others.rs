//! Other processes of the user: no command changes them, reads what they share, or ends them.

use std::io::{BufRead, BufReader, Read};
use std::process::{Command, Stdio};

use gemicro_guard::sandbox::Tier;

use super::world::{World, text, tiers};

/// A process of the user with shared memory, a queue and a semaphore. It reports what was changed when its input ends.
const BYSTANDER: &str = r#"
import ctypes, os, resource, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
shm = libc.shmget(0, 64, 0o1600); at = libc.shmat(shm, None, 0)
ctypes.memmove(at, b"SHARED-SECRET", 13)
queue = libc.msgget(0, 0o1600); semaphore = libc.semget(0, 1, 0o1600)
name = ("/gemicro-test-%d" % os.getpid()).encode()
posix = libc.mq_open(name, os.O_CREAT | os.O_RDWR, 0o600, None)
def state():
    status = [libc.shmctl(shm, 2, ctypes.create_string_buffer(512)), libc.msgctl(queue, 2, ctypes.create_string_buffer(512)),
        libc.semctl(semaphore, 0, 12, 0), posix >= 0 and os.path.exists("/proc/self/fd/%d" % posix) and "(deleted)" not in os.readlink("/proc/self/fd/%d" % posix)]
    return [resource.getrlimit(r) for r in (resource.RLIMIT_CPU, resource.RLIMIT_NOFILE, resource.RLIMIT_CORE)], os.nice(0), \
        sorted(os.sched_getaffinity(0)), os.sched_getscheduler(0), libc.syscall(252, 1, 0), ctypes.string_at(at, 13), status
before = state()
print(os.getpid(), shm, queue, semaphore, name.decode(), flush=True)
sys.stdin.read()
after = state()
libc.shmctl(shm, 0, None); libc.msgctl(queue, 0, None); libc.semctl(semaphore, 0, 0); libc.mq_unlink(name)
print("untouched" if before == after else "%r\n%r" % (before, after))
"#;

/// Every way to it that needs no file.
const ATTACK: &str = r#"
import ctypes, os, struct, sys
libc = ctypes.CDLL(None, use_errno=True)
libc.shmat.restype = ctypes.c_void_p
pid, shm, queue, semaphore = map(int, sys.argv[1:5]); name = sys.argv[5].encode()
def attempt(what, result):
    print(what, "OPEN" if result != -1 else os.strerror(ctypes.get_errno()))
pair = lambda a, b: struct.pack("QQ", a, b)
for limit in (0, 4, 7): attempt("prlimit", libc.prlimit(pid, limit, pair(0, 0), None))
for which, who in ((0, pid), (1, os.getpgid(pid)), (2, 0), (2, os.getuid())): attempt("setpriority", libc.setpriority(which, who, 19))
for which, who in ((1, pid), (2, os.getpgid(pid)), (3, 0), (3, os.getuid())): attempt("ioprio_set", libc.syscall(251, which, who, (2 << 13) | 7))
attempt("sched_setaffinity", libc.sched_setaffinity(pid, 8, struct.pack("Q", 1)))
attempt("sched_setscheduler", libc.sched_setscheduler(pid, 3, struct.pack("i", 0)))
attempt("sched_setparam", libc.sched_setparam(pid, struct.pack("i", 0)))
attempt("sched_setattr", libc.syscall(314, pid, struct.pack("IIQiIQQQ", 48, 3, 0, 0, 0, 0, 0, 0), 0))
at = libc.shmat(shm, None, 0)
if at not in (None, 2**64 - 1): print("shmat OPEN", ctypes.string_at(at, 13))
attempt("shmctl", libc.shmctl(shm, 0, None))
attempt("msgsnd", libc.msgsnd(queue, struct.pack("q8s", 1, b"x"), 8, 0o4000))
attempt("msgctl", libc.msgctl(queue, 0, None))
attempt("semctl", libc.semctl(semaphore, 0, 0))
attempt("mq_open", libc.mq_open(name, os.O_RDWR))
attempt("mq_unlink", libc.mq_unlink(name))
attempt("open_tree_attr", libc.syscall(467, -100, b"/", 1, None, 0))
attempt("kill", libc.kill(pid, 9))
"#;

#[test]
fn other_processes_of_the_user_stay_as_they_are() {
    for tier in tiers() {
        let world = World::new();
        let mut bystander = Command::new("python3")
            .args(["-c", BYSTANDER])
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        let mut said = BufReader::new(bystander.stdout.take().unwrap());
        let mut names = String::new();
        said.read_line(&mut names).unwrap();
        std::fs::write(world.path("task/wt/attack.py"), ATTACK).unwrap();
        let output = text(&world.run(tier, &format!("python3 attack.py {}", names.trim())));
        drop(bystander.stdin.take());
        let mut state = String::new();
        said.read_to_string(&mut state).unwrap();
        bystander.wait().unwrap();
        assert_eq!(state, "untouched\n", "{tier}: {output}");
        assert!(!output.contains("SHARED-SECRET"), "{tier}: {output}");
        // In tier full nothing of it can even be named.
        if tier == Tier::Landlock {
            assert!(!output.contains("OPEN"), "{tier}: {output}");
            assert!(output.contains("kill"), "{tier}: {output}");
        }
    }
}

/// Of its own processes a command says how they run, as before.
#[test]
fn a_command_may_limit_itself() {
    let script = r#"set -e; ulimit -n 100; nice -n 5 true; taskset -c "$(taskset -cp $$ | sed 's/.*: //; s/[,-].*//')" true
        python3 -c 'import os, resource; resource.setrlimit(resource.RLIMIT_CPU, (50, 60)); print(resource.prlimit(os.getppid(), resource.RLIMIT_CPU) and "fine")'"#;
    for tier in tiers() {
        let output = World::new().run(tier, script);
        assert_eq!(
            String::from_utf8_lossy(&output.stdout),
            "fine\n",
            "{tier}: {}",
            text(&output)
        );
    }
}

/// Tier landlock cannot keep modes and times of files outside as they are; attributes and flags it can.
#[test]
fn attributes_of_files_outside_stay_as_they_are() {
    let script = r#"
import ctypes, os, fcntl, struct
for path in (os.environ["R"] + "/a.txt", "."):
    try: os.setxattr(path, "user.evil", b"x"); print("OPEN", path)
    except OSError as error: print(error)
    try: os.removexattr(path, "user.kept"); print("OPEN", path)
    except OSError as error: print(error)
file = open("attack.py")
for request in (0x40086602, 0x401c5820, 0x40806685, 0x40087602, 0x40047602, 0x40086604, 0x40046604):
    try: fcntl.ioctl(file, request, bytes(128)); print("OPEN", request)
    except OSError as error: print(error.errno)
"#;
    let world = World::new();
    std::fs::write(world.path("task/wt/attack.py"), script).unwrap();
    for tier in tiers().into_iter().filter(|tier| *tier == Tier::Landlock) {
        let output = text(&world.run(
            tier,
            "python3 attack.py; cp -p attack.py copy; cat copy | head -c 1 > c",
        ));
        assert!(!output.contains("OPEN"), "{output}");
        assert!(
            output.contains("Operation not supported") && output.contains(&"1\n".repeat(7)),
            "{output}"
        );
    }
}
