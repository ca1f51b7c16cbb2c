//! The parts of a log that can say who somebody is, or let somebody pass for them.

use super::typed_text;
use crate::session::event::Event;
use crate::session::plan::SessionPlan;

/// Takes them out of an event: words that somebody typed, and the code that leads back to a platform. The session's
/// state follows from the rest as before. Gives whether there was any. `plan` as for [`typed_text::in_event`].
pub fn hide(event: &mut Event, plan: Option<&SessionPlan>) -> bool {
    let words = typed_text::withhold(event, plan);
    let code = match event {
        Event::WayBackGiven { code, .. } => code.take().is_some(),
        _ => false,
    };
    words || code
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::recruitment::platform::Ended;

    #[test]
    fn a_code_is_hidden_and_the_rest_stays() {
        let mut event = Event::WayBackGiven {
            ended: Ended::Completed,
            platform: "prolific".into(),
            code: Some("C1".into()),
        };
        assert!(hide(&mut event, None));
        assert!(
            matches!(&event, Event::WayBackGiven { code: None, platform, .. } if platform == "prolific")
        );
        assert!(!hide(&mut event, None));
        let mut note = Event::NoteWritten {
            text: "Ada hesitates".into(),
            mark: Some("hesitates".into()),
            about_ms: None,
        };
        assert!(hide(&mut note, None));
        assert!(
            matches!(&note, Event::NoteWritten { text, mark, .. } if text == typed_text::WITHHELD && mark.is_some())
        );
    }
}
