//! Takes over the terminal, and restores it in every case.

use std::io::{self, Stdout};
use std::panic;
use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::cursor::Show;
use ratatui::crossterm::event::{DisableBracketedPaste, EnableBracketedPaste};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};

/// The terminal, in our control until this is dropped.
#[derive(Debug)]
pub(super) struct RawTerminal {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
}

impl RawTerminal {
    pub(super) fn take() -> io::Result<Self> {
        give_back_when_panicking();
        enter().inspect_err(|_| leave())?;
        let terminal = Terminal::new(CrosstermBackend::new(io::stdout()));
        let terminal = terminal.inspect_err(|_| leave())?;
        Ok(Self { terminal })
    }
}

impl Drop for RawTerminal {
    fn drop(&mut self) {
        leave();
    }
}

/// Restores the terminal until a shell continues this process.
pub(super) fn suspend() -> io::Result<()> {
    leave();
    let stopped = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP);
    enter()?;
    Ok(stopped?)
}

/// Whether the terminal has to be restored: doing it twice would overwrite later output.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

fn enter() -> io::Result<()> {
    IS_TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Restores the terminal. Errors are ignored: they could not be shown.
fn leave() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// Restores the terminal on a panic, so that its message is visible.
fn give_back_when_panicking() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let others = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            leave();
            others(info);
        }));
    });
}
