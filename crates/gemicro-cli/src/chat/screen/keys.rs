//! Handles keys.

use gemicro_chat::Order;
use ratatui::crossterm::event::{KeyCode, KeyEvent, KeyEventKind, KeyModifiers};

use super::state::{Activity, ScreenState};
use crate::chat::message::{self, CheckedText};
use crate::chat::slash::{self, TypedLine};
use crate::chat::words;

const AGAIN: &str = "Ctrl-C again leaves";
const BUSY: &str = "an answer is pending; Esc stops it";

/// An action for the main loop.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum KeyAction {
    /// Send an order to the chat.
    Send(Order),
    Redraw,
    /// Release the terminal until the shell continues this process.
    Suspend,
    /// Leave without waiting for the end of the chat.
    Leave,
}

impl ScreenState {
    pub(super) fn key(&mut self, key: KeyEvent) -> Vec<KeyAction> {
        if key.kind == KeyEventKind::Release {
            return Vec::new();
        }
        let hint = self.hint.take();
        let is_ctrl = key.modifiers.contains(KeyModifiers::CONTROL);
        match key.code {
            KeyCode::Char('c') if is_ctrl => return self.interrupt(hint),
            KeyCode::Char('l') if is_ctrl => return vec![KeyAction::Redraw],
            KeyCode::Char('z') if is_ctrl => return vec![KeyAction::Suspend],
            _ => {}
        }
        if matches!(self.activity, Activity::Closing | Activity::Over) {
            return Vec::new();
        }
        if !self.questions.is_empty() {
            return self.answer(key, is_ctrl);
        }
        self.edit(key, is_ctrl)
    }

    pub(super) fn paste(&mut self, paste: &str) {
        let is_ours =
            self.questions.is_empty() && !matches!(self.activity, Activity::Closing | Activity::Over);
        if !is_ours {
            return;
        }
        let (clean, notice) = message::clean(paste);
        if let Some(notice) = notice {
            self.warn(&notice);
        }
        if let Err(why) = self.editor.paste(&clean) {
            self.warn(&why);
        }
    }

    /// Ctrl-C: stops the answer, or clears the text, or leaves when pressed twice.
    fn interrupt(&mut self, hint: Option<&'static str>) -> Vec<KeyAction> {
        let refused = self.refuse_all();
        match self.activity {
            Activity::Closing | Activity::Over => return vec![KeyAction::Leave],
            Activity::Answering { .. } => return refused.into_iter().chain(self.stop()).collect(),
            Activity::Stopping { .. } | Activity::Sent(_) | Activity::Idle => {}
        }
        if !self.editor.is_empty() && !self.is_busy() {
            self.editor.clear();
        } else if hint == Some(AGAIN) {
            return self.quit();
        } else {
            self.hint = Some(AGAIN);
        }
        refused
    }

    fn refuse_all(&mut self) -> Vec<KeyAction> {
        let keys: Vec<String> = self.questions.iter().map(|it| it.question.key.clone()).collect();
        keys.into_iter().flat_map(|key| self.settle(key, false)).collect()
    }

    /// Handles a key while a question waits: a clear yes, a clear no, or text that was meant for the editor.
    fn answer(&mut self, key: KeyEvent, is_ctrl: bool) -> Vec<KeyAction> {
        let now = self.now;
        let Some(first) = self.questions.front_mut() else {
            return Vec::new();
        };
        let is_plain = !key
            .modifiers
            .intersects(KeyModifiers::CONTROL | KeyModifiers::ALT);
        let name = first.question.key.clone();
        match key.code {
            KeyCode::Esc => self.settle(name, false),
            KeyCode::Char('y' | 'Y') if is_plain && first.can_be_allowed(now) => self.settle(name, true),
            // The question was not seen to its end: the key is neither an answer nor text for the editor.
            KeyCode::Char('y' | 'Y') if is_plain && first.can_be_answered(now) => Vec::new(),
            KeyCode::Char('n' | 'N') if is_plain && first.can_be_answered(now) => self.settle(name, false),
            KeyCode::Enter if first.can_be_answered(now) => self.settle(name, false),
            KeyCode::Enter => {
                first.note_typing(now);
                Vec::new()
            }
            KeyCode::Char(_) | KeyCode::Backspace => {
                first.note_typing(now);
                self.edit(key, is_ctrl)
            }
            KeyCode::PageDown => {
                first.scroll(true);
                Vec::new()
            }
            KeyCode::PageUp => {
                first.scroll(false);
                Vec::new()
            }
            _ => Vec::new(),
        }
    }

    fn settle(&mut self, key: String, allow: bool) -> Vec<KeyAction> {
        self.remove_question(&key, allow);
        vec![KeyAction::Send(Order::Answer { key, allow })]
    }

    fn edit(&mut self, key: KeyEvent, is_ctrl: bool) -> Vec<KeyAction> {
        let is_other_enter = key.modifiers.intersects(KeyModifiers::ALT | KeyModifiers::SHIFT);
        match key.code {
            KeyCode::Enter if is_other_enter => self.editor.new_line(),
            KeyCode::Char('j') if is_ctrl => self.editor.new_line(),
            KeyCode::Enter => {
                if !self.editor.new_line_for_backslash() {
                    return self.send();
                }
            }
            KeyCode::Char('d') if is_ctrl && self.editor.is_empty() => return self.quit(),
            KeyCode::Char('u') if is_ctrl => self.editor.delete_to_head(),
            KeyCode::Esc => return self.stop(),
            KeyCode::Tab => {
                if let Some(completed) = slash::complete(&self.editor.text()) {
                    self.editor.replace(&completed);
                }
            }
            KeyCode::Up => self.editor.up(),
            KeyCode::Down => self.editor.down(),
            KeyCode::PageUp => self.transcript.page_up(),
            KeyCode::PageDown => self.transcript.page_down(),
            KeyCode::Char(c) if c.is_control() => {}
            // The text area would scroll with these keys.
            KeyCode::Char('v') if !key.modifiers.difference(KeyModifiers::SHIFT).is_empty() => {}
            _ => {
                if let Err(why) = self.editor.key(key) {
                    self.warn(&why);
                }
            }
        }
        Vec::new()
    }

    /// Sends the text, or says why not and keeps it.
    fn send(&mut self) -> Vec<KeyAction> {
        let text = match message::check(&self.editor.message()) {
            CheckedText::Empty => return Vec::new(),
            CheckedText::TooLong(why) => {
                self.warn(&why);
                return Vec::new();
            }
            CheckedText::Fine(text) => text,
        };
        match slash::read(&text) {
            TypedLine::Wrong(why) => self.warn(&why),
            TypedLine::Help => {
                self.editor.take();
                self.transcript
                    .push(super::layout::EntryKind::Page, &words::help(true), None);
                self.transcript.follow();
            }
            TypedLine::Order(Order::Quit) => return self.quit(),
            TypedLine::Order(_) if self.is_busy() => self.hint = Some(BUSY),
            TypedLine::Order(order) => {
                let draft = self.editor.take();
                self.transcript.follow();
                if matches!(order, Order::Say(_)) {
                    self.activity = Activity::Sent(draft);
                }
                return vec![KeyAction::Send(order)];
            }
        }
        Vec::new()
    }

    fn stop(&mut self) -> Vec<KeyAction> {
        let Activity::Answering { since, run } = &self.activity else {
            return Vec::new();
        };
        self.activity = Activity::Stopping {
            since: *since,
            run: run.clone(),
        };
        vec![KeyAction::Send(Order::Stop)]
    }

    fn quit(&mut self) -> Vec<KeyAction> {
        self.activity = Activity::Closing;
        self.questions.clear();
        vec![KeyAction::Send(Order::Quit)]
    }
}
