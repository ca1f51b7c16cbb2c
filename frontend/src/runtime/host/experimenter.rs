//! The host's part in a lab session: the page does what the experimenter asks for, and logs it.

use std::rc::Weak;

use domain::session::Session;
use domain::session::event::Event;
use domain::session::plan::Mode;
use leptos::task::spawn_local;

use super::Host;
use crate::runtime::client;
use crate::runtime::current::TakenSession as _;
use crate::runtime::retry::Retry;

impl Host {
    /// Listens to the experimenter of a lab session for as long as the session is open here.
    pub(super) fn listen_to_experimenter(&self) {
        if self.read(|session| session.plan().mode) == Mode::Lab {
            spawn_local(listen(self.this.clone()));
        }
    }

    /// Does what the experimenter asks for. Nothing is done again after a reload.
    fn obey(&self, asked: &Event) {
        match asked {
            Event::PauseAsked if !self.read(Session::is_paused) => {
                self.flush_question();
                self.mute(true);
                self.act(Event::Paused);
            }
            Event::ResumeAsked if self.read(Session::is_paused) => {
                self.mute(false);
                self.act(Event::Resumed);
            }
            Event::StageEndAsked { stage }
                if self.read(Session::stage_under_way) == Some(*stage) =>
            {
                self.cut_question();
                // The last movement may have been the solution, and the stage be over with it.
                if self.read(Session::stage_under_way) == Some(*stage) {
                    self.act(Event::StageEnded { stage: *stage });
                }
            }
            _ => {}
        }
    }
}

async fn listen(host: Weak<Host>) {
    let retry = Retry::default();
    let mut from = 0;
    let request = |from| {
        let host = host
            .upgrade()
            .filter(|host| !host.is_over() && !host.is_closed())?;
        let (id, token) = (host.id.clone(), host.token.clone());
        Some(async move { client::asked(&id, &token, from).await })
    };
    while let Some(answer) = request(from) {
        match answer.await {
            Ok(asked) => {
                retry.succeeded();
                from = asked.read_to;
                let Some(host) = host.upgrade().filter(|host| !host.is_closed()) else {
                    return;
                };
                // A pause that ended while this page was away is none.
                let newest = asked
                    .events
                    .iter()
                    .rposition(|it| matches!(it.event, Event::PauseAsked | Event::ResumeAsked));
                for (index, envelope) in asked.events.iter().enumerate() {
                    let over = matches!(envelope.event, Event::PauseAsked | Event::ResumeAsked)
                        && Some(index) != newest;
                    if !over {
                        host.obey(&envelope.event);
                    }
                }
            }
            // Without a network the page goes on by itself.
            Err(_) => retry.pause().await,
        }
    }
}
