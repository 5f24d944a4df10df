//! The known version managers: their folders, and the variables that locate them.

use std::path::Path;

/// Maximum size of a settings file that is read, in bytes.
const MOST_BYTES: u64 = 1 << 16;

/// The variable that locates each folder, and its default in the home. All of it is readable: programs, libraries and
/// the selected versions.
pub(super) const MANAGERS: &[(&str, &str)] = &[
    ("ASDF_DATA_DIR", ".asdf"),
    ("ASDF_DIR", ".asdf"),
    ("BUN_INSTALL", ".bun"),
    ("DENO_INSTALL", ".deno"),
    ("ELAN_HOME", ".elan"),
    ("FNM_DIR", ".local/share/fnm"),
    ("GHCUP_ROOT", ".ghcup"),
    ("GOENV_ROOT", ".goenv"),
    ("GVM_ROOT", ".gvm"),
    // The default location of Homebrew on Linux.
    ("HOMEBREW_PREFIX", concat!("/home", "/linuxbrew/.linuxbrew")),
    ("JENV_ROOT", ".jenv"),
    ("JULIAUP_DEPOT_PATH", ".julia/juliaup"),
    (MISE, ".local/share/mise"),
    ("NODENV_ROOT", ".nodenv"),
    ("NVM_DIR", ".nvm"),
    ("OPAMROOT", ".opam"),
    ("PERLBREW_ROOT", "perl5/perlbrew"),
    ("PIPX_HOME", ".local/share/pipx"),
    ("PIXI_HOME", ".pixi"),
    ("PLENV_ROOT", ".plenv"),
    ("PROTO_HOME", ".proto"),
    ("PYENV_ROOT", ".pyenv"),
    ("RBENV_ROOT", ".rbenv"),
    ("RUSTUP_HOME", ".rustup"),
    ("SDKMAN_DIR", ".sdkman"),
    ("UV_PYTHON_INSTALL_DIR", ".local/share/uv/python"),
    ("UV_TOOL_DIR", ".local/share/uv/tools"),
    ("VOLTA_HOME", ".volta"),
    ("rvm_path", ".rvm"),
];

/// mise's variable, which needs special treatment.
pub(super) const MISE: &str = "MISE_DATA_DIR";

/// Variables that locate single tools.
pub(super) const TOOLS: &[&str] = &[
    "CONDA_PREFIX",
    "DOTNET_ROOT",
    "GOROOT",
    "GRADLE_HOME",
    "JAVA_HOME",
    "MAVEN_HOME",
];

/// Files in the home that select versions, unless a variable names another.
pub(super) const SETTINGS: &[(&str, &str)] = &[
    ("ASDF_CONFIG_FILE", ".asdfrc"),
    ("ASDF_DEFAULT_TOOL_VERSIONS_FILENAME", ".tool-versions"),
    ("MISE_GLOBAL_CONFIG_FILE", ".config/mise/config.toml"),
];

/// Whether a variable is in one of the lists, or is cargo's.
pub(super) fn is_variable(name: &str) -> bool {
    let mut listed = MANAGERS.iter().chain(SETTINGS);
    name == "CARGO_HOME" || TOOLS.contains(&name) || listed.any(|(listed, _)| *listed == name)
}

/// Whether a settings file only selects versions. mise's may also set variables, which may be secrets.
pub(super) fn is_public(file: &Path) -> bool {
    let is_short = std::fs::metadata(file).is_ok_and(|about| about.is_file() && about.len() <= MOST_BYTES);
    let text = is_short.then(|| std::fs::read_to_string(file).ok()).flatten();
    let tells = |line: &str| {
        line.trim_start()
            .trim_start_matches('[')
            .trim_start()
            .starts_with("env")
    };
    text.is_some_and(|text| !text.lines().any(tells))
}
