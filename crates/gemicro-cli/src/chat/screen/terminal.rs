//! Taking the terminal, and giving it back in every way out.

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

/// The terminal, ours until this is dropped.
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

/// Gives the terminal back until a shell continues this process.
pub(super) fn suspend() -> io::Result<()> {
    leave();
    let stopped = rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::TSTP);
    enter()?;
    Ok(stopped?)
}

/// Whether there is something to give back: done twice, it would overwrite what was said in between.
static IS_TAKEN: AtomicBool = AtomicBool::new(false);

fn enter() -> io::Result<()> {
    IS_TAKEN.store(true, Ordering::SeqCst);
    enable_raw_mode()?;
    execute!(io::stdout(), EnterAlternateScreen, EnableBracketedPaste)
}

/// Nobody is left to be told when this fails.
fn leave() {
    if !IS_TAKEN.swap(false, Ordering::SeqCst) {
        return;
    }
    let _ = execute!(io::stdout(), DisableBracketedPaste, LeaveAlternateScreen, Show);
    let _ = disable_raw_mode();
}

/// The words of a panic are for a terminal that can show them.
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
