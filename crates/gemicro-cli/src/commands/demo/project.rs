//! The repository of the demo: a small program with a bug, and the agents that fix it.

use std::fs;
use std::io;
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

use gemicro_engine::pipeline::workflow::default_files;

/// The task, in the words of a user.
pub(super) const TASK: &str =
    "Fix the rounding of prices: bugs/rounding.sh fails, because price.sh cuts cents off.";

/// The files of the program, by their paths in the repository.
const FILES: &[(&str, &str)] = &[
    ("README.md", include_str!("project/README.md")),
    ("VERSION", include_str!("project/VERSION")),
    ("CHANGELOG.md", include_str!("project/CHANGELOG.md")),
    ("price.sh", include_str!("project/price.sh")),
    ("bugs/rounding.sh", include_str!("project/bugs/rounding.sh")),
    ("tests/run.sh", include_str!("project/tests/run.sh")),
    (
        "tests/no_tax_test.sh",
        include_str!("project/tests/no_tax_test.sh"),
    ),
    (
        "tests/whole_cents_test.sh",
        include_str!("project/tests/whole_cents_test.sh"),
    ),
];

/// Turns the program into a repository with one commit, and a remote beside it. `$1` is its folder.
pub(super) const BEGIN: &str = "\
set -e
cd \"$1\"
git init --quiet --initial-branch=main .
git config user.name 'gemicro demo'
git config user.email demo@localhost
git add --all
git commit --quiet --message='price: print prices with tax'
git clone --quiet --bare . ../origin.git
git remote add origin \"$(dirname \"$PWD\")/origin.git\"
git fetch --quiet origin
";

/// A colleague pushes to main while the agents work, and edits text that they edit too. `$1` is the repository.
pub(super) const COLLEAGUE: &str = "\
set -e
cd \"$1/..\"
git clone --quiet origin.git colleague
cd colleague
git config user.name 'A colleague'
git config user.email colleague@localhost
sed 's/^## 1.0.0$/## 1.0.1\\n\\n- The usage of price.sh is written down.\\n\\n## 1.0.0/' CHANGELOG.md > CHANGELOG.new
mv CHANGELOG.new CHANGELOG.md
sed 's/^Tests:/Usage: `price.sh NET_CENTS TAX_PERCENT`.\\n\\nTests:/' README.md > README.new
mv README.new README.md
git add --all
git commit --quiet --message='docs: write the usage down'
git push --quiet origin main
";

/// Writes the program and its workflow.
pub(super) fn write(folder: &Path) -> io::Result<()> {
    for (path, text) in FILES {
        put(&folder.join(path), text)?;
    }
    for (path, text) in default_files() {
        let text = text.replace(
            "checks: []",
            "checks:\n  - { name: tests, command: sh tests/run.sh, tests: true, timeout: 2m }",
        );
        put(&folder.join(".gemicro").join(path), &text)?;
    }
    Ok(())
}

/// Writes the program that plays every agent, in place of Gemini CLI.
pub(super) fn write_agents(folder: &Path) -> io::Result<()> {
    let program = folder.join("gemini");
    put(&program, include_str!("agent.sh"))?;
    fs::set_permissions(&program, fs::Permissions::from_mode(0o755))
}

fn put(path: &Path, text: &str) -> io::Result<()> {
    if let Some(folder) = path.parent() {
        fs::create_dir_all(folder)?;
    }
    fs::write(path, text)
}
