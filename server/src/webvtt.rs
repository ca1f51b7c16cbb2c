//! WebVTT, the format of transcripts: <https://www.w3.org/TR/webvtt1/>.

/// The words that somebody says, and when.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Cue {
    /// When it begins, in milliseconds from the beginning of the file with the sound.
    pub start_ms: u64,
    /// When it ends, in the same time.
    pub end_ms: u64,
    /// The speaker, where the transcript says so (`<v Experimenter>`); of several the first.
    pub speaker: Option<String>,
    /// The words, without marks; lines are joined by a space.
    pub text: String,
}

/// Why a text is no transcript.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub struct NotWebVtt {
    /// The line, from 1.
    pub line: usize,
    /// The problem there, and what should stand there.
    pub what: String,
}

/// Most bytes of a transcript: some ten hours of speech.
pub const MAX_BYTES: usize = 512 * 1024;

/// Reads the cues of a transcript, in their order. Notes, styles, regions and the names of cues are
/// left out; an empty transcript has no cue.
///
/// # Errors
/// The first line that is not WebVTT.
pub fn cues(text: &str) -> Result<Vec<Cue>, NotWebVtt> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let mut lines = text.lines().enumerate().map(|(at, line)| (at + 1, line));
    let header = lines.next().map(|(_, line)| line).unwrap_or_default();
    let is_header = header
        .strip_prefix("WEBVTT")
        .is_some_and(|rest| rest.is_empty() || rest.starts_with([' ', '\t']));
    if !is_header {
        return Err(NotWebVtt {
            line: 1,
            what: format!(
                "'{}'; a transcript in WebVTT begins with WEBVTT",
                start_of(header)
            ),
        });
    }
    let mut cues = Vec::new();
    let mut block: Vec<(usize, &str)> = Vec::new();
    for (at, line) in lines.chain(std::iter::once((usize::MAX, ""))) {
        if !line.trim().is_empty() {
            block.push((at, line));
            continue;
        }
        cues.extend(cue(&block)?);
        block.clear();
    }
    Ok(cues)
}

/// The cue in a run of lines without an empty one, if there is one.
fn cue(block: &[(usize, &str)]) -> Result<Option<Cue>, NotWebVtt> {
    let Some(timing) = block.iter().position(|(_, line)| line.contains("-->")) else {
        // A note, a style, a region, or lines of the header. Anything else was to be a cue.
        let first = block.first().copied();
        let known = |line: &str| {
            ["NOTE", "STYLE", "REGION"]
                .iter()
                .any(|it| line.starts_with(it))
        };
        return match first {
            Some((line, text)) if !known(text) && line > 2 => Err(NotWebVtt {
                line,
                what: format!(
                    "'{}' stands without a time such as 00:01.000 --> 00:04.000",
                    start_of(text)
                ),
            }),
            _ => Ok(None),
        };
    };
    let (line, timing_line) = block[timing];
    let wrong = |what: String| NotWebVtt { line, what };
    let (start, rest) = timing_line.split_once("-->").unwrap_or_default();
    let end = rest.split_whitespace().next().unwrap_or_default();
    let time = |text: &str| {
        let text = text.trim();
        time_ms(text)
            .ok_or_else(|| wrong(format!("'{text}' is no time; write it like 00:01:02.500")))
    };
    let (start_ms, end_ms) = (time(start)?, time(end)?);
    if end_ms < start_ms {
        return Err(wrong("a cue ends before it begins".to_owned()));
    }
    let said: Vec<&str> = block[timing + 1..]
        .iter()
        .map(|(_, line)| line.trim())
        .collect();
    let said = said.join(" ");
    Ok(Some(Cue {
        start_ms,
        end_ms,
        speaker: speaker(&said),
        text: without_marks(&said),
    }))
}

/// `HH:MM:SS.mmm` or `MM:SS.mmm` in milliseconds.
fn time_ms(text: &str) -> Option<u64> {
    let (clock, millis) = text.split_once('.')?;
    let digits = |text: &str, count: usize| {
        let fits = text.len() == count || count == 0 && text.len() >= 2 && text.len() <= 4;
        let number = fits && text.bytes().all(|c| c.is_ascii_digit());
        number.then(|| text.parse::<u64>().ok()).flatten()
    };
    let parts: Vec<&str> = clock.split(':').collect();
    let (hours, minutes, seconds) = match parts[..] {
        [minutes, seconds] => (0, digits(minutes, 2)?, digits(seconds, 2)?),
        [hours, minutes, seconds] => (digits(hours, 0)?, digits(minutes, 2)?, digits(seconds, 2)?),
        _ => return None,
    };
    let fits = minutes < 60 && seconds < 60;
    fits.then_some(((hours * 60 + minutes) * 60 + seconds) * 1_000 + digits(millis, 3)?)
}

/// The speaker: the annotation of the first `<v …>`.
fn speaker(said: &str) -> Option<String> {
    let from = said.find("<v")? + 2;
    let (tag, _) = said[from..].split_once('>')?;
    // Classes stand before the name: <v.loud Ada>.
    let (_, name) = tag.split_once([' ', '\t'])?;
    Some(name.trim().to_owned()).filter(|name| !name.is_empty())
}

/// The words without tags, and with escapes read.
fn without_marks(said: &str) -> String {
    let mut words = String::new();
    let mut in_tag = false;
    for c in said.chars() {
        match c {
            '<' => in_tag = true,
            '>' if in_tag => in_tag = false,
            _ if !in_tag => words.push(c),
            _ => {}
        }
    }
    for (escape, c) in [
        ("&lt;", "<"),
        ("&gt;", ">"),
        ("&nbsp;", " "),
        ("&lrm;", ""),
        ("&rlm;", ""),
        ("&amp;", "&"),
    ] {
        words = words.replace(escape, c);
    }
    words.trim().to_owned()
}

fn start_of(text: &str) -> String {
    text.chars().take(40).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cues_are_read_and_the_rest_is_left_out() {
        // After the examples of the specification: a note, names of cues, settings, voices, escapes.
        let text = "\u{feff}WEBVTT - Session 1\nLanguage: en\n\nNOTE by hand\nover two lines\n\n\
                    first\n00:01.000 --> 00:04.250 line:0 position:20%\n<v.loud Roger Bingham>We are in <i>New York</i>\nCity\n\n\
                    01:00:00.000 --> 01:00:00.000\nR &amp; D &lt;3\n\nSTYLE\n::cue { color: red }\n";
        let cue = |start_ms, end_ms, speaker: Option<&str>, text: &str| Cue {
            start_ms,
            end_ms,
            speaker: speaker.map(str::to_owned),
            text: text.to_owned(),
        };
        assert_eq!(
            cues(text).unwrap(),
            [
                cue(
                    1_000,
                    4_250,
                    Some("Roger Bingham"),
                    "We are in New York City"
                ),
                cue(3_600_000, 3_600_000, None, "R & D <3"),
            ]
        );
        assert_eq!(cues("WEBVTT").unwrap(), []);
        // Windows writes \r\n.
        assert_eq!(
            cues("WEBVTT\r\n\r\n00:00.000 --> 00:01.000\r\nyes\r\n")
                .unwrap()
                .len(),
            1
        );
    }

    #[test]
    fn what_is_wrong_is_said_with_its_line() {
        for (text, line, part) in [
            ("", 1, "begins with WEBVTT"),
            (
                "1\n00:00:01,000 --> 00:00:02,000\nsrt",
                1,
                "begins with WEBVTT",
            ),
            (
                "WEBVTT\n\n00:01,000 --> 00:02.000\nx",
                3,
                "'00:01,000' is no time",
            ),
            (
                "WEBVTT\n\n00:01.000 --> 1:2.000\nx",
                3,
                "'1:2.000' is no time",
            ),
            ("WEBVTT\n\n00:61.000 --> 01:02.000\nx", 3, "no time"),
            ("WEBVTT\n\na\n00:02.000 --> 00:01.000\nx", 4, "ends before"),
            ("WEBVTT\n\nwords alone", 3, "stands without a time"),
        ] {
            let error = cues(text).unwrap_err();
            assert_eq!(error.line, line, "{text}");
            assert!(error.what.contains(part), "{error}");
        }
    }
}
