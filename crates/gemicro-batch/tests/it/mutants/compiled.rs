//! Most mutants are taken by the real compilers.

use std::path::Path;
use std::process::{Command, Stdio};

use gemicro_batch::mutants::{Mutant, Syntax, mutants};

/// How many mutants of a source are compiled: some of every kind, and no more than a few seconds take.
const MOST: usize = 16;

struct Compiler {
    syntax: Syntax,
    program: &'static str,
    arguments: &'static [&'static str],
    ending: &'static str,
}

const RUSTC: Compiler = Compiler {
    syntax: Syntax::Rust,
    program: "rustc",
    arguments: &["--edition=2024", "--crate-type=lib", "--emit=metadata"],
    ending: "rs",
};
const GXX: Compiler = Compiler {
    syntax: Syntax::C,
    program: "g++",
    arguments: &["-std=c++17", "-w", "-fsyntax-only", "-include", PRELUDE],
    ending: "cpp",
};

/// The headers of the C++ source, compiled once: they take far longer than the source.
const PRELUDE: &str = "prelude.hpp";

#[test]
fn rustc_takes_most_mutants() {
    check(
        &RUSTC,
        tempfile::tempdir().unwrap().path(),
        include_str!("../fixtures/ledger.rs"),
    );
}

#[test]
fn gxx_takes_most_mutants() {
    let has_compiler = Command::new(GXX.program).arg("--version").output().is_ok();
    assert!(has_compiler, "g++ is missing: run `cargo xtask setup`");
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(
        folder.path().join(PRELUDE),
        "#include <string>\n#include <vector>\n",
    )
    .unwrap();
    let precompiled = Command::new(GXX.program)
        .args(["-std=c++17", "-w", "-x", "c++-header", PRELUDE])
        .current_dir(&folder)
        .status()
        .unwrap();
    assert!(precompiled.success());
    check(&GXX, folder.path(), include_str!("../fixtures/scanner.cpp"));
}

fn check(compiler: &Compiler, folder: &Path, source: &str) {
    assert!(compiles(compiler, folder, "source", source), "the source itself");
    let broken = source.replace('{', "");
    assert!(
        !compiles(compiler, folder, "broken", &broken),
        "a source that is broken"
    );
    let all = mutants(compiler.syntax, source, &[(1, u32::MAX)]);
    assert!(all.len() >= MOST, "only {} mutants", all.len());
    let chosen: Vec<Mutant> = all.iter().step_by(all.len().div_ceil(MOST)).cloned().collect();
    let refused_of = |mutants: &[Mutant], name: &str| -> Vec<Mutant> {
        let is_refused = |mutant: &&Mutant| !compiles(compiler, folder, name, &mutant.apply(source));
        mutants.iter().filter(is_refused).cloned().collect()
    };
    let (first, second) = chosen.split_at(chosen.len() / 2);
    let refused = std::thread::scope(|scope| {
        let second = scope.spawn(|| refused_of(second, "second"));
        [refused_of(first, "first"), second.join().unwrap()].concat()
    });
    for mutant in &refused {
        println!("does not compile: line {}: {}", mutant.line, mutant.what);
    }
    println!(
        "{}: {} of {} mutants compile, {} are offered",
        compiler.program,
        chosen.len() - refused.len(),
        chosen.len(),
        all.len()
    );
    assert!(refused.len() * 5 <= chosen.len(), "refused: {refused:#?}");
}

fn compiles(compiler: &Compiler, folder: &Path, name: &str, text: &str) -> bool {
    let file = format!("{name}.{}", compiler.ending);
    std::fs::write(folder.join(&file), text).unwrap();
    Command::new(compiler.program)
        .args(compiler.arguments)
        .arg(file)
        .current_dir(folder)
        .stderr(Stdio::null())
        .status()
        .unwrap()
        .success()
}
