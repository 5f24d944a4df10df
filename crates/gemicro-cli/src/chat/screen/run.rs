//! The main loop: takes keys and news, sends orders and draws the screen.

use std::collections::VecDeque;
use std::io;
use std::time::Duration;

use futures_util::{Stream, StreamExt};
use gemicro_chat::Order;
use ratatui::Terminal;
use ratatui::backend::Backend;
use ratatui::crossterm::event::{Event, EventStream};
use tokio::time::{Instant, MissedTickBehavior, interval, sleep_until};
use tokio_util::sync::CancellationToken;

use super::keys::KeyAction;
use super::state::{Activity, ScreenState};
use super::status::SPIN_MS;
use super::terminal::{self, RawTerminal};
use super::theme::Theme;
use crate::chat::channel::broke_off;
use crate::chat::{ChatChannel, words};
use crate::command_error::{CommandError, STOPPED};
use crate::output;
use crate::screen::Screen;

/// Minimum time between two frames.
const FRAME: Duration = Duration::from_millis(33);
/// Maximum number of news taken before other events get a turn.
const MANY: usize = 256;

/// Shows a chat on the terminal until it ends, or `stop` (a signal) arrives.
///
/// # Errors
/// When the terminal cannot be used, the chat breaks off, or `stop` arrives. The terminal is always restored.
pub(crate) async fn run(
    ends: ChatChannel,
    screen: &Screen,
    stop: &CancellationToken,
) -> Result<(), CommandError> {
    let mut state = ScreenState::new(Theme {
        has_colour: screen.on_stdout().is_on,
    });
    let mut held = RawTerminal::take()?;
    let surface = Surface {
        terminal: &mut held.terminal,
        events: EventStream::new(),
        suspend: terminal::suspend,
    };
    let shown = show(surface, &mut state, ends, stop).await;
    // The chat's screen is gone now; messages from here on stay visible.
    drop(held);
    if let Some(conversation) = &state.conversation {
        output::say(&words::continue_with(conversation));
    }
    shown
}

/// The terminal and input of a chat.
pub(super) struct Surface<'a, B: Backend, E> {
    pub(super) terminal: &'a mut Terminal<B>,
    /// Keys, pastes and resizes.
    pub(super) events: E,
    /// Releases the terminal for a while.
    pub(super) suspend: fn() -> io::Result<()>,
}

/// Shows a chat on any surface.
pub(super) async fn show<B, E>(
    mut surface: Surface<'_, B, E>,
    state: &mut ScreenState,
    mut ends: ChatChannel,
    stop: &CancellationToken,
) -> Result<(), CommandError>
where
    B: Backend,
    B::Error: std::error::Error + Send + Sync + 'static,
    E: Stream<Item = io::Result<Event>> + Unpin,
{
    let began = Instant::now();
    let mut outgoing: VecDeque<Order> = VecDeque::new();
    let mut next_picture = began;
    let mut is_old = true;
    let mut spin = interval(Duration::from_millis(SPIN_MS));
    spin.set_missed_tick_behavior(MissedTickBehavior::Delay);
    while state.activity != Activity::Over {
        tokio::select! {
            () = stop.cancelled() => {
                let _ = ends.orders.try_send(Order::Quit);
                return Err(CommandError::AlreadyReported(STOPPED));
            }
            event = surface.events.next() => {
                state.at(began.elapsed());
                is_old = true;
                // Without an input, the user is gone.
                let event = event.ok_or(CommandError::AlreadyReported(STOPPED))??;
                for deed in take_actions(state, event) {
                    match deed {
                        KeyAction::Send(order) => outgoing.push_back(order),
                        KeyAction::Leave => return Ok(()),
                        KeyAction::Redraw => surface.terminal.clear().map_err(io::Error::other)?,
                        KeyAction::Suspend => {
                            (surface.suspend)()?;
                            surface.terminal.clear().map_err(io::Error::other)?;
                        }
                    }
                }
            }
            first = ends.news.recv() => {
                state.at(began.elapsed());
                is_old = true;
                state.news(first.ok_or_else(broke_off)?);
                for _ in 1..MANY {
                    let Ok(next) = ends.news.try_recv() else { break };
                    state.news(next);
                }
            }
            permit = ends.orders.reserve(), if !outgoing.is_empty() => {
                // A chat that takes no more orders says why in its news.
                match (permit, outgoing.pop_front()) {
                    (Ok(permit), Some(order)) => permit.send(order),
                    (Err(_), _) | (Ok(_), None) => {}
                }
            }
            _ = spin.tick(), if state.is_moving() => is_old = true,
            () = sleep_until(next_picture), if is_old => {
                state.at(began.elapsed());
                surface.terminal.draw(|frame| state.draw(frame)).map_err(io::Error::other)?;
                next_picture = Instant::now() + FRAME;
                is_old = false;
            }
        }
    }
    Ok(())
}

fn take_actions(state: &mut ScreenState, event: Event) -> Vec<KeyAction> {
    match event {
        Event::Key(key) => state.key(key),
        Event::Paste(paste) => {
            state.paste(&paste);
            Vec::new()
        }
        Event::Resize(..) | Event::FocusGained | Event::FocusLost | Event::Mouse(_) => Vec::new(),
    }
}
