//! Programs that start another one: how each of them is told which.

use super::table;

/// A program that starts what follows.
#[derive(Debug)]
pub(super) struct Wrapper {
    pub(super) name: &'static str,
    /// The words, one after another, after which it does so; `|` parts those that mean the same.
    pub(super) verbs: &'static str,
    /// Options that take the next word.
    valued: Valued,
    /// Words between the options and the program.
    pub(super) n_operands: usize,
    /// Where these are given, the program follows the first of them.
    pub(super) markers: &'static str,
    /// Whether a runner looks the name of the program up.
    pub(super) looks_up: bool,
}

/// Options that take the next word.
#[derive(Debug)]
enum Valued {
    These(&'static str),
    /// Every long option but these, and these short ones.
    AllBut(&'static str, &'static str),
}

impl Wrapper {
    const fn new(name: &'static str, verbs: &'static str, valued: &'static str) -> Self {
        Self {
            name,
            verbs,
            valued: Valued::These(valued),
            n_operands: 0,
            markers: "",
            looks_up: false,
        }
    }

    const fn with_operands(self, n_operands: usize) -> Self {
        Self { n_operands, ..self }
    }

    const fn after(self, markers: &'static str) -> Self {
        Self { markers, ..self }
    }

    /// It looks a name up among scripts of the project first.
    const fn of_scripts(self) -> Self {
        Self {
            looks_up: true,
            ..self
        }
    }

    const fn container(name: &'static str, verbs: &'static str) -> Self {
        Self {
            valued: Valued::AllBut(CONTAINER_FLAGS, CONTAINER_VALUED),
            n_operands: 1,
            ..Self::new(name, verbs, "")
        }
    }

    /// Whether an option takes the next word.
    pub(super) fn takes_next(&self, option: &str) -> bool {
        if option.contains('=') {
            return false;
        }
        let has = |list: &str| table::has(list, option);
        match &self.valued {
            Valued::These(list) => has(list),
            Valued::AllBut(flags, _) if option.starts_with("--") => !has(flags),
            Valued::AllBut(_, short) => option.ends_with(|c| short.contains(c)),
        }
    }
}

const CONTAINER_FLAGS: &str = "--build --detach --disable-content-trust --init --interactive --no-TTY --no-deps \
    --no-healthcheck --oom-kill-disable --privileged --publish-all --quiet --quiet-pull --read-only \
    --remove-orphans --rm --service-ports --sig-proxy --tty --use-aliases --verbose --debug";
const CONTAINER_VALUED: &str = "acefhlmpuvwH";

const fn plain(name: &'static str, valued: &'static str) -> Wrapper {
    Wrapper::new(name, "", valued)
}

const fn verb(name: &'static str, verbs: &'static str, valued: &'static str) -> Wrapper {
    Wrapper::new(name, verbs, valued)
}

const PACKAGE: &str = "-p --package -w --workspace --prefix -C --dir --filter -F --cwd";
const UV: &str = "-p --python --with --with-requirements --with-editable --extra --group --only-group --package \
    --project --directory --env-file --from --index --index-url --refresh-package";
const CONDA: &str = "-n --name -p --prefix --cwd";

pub(super) const WRAPPERS: &[Wrapper] = &[
    plain("builtin", ""),
    plain("busybox", ""),
    plain("catchsegv", ""),
    plain("chronic", ""),
    plain("chroot", "").with_operands(1),
    plain("chrt", "-T -P -D -p").with_operands(1),
    plain("command", ""),
    plain("dbus-run-session", "--config-file --dbus-daemon"),
    plain("doas", "-C -u"),
    plain("env", "-u -C --unset --chdir"),
    plain("fakechroot", ""),
    plain("fakeroot", "-l -s -i -b --lib --faked"),
    plain("faketime", "-p").with_operands(1),
    plain("flock", "-E -w --conflict-exit-code --timeout --wait").with_operands(1),
    plain("gtimeout", "-k -s --kill-after --signal").with_operands(1),
    plain("ionice", "-c -n"),
    plain("ltrace", "-e -o -p -s -u"),
    plain("nice", "-n"),
    plain("nohup", ""),
    plain("numactl", "-C -N -m -i -p"),
    plain("prlimit", "-p -o"),
    plain("proot", "-r -b -w"),
    plain("runuser", "-u -g -G --user --group --supp-group"),
    plain("setarch", "").with_operands(1),
    plain("setsid", ""),
    plain("ssh-agent", "-a -t"),
    plain("stdbuf", "-i -o -e"),
    plain("strace", "-e -o -p -s -u -E -P -S -a -b -I -O -X"),
    plain(
        "sudo",
        "-C -D -R -T -g -h -p -r -t -u --chdir --chroot --group --host --prompt --user",
    ),
    plain("taskset", "").with_operands(1),
    plain("time", "-f -o"),
    plain("timeout", "-k -s --kill-after --signal").with_operands(1),
    plain("toybox", ""),
    plain("unbuffer", ""),
    plain(
        "unshare",
        "-R -S -G -w --root --wd --setuid --setgid --map-user --map-group --propagation",
    ),
    plain("valgrind", ""),
    plain("xvfb-run", "-n -s -e -f -p"),
    verb("asdf", "exec", ""),
    verb("bun", "x", PACKAGE),
    plain("bunx", PACKAGE),
    verb("bundle", "exec", "").of_scripts(),
    verb("cabal", "exec", "-w --with-compiler"),
    verb("cmake", "", "").after("-E"),
    verb("conda", "run", CONDA),
    verb("coverage", "run", "").after("-m --module").of_scripts(),
    verb("devbox", "run", "-c --config -e --env").of_scripts(),
    verb("direnv", "exec", "").with_operands(1),
    Wrapper::container("docker", "compose run|exec"),
    Wrapper::container("docker", "container run|exec"),
    Wrapper::container("docker", "run|exec"),
    Wrapper::container("docker-compose", "run|exec"),
    verb("dune", "exec", "-p --profile --root"),
    verb("guix", "shell|environment", "").after("--"),
    verb("hatch", "env run", "-e --env").of_scripts(),
    verb("hatch", "run", "-e --env").of_scripts(),
    verb("just", "", "").after("-c --command"),
    verb("kubectl", "exec", "").after("--"),
    verb("lerna", "exec", "").after("--"),
    verb("mamba", "run", CONDA),
    verb("micromamba", "run", CONDA),
    verb("mise", "exec|x", "").after("--"),
    verb("mix", "cmd", ""),
    verb("nix", "develop|shell", "").after("-c --command"),
    verb("npm", "exec|x", PACKAGE),
    plain("npx", PACKAGE),
    verb("opam", "exec", "--switch --root"),
    verb("pdm", "run", "-p --project --venv").of_scripts(),
    verb("perf", "stat", "-e -o -r -x -d"),
    verb("pipenv", "run", "--python").of_scripts(),
    verb("pipx", "run", "--spec --python --index-url --pip-args"),
    verb("pixi", "run", "-e --environment --manifest-path").of_scripts(),
    verb("pnpm", "exec|dlx", PACKAGE),
    verb("poetry", "run", "-C --directory -P --project").of_scripts(),
    verb("rye", "run", "-p --pyproject").of_scripts(),
    verb("stack", "exec", "--package --stack-yaml --resolver"),
    verb("tox", "exec|e", "").after("--"),
    verb("uv", "run", UV).of_scripts(),
    verb("uv", "tool run", UV),
    plain("uvx", UV),
    verb("yarn", "exec|dlx", PACKAGE),
];
