//! Finds a program in a search path, and everything that has to be visible for it to run.

use std::path::{Path, PathBuf};

use gemicro_event::{ErrorKind, Failure};
use gemicro_guard::{ProgramLookup, find_program, look_at};

use super::program_file::{Interpreter, ProgramFile, look};

/// A script may be run by a script; no longer chain is followed.
const MAX_INTERPRETERS: usize = 4;

/// As many links as the system itself follows.
const MAX_LINKS: usize = 40;

/// A program and what it needs.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LocatedProgram {
    /// What to start: the file itself, or the link to it where the program goes by the link's name.
    pub program: PathBuf,
    /// What has to be visible: the program or the whole of its package, its interpreter, the folders of links.
    pub readable: Vec<PathBuf>,
    /// Folders to look for its interpreters in, before the search path. That may name links which are not
    /// visible.
    pub search: Vec<PathBuf>,
}

/// Finds a program. `path_var` is the user's `PATH`; folders in it that are not absolute do not count.
///
/// # Errors
/// `command_not_found` when it, or an interpreter that it needs, is not there or is not for this machine;
/// `permission_denied` when it is there and may not be executed.
pub fn locate(program: &Path, path_var: &str) -> Result<LocatedProgram, Failure> {
    let mut located = LocatedProgram {
        program: find(program, path_var)?,
        readable: Vec::new(),
        search: Vec::new(),
    };
    let found = located.program.clone();
    let (real, file) = real(&found)?;
    located.program = match file {
        // A program may look at the name it was started by.
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
        // `env` looks for the name that the script says.
        if real.file_name() == found.file_name() {
            located.search.extend(real.parent().map(Path::to_path_buf));
        } else {
            let link = follow(located, &found);
            located.search.extend(link.parent().map(Path::to_path_buf));
        }
        (script, file) = (real, next);
    }
    let message = format!("{} is run by scripts without end", script.display());
    Err(Failure::new(ErrorKind::CommandNotFound, message))
}

/// The file itself, whatever links lead to it, and its kind.
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

/// A package of node needs its neighbours; anything else is shown alone.
fn open(located: &mut LocatedProgram, real: &Path) {
    let packages = real.ancestors().filter(|path| path.ends_with("node_modules"));
    let outermost = packages.last();
    located.readable.push(outermost.unwrap_or(real).to_path_buf());
}

/// Opens the folder of every link on the way to a file; returns the first link by its real folder.
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
