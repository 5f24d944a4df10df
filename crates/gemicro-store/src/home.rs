//! The state folder: private to its user, and never opened through another user's link.
//!
//! Never opens an existing database file itself: closing that handle would drop the locks that SQLite holds on
//! it in the same process.

use std::fs::{self, DirBuilder, File, Metadata, OpenOptions, Permissions};
use std::io::{self, ErrorKind};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use gemicro_core::store::StoreError;
use rustix::fs::OFlags;

use crate::error::io_error;

/// The paths in the state folder.
#[derive(Debug, Clone)]
pub(crate) struct Home {
    root: PathBuf,
}

impl Home {
    /// Creates the folder, or checks that the existing one is safe to use.
    pub(crate) fn prepare(root: &Path) -> Result<Self, StoreError> {
        private_folder(root)?;
        let home = Self {
            root: root.to_owned(),
        };
        private_folder(&home.blobs())?;
        match look(&home.db())? {
            Some(_) => {}
            None => create_private_file(&home.db())?,
        }
        for file in home.db_files() {
            if let Some(found) = look(&file)? {
                tighten(&file, &found)?;
            }
        }
        Ok(home)
    }

    pub(crate) fn root(&self) -> &Path {
        &self.root
    }

    pub(crate) fn db(&self) -> PathBuf {
        self.root.join("gemicro.db")
    }

    pub(crate) fn blobs(&self) -> PathBuf {
        self.root.join("blobs")
    }

    /// The file locked while a database is created or migrated.
    pub(crate) fn format_lock(&self) -> PathBuf {
        self.root.join("format.lock")
    }

    /// The database and SQLite's other files, which have the mode of the database.
    pub(crate) fn db_files(&self) -> [PathBuf; 3] {
        ["gemicro.db", "gemicro.db-wal", "gemicro.db-shm"].map(|name| self.root.join(name))
    }

    /// The file with the number of events ever written.
    pub(crate) fn written_counter(&self) -> PathBuf {
        self.root.join("gemicro.db-written")
    }

    /// Whether an empty database file is next to data that a new one would not have.
    pub(crate) fn was_emptied(&self) -> Result<bool, StoreError> {
        let size = |path: &Path| look(path).map(|found| found.map_or(0, |found| found.len()));
        let [db, wal, _] = self.db_files();
        if size(&db)? > 0 {
            return Ok(false);
        }
        let blobs = self.blobs();
        let n_blob_folders = fs::read_dir(&blobs)
            .map_err(|error| io_error(&blobs, &error))?
            .count();
        Ok(size(&wal)? > 0 || n_blob_folders > 0)
    }
}

/// The files of an open database, to notice when they are deleted or replaced.
#[derive(Debug, Clone)]
pub(crate) struct OpenedFiles(Vec<(PathBuf, Option<FileKey>)>);

/// Device and inode number of a file.
type FileKey = (u64, u64);

impl OpenedFiles {
    /// Records the database and its write-ahead log, which exists while any process has the database open.
    pub(crate) fn of(home: &Home) -> Self {
        let [db, log, _] = home.db_files();
        let look = |path: PathBuf| {
            let key = file_key(&path);
            (path, key)
        };
        Self(
            [db, log]
                .map(look)
                .into_iter()
                .filter(|(_, key)| key.is_some())
                .collect(),
        )
    }

    /// The first file that was deleted or replaced.
    pub(crate) fn removed_file(&self) -> Option<&Path> {
        let mut files = self.0.iter();
        files
            .find(|(path, key)| file_key(path) != *key)
            .map(|(path, _)| path.as_path())
    }
}

fn file_key(path: &Path) -> Option<FileKey> {
    let found = fs::symlink_metadata(path).ok()?;
    Some((found.dev(), found.ino()))
}

/// Creates a folder with mode 0700, or checks an existing one.
fn private_folder(path: &Path) -> Result<(), StoreError> {
    if look(path)?.is_none() {
        let parent = path.parent().filter(|parent| !parent.as_os_str().is_empty());
        if let Some(parent) = parent {
            fs::create_dir_all(parent).map_err(|error| io_error(parent, &error))?;
        }
        match DirBuilder::new().mode(0o700).create(path) {
            Ok(()) => set_mode(path, 0o700)?,
            Err(error) if error.kind() == ErrorKind::AlreadyExists => {}
            Err(error) => return Err(io_error(path, &error)),
        }
    }
    let flags = OFlags::DIRECTORY | OFlags::NOFOLLOW | OFlags::CLOEXEC;
    let folder = rustix::fs::open(path, flags, rustix::fs::Mode::empty()).map_err(|error| {
        unsafe_folder(
            path,
            &format!("it is not a folder ({error}); name another one with GEMICRO_HOME"),
        )
    })?;
    let found = File::from(folder)
        .metadata()
        .map_err(|error| io_error(path, &error))?;
    check_owner(path, &found)?;
    if found.mode() & 0o022 != 0 {
        return Err(unsafe_folder(
            path,
            &format!("others can write to it; run `chmod 700 {}`", path.display()),
        ));
    }
    Ok(())
}

/// Opens a file in a private folder, without following a link.
pub(crate) fn open_private(path: &Path, options: &mut OpenOptions) -> io::Result<File> {
    options
        .mode(0o600)
        .custom_flags(OFlags::NOFOLLOW.bits().cast_signed())
        .open(path)
}

/// Creates the file under another name first: it must never be open in this process once SQLite may use it.
fn create_private_file(path: &Path) -> Result<(), StoreError> {
    let temporary = path.with_extension(format!("new-{}", gemicro_event::StreamId::random()));
    let create = || {
        let file = open_private(&temporary, OpenOptions::new().write(true).create_new(true))?;
        file.set_permissions(Permissions::from_mode(0o600))?;
        drop(file);
        match fs::hard_link(&temporary, path) {
            Err(error) if error.kind() != ErrorKind::AlreadyExists => Err(error),
            Ok(()) | Err(_) => Ok(()),
        }
    };
    let created = create();
    let removed = fs::remove_file(&temporary);
    created.and(removed).map_err(|error| io_error(path, &error))
}

/// The metadata of a path; anything that is neither a file nor a folder, such as a link, is refused.
fn look(path: &Path) -> Result<Option<Metadata>, StoreError> {
    match fs::symlink_metadata(path) {
        Ok(found) if found.is_symlink() => Err(unsafe_folder(
            path,
            "it is a symbolic link; remove it, or name the folder it points to",
        )),
        Ok(found) if found.is_file() || found.is_dir() => Ok(Some(found)),
        Ok(_) => Err(unsafe_folder(
            path,
            "it is neither a file nor a folder; remove it",
        )),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(io_error(path, &error)),
    }
}

fn tighten(path: &Path, found: &Metadata) -> Result<(), StoreError> {
    check_owner(path, found)?;
    if !found.is_file() {
        return Err(unsafe_folder(path, "it is not a file; move it away"));
    }
    if found.mode() & 0o777 != 0o600 {
        set_mode(path, 0o600)?;
    }
    Ok(())
}

fn check_owner(path: &Path, found: &Metadata) -> Result<(), StoreError> {
    if found.uid() == rustix::process::geteuid().as_raw() {
        return Ok(());
    }
    Err(unsafe_folder(
        path,
        "it belongs to another user; name a folder of your own with GEMICRO_HOME",
    ))
}

fn set_mode(path: &Path, mode: u32) -> Result<(), StoreError> {
    fs::set_permissions(path, Permissions::from_mode(mode)).map_err(|error| io_error(path, &error))
}

fn unsafe_folder(path: &Path, why: &str) -> StoreError {
    StoreError::Io {
        message: format!("{} cannot be used: {why}", path.display()),
    }
}
