//! A place for OODA loops: a project in a repository, a scripted model, and the program.

use std::path::{Path, PathBuf};
use std::process::Command;

use serde_json::Value;

use crate::program::Called;
use crate::simulated::Simulated;

/// A project and who writes its tests.
pub(crate) struct OodaPlace {
    pub(crate) simulated: Simulated,
}

impl OodaPlace {
    /// With one of the examples and its own scenario.
    pub(crate) fn example(name: &str) -> Self {
        let example = Path::new(env!("CARGO_MANIFEST_DIR"))
            .join("../../examples")
            .join(name);
        let scenario = std::fs::read_to_string(example.join("scenario.yaml")).unwrap();
        let (_, rules) = scenario.split_once("rules:\n").unwrap();
        let place = Self::empty(rules);
        copy(&example, &place.project());
        place.commit();
        place
    }

    /// With a program in shell, whose coverage the shell itself tells, and a model that answers like this.
    pub(crate) fn shell(rules: &str, file: &str) -> Self {
        let place = Self::empty(rules);
        for (path, text) in [
            ("calc.sh", CALC),
            ("cover.sh", COVER),
            ("tests/test_add.sh", TEST),
            ("ooda.toml", file),
            (".gitignore", "lcov.info\ntrace\n"),
        ] {
            let path = place.project().join(path);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, text).unwrap();
        }
        place.commit();
        place
    }

    fn empty(rules: &str) -> Self {
        let simulated = Simulated::new(rules);
        for folder in ["user", "project"] {
            std::fs::create_dir_all(simulated.world.path(folder)).unwrap();
        }
        Self { simulated }
    }

    fn commit(&self) {
        self.git(&["init", "-q", "-b", "main"]);
        self.git(&["add", "-A"]);
        self.git(&["commit", "-q", "-m", "begin"]);
    }

    pub(crate) fn project(&self) -> PathBuf {
        self.simulated.world.path("project")
    }

    pub(crate) fn git(&self, arguments: &[&str]) -> String {
        let output = Command::new("git")
            .args(arguments)
            .current_dir(self.project())
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_NAME"), "Ada")))
            .envs(["AUTHOR", "COMMITTER"].map(|who| (format!("GIT_{who}_EMAIL"), "ada@example.com")))
            .output()
            .unwrap();
        let words = String::from_utf8_lossy(&output.stderr);
        assert!(output.status.success(), "{arguments:?}: {words}");
        String::from_utf8(output.stdout).unwrap()
    }

    /// `gemicro` in the project, with the toolchains of whoever runs the tests.
    pub(crate) fn command(&self, arguments: &[&str]) -> Command {
        let home = PathBuf::from(std::env::var_os("HOME").unwrap());
        let folder =
            |name: &str, usual: &str| std::env::var_os(name).map_or_else(|| home.join(usual), PathBuf::from);
        let cargo = folder("CARGO_HOME", ".cargo");
        let path = std::env::join_paths([cargo.join("bin"), "/usr/bin".into(), "/bin".into()]).unwrap();
        let mut command = self.simulated.command(arguments);
        command
            .env("PATH", path)
            .env("RUSTUP_HOME", folder("RUSTUP_HOME", ".rustup"))
            .current_dir(self.project());
        command
    }

    pub(crate) fn call(&self, arguments: &[&str]) -> Called {
        let output = self.command(arguments).output().unwrap();
        self.simulated.world.finish(output)
    }

    /// Runs a loop to its end and gives its result.
    pub(crate) fn result(&self, arguments: &[&str]) -> Value {
        let called = self.call(&[&["ooda", "--format", "json"], arguments].concat());
        assert_eq!(called.code, 0, "{}\n{}", called.stdout, called.stderr);
        serde_json::from_str(&called.stdout).unwrap()
    }

    /// The subjects of the commits that the loop made.
    pub(crate) fn subjects(&self) -> Vec<String> {
        let log = self.git(&["log", "--format=%s", "main..task/coverage"]);
        log.lines().map(str::to_owned).collect()
    }
}

fn copy(from: &Path, to: &Path) {
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        let is_result = ["target", "build"].iter().any(|name| entry.file_name() == *name);
        if entry.file_type().unwrap().is_dir() && !is_result {
            std::fs::create_dir_all(&target).unwrap();
            copy(&entry.path(), &target);
        } else if !is_result {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// An answer of the model: a new test file with these lines.
pub(crate) fn new_test(name: &str, lines: &[&str]) -> String {
    let body: String = lines.iter().map(|line| format!("+{line}\n")).collect();
    format!(
        "--- /dev/null\n+++ b/tests/{name}\n@@ -0,0 +1,{} @@\n{body}",
        lines.len()
    )
}

/// Rules by which the model gives these answers, one after the other.
pub(crate) fn answers(answers: &[&str]) -> String {
    let rule = |(idx, answer): (usize, &&str)| {
        let text = serde_json::to_string(&format!("```diff\n{answer}```\n")).unwrap();
        format!("  - {{ name: answer-{idx}, times: 1, reply: {{ text: {text} }} }}\n")
    };
    answers.iter().enumerate().map(rule).collect()
}

/// The file of a loop over the program in shell.
pub(crate) const FILE: &str = "test = 'for t in tests/test_*.sh; do bash \"$t\" || exit 1; done'\n\
     coverage = 'bash cover.sh'\nreport = 'lcov.info'\ntarget = 100\nmutants = 0\nattempts = 1\npatience = 1\n";

const CALC: &str = "add() {\n    echo $(($1 + $2))\n}\n\nsub() {\n    echo $(($1 - $2))\n}\n\n\
     mul() {\n    if [ \"$2\" -eq 0 ]; then\n        echo 0\n        return\n    fi\n    echo $(($1 * $2))\n}\n";

const TEST: &str = ". ./calc.sh\n[ \"$(add 1 2)\" = 3 ]\n";

/// Counts the lines of `calc.sh` that the shell says it has run.
const COVER: &str = r#": > trace
for t in tests/test_*.sh; do
    bash -c 'PS4="+\${BASH_SOURCE}:\${LINENO}:"; exec 9>> trace; BASH_XTRACEFD=9; set -x; . "$0"' "$t" || exit 1
done
{
    echo "SF:calc.sh"
    for line in $(grep -n 'echo\|return\|if ' calc.sh | cut -d: -f1); do
        echo "DA:$line,$(grep -c "calc.sh:$line:" trace)"
    done
    echo end_of_record
} > lcov.info
"#;
