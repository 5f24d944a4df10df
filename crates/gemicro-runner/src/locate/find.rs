//! Finds a program in a search path, and everything that must be visible for it to run.

use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::{ProgramLookup, find_program, look_at};

use super::program_file::{Interpreter, ProgramFile, look};

/// Maximum length of a chain of scripts that run scripts.
const MAX_INTERPRETERS: usize = 4;

/// Maximum number of links to follow, as in the operating system.
const MAX_LINKS: usize = 40;

/// A program and its requirements.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedProgram {
    /// The file to start, or a link to it if the program depends on the link's name.
    pub program: PathBuf,
    /// Paths that must be visible: the program or its whole package, its interpreter, the folders of links.
    pub readable: Vec<PathBuf>,
    /// Folders to search for its interpreters before the search path, which may name links that are not visible.
    pub search: Vec<PathBuf>,
}

/// Finds a program. `path_var` is the user's `PATH`; relative folders in it are ignored.
///
/// # Errors
/// `command_not_found` if it, or an interpreter that it needs, is missing or not for this machine; `permission_denied`
/// if it exists but may not be executed.
pub fn locate(program: &Path, path_var: &str) -> Result<LocatedProgram, Failure> {
    let mut located = LocatedProgram {
        program: find(program, path_var)?,
        readable: Vec::new(),
        search: Vec::new(),
    };
    let found = located.program.clone();
    let (real, file) = real(&found)?;
    located.program = match file {
        // A program may depend on the name it was started by.
        ProgramFile::Native if real.file_name() != found.file_name() => follow(&mut located, &found),
        _ => real.clone(),
    };
    open(&mut located, &real);
    interpreters(&mut located, &real, file, path_var)?;
    located.readable.retain(|path| !is_of_the_system(path));
    located.readable.dedup();
    Ok(located)
}

fn interpreters(
    located: &mut LocatedProgram,
    script: &Path,
    file: ProgramFile,
    path_var: &str,
) -> Result<(), Failure> {
    let (mut script, mut file) = (script.to_path_buf(), file);
    for _ in 0..MAX_INTERPRETERS {
        let ProgramFile::Script(interpreter) = file else {
            return Ok(());
        };
        let needed = |failure: Failure| Failure {
            message: format!("{} cannot run: {}", script.display(), failure.message),
            ..failure
        };
        let found = match &interpreter {
            Interpreter::Path(path) => find(Path::new(path), path_var).map_err(needed)?,
            Interpreter::Name(name) => find(Path::new(name), path_var).map_err(needed)?,
        };
        let (real, next) = real(&found).map_err(needed)?;
        open(located, &real);
        // `env` looks up the name in the script.
        if real.file_name() == found.file_name() {
            located.search.extend(real.parent().map(Path::to_path_buf));
        } else {
            let link = follow(located, &found);
            located.search.extend(link.parent().map(Path::to_path_buf));
        }
        (script, file) = (real, next);
    }
    let message = format!(
        "{} cannot run: too many nested script interpreters",
        script.display()
    );
    Err(Failure::new(ErrorKind::CommandNotFound, message))
}

/// Returns the file with all links resolved, and its kind.
fn real(found: &Path) -> Result<(PathBuf, ProgramFile), Failure> {
    let failed = |error: std::io::Error| {
        let message = format!("cannot read {}: {error}", found.display());
        Failure::new(ErrorKind::PermissionDenied, message)
    };
    let real = std::fs::canonicalize(found).map_err(failed)?;
    let file = look(&real).map_err(failed)?;
    let wrong = |what: &str| {
        let message = format!("{} cannot be executed: {what}", real.display());
        Err(Failure::new(ErrorKind::CommandNotFound, message))
    };
    match file {
        ProgramFile::Foreign => wrong("it is a program for another kind of machine"),
        ProgramFile::Unknown => wrong("it is neither a program nor a script that names its interpreter"),
        ProgramFile::Native | ProgramFile::Script(_) => Ok((real, file)),
    }
}

/// Makes a program readable. A node package needs its neighbours; any other program only itself.
fn open(located: &mut LocatedProgram, real: &Path) {
    let packages = real.ancestors().filter(|path| path.ends_with("node_modules"));
    let outermost = packages.last();
    located.readable.push(outermost.unwrap_or(real).to_path_buf());
}

/// Makes the folder of every link to a file readable; returns the first link by its real folder.
fn follow(located: &mut LocatedProgram, found: &Path) -> PathBuf {
    let mut first = None;
    let mut link = found.to_path_buf();
    for _ in 0..MAX_LINKS {
        let (Some(folder), Some(name)) = (link.parent(), link.file_name()) else {
            break;
        };
        let folder = std::fs::canonicalize(folder).unwrap_or_else(|_| folder.to_path_buf());
        let real_link = folder.join(name);
        first.get_or_insert(real_link.clone());
        let Ok(target) = std::fs::read_link(&real_link) else {
            break;
        };
        link = folder.join(target);
        located.readable.push(folder);
    }
    first.unwrap_or_else(|| found.to_path_buf())
}

fn is_of_the_system(path: &Path) -> bool {
    ["/usr", "/bin", "/sbin", "/lib", "/lib64"]
        .iter()
        .any(|folder| path.starts_with(folder))
}

fn find(program: &Path, path_var: &str) -> Result<PathBuf, Failure> {
    let not_found = |message: String| Err(Failure::new(ErrorKind::CommandNotFound, message));
    if !program.is_absolute() && (program.components().count() != 1 || program.as_os_str().is_empty()) {
        return not_found(format!(
            "{} is neither a name nor an absolute path",
            program.display()
        ));
    }
    let found = match program.is_absolute() {
        true => look_at(program),
        false => find_program(program.as_os_str(), path_var.as_ref()),
    };
    match found {
        ProgramLookup::Program(path) => Ok(path),
        ProgramLookup::NotExecutable(path) => Err(not_executable(&path)),
        ProgramLookup::Nothing if program.is_absolute() => {
            not_found(format!("there is no program {}", program.display()))
        }
        ProgramLookup::Nothing => not_found(format!("{} is not in the search path", program.display())),
    }
}

fn not_executable(path: &Path) -> Failure {
    let message = format!("{} is not executable", path.display());
    Failure::new(ErrorKind::PermissionDenied, message)
}
