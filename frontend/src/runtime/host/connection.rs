//! The connection to the server, as a session hears of it.

use domain::session::event::Event;
use leptos::task::spawn_local;

use super::Host;
use crate::runtime::renewal;
use crate::runtime::uplink::ConnectionEvent;
use crate::runtime::upload::UploadInput;

impl Host {
    pub(super) fn on_connection(&self, event: ConnectionEvent) {
        match event {
            ConnectionEvent::Lost => self.log(Event::ConnectionLost),
            ConnectionEvent::Restored => {
                self.log(Event::ConnectionRestored);
                let me = self.this.clone();
                spawn_local(async move {
                    let due = renewal::is_due().await;
                    if let Some(host) = me.upgrade() {
                        host.renewal_due.set(due);
                    }
                });
            }
            ConnectionEvent::Progress => {
                self.refresh();
                self.ask_to_leave_if_due();
            }
            ConnectionEvent::Stopped(error) => self.cannot_upload(&error),
        }
    }

    /// The browser noticed a change of the network.
    pub fn network(&self, up: bool) {
        if !self.is_over() {
            self.uplink.on(if up {
                UploadInput::NetworkUp
            } else {
                UploadInput::NetworkDown
            });
        }
    }
}
