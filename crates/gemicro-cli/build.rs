//! Links the program at a fixed address.
//!
//! It starts itself all the time: as the keeper of every agent, as the launcher inside every sandbox, in place of every
//! shell there, as a hook before every tool. A program that may lie anywhere has a hundred thousand addresses put right
//! at each start, which takes twice as long as all the rest of it. Stack, heap and libraries still lie anywhere.

fn main() {
    println!("cargo::rerun-if-changed=build.rs");
    let target = |name: &str| std::env::var(format!("CARGO_CFG_TARGET_{name}")).unwrap_or_default();
    if target("OS") == "linux" && target("ENV") == "gnu" {
        println!("cargo::rustc-link-arg-bins=-no-pie");
    }
}
