//! The sound of a session: how loud it is when, and where a recording has a moment.

use domain::lanes::Span;
use js_sys::ArrayBuffer;
use wasm_bindgen::{JsCast, JsValue};
use wasm_bindgen_futures::JsFuture;
use web_sys::{AudioBuffer, OfflineAudioContext};

/// How long the piece is that each peak is of, in milliseconds.
pub const PEAK_MS: u64 = 50;
/// Samples a second that are decoded for a waveform: speech needs no more.
const RATE_HZ: f32 = 8_000.0;

/// A recording whose sound is here.
#[derive(Debug, Clone, PartialEq)]
pub struct SoundTrack {
    /// The part of it that can be heard, in milliseconds since the session's start.
    pub heard: Span,
    /// Where it ends by the log; beyond `heard` pieces are missing.
    pub ended_at_ms: u64,
    /// The largest sample of each [`PEAK_MS`], from 0 to 1.
    pub peaks: Vec<f32>,
}

impl SoundTrack {
    /// The largest peak between two moments; none where nothing can be heard.
    #[must_use]
    pub fn peak(&self, from_ms: u64, to_ms: u64) -> Option<f32> {
        let until_ms = to_ms.max(from_ms + 1);
        if until_ms <= self.heard.from_ms || from_ms >= self.heard.to_ms {
            return None;
        }
        let place = |ms: u64| {
            usize::try_from(ms.saturating_sub(self.heard.from_ms) / PEAK_MS).unwrap_or(usize::MAX)
        };
        let (first, last) = (place(from_ms), place(until_ms - 1));
        let peaks = self.peaks.iter().skip(first);
        peaks
            .take(last.saturating_sub(first).saturating_add(1))
            .copied()
            .reduce(f32::max)
    }

    /// How many seconds after its beginning it has a moment; none where it has not.
    #[must_use]
    pub fn place_s(&self, at_ms: u64) -> Option<f64> {
        let inside = (self.heard.from_ms..self.heard.to_ms).contains(&at_ms);
        inside.then(|| (at_ms - self.heard.from_ms) as f64 / 1_000.0)
    }
}

/// Whether sound is heard: while it plays, at speeds at which speech can be followed.
#[must_use]
pub fn is_heard(playing: bool, speed: f64) -> bool {
    playing && (0.5..=2.0).contains(&speed)
}

/// Decodes sound into the peaks of its waveform. The bytes are used up.
///
/// # Errors
/// The browser's, where it cannot decode them.
pub async fn decoded_peaks(bytes: &ArrayBuffer) -> Result<Vec<f32>, JsValue> {
    let context =
        OfflineAudioContext::new_with_number_of_channels_and_length_and_sample_rate(1, 1, RATE_HZ)?;
    let decoded = JsFuture::from(context.decode_audio_data(bytes)?).await?;
    let decoded: AudioBuffer = decoded.dyn_into()?;
    // Piece by piece: memory of this app that is taken once is never given back.
    let step = (decoded.sample_rate() * PEAK_MS as f32 / 1_000.0).max(1.0) as u32;
    let mut piece = vec![0.0_f32; step as usize];
    let mut peaks = Vec::new();
    let mut start = 0;
    while start < decoded.length() {
        piece.fill(0.0);
        decoded.copy_from_channel_with_start_in_channel(&mut piece, 0, start)?;
        let peak = piece.iter().map(|it| it.abs()).fold(0.0, f32::max);
        peaks.push(peak.min(1.0));
        start += step;
    }
    Ok(peaks)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_waveform_has_the_loudest_of_what_a_place_stands_for() {
        let track = SoundTrack {
            heard: Span {
                from_ms: 1_000,
                to_ms: 1_200,
            },
            ended_at_ms: 2_000,
            peaks: vec![0.1, 0.5, 0.2, 0.0],
        };
        assert_eq!(track.peak(0, 1_000), None);
        assert_eq!(track.peak(1_000, 1_050), Some(0.1));
        assert_eq!(track.peak(0, 1_051), Some(0.5));
        assert_eq!(track.peak(1_100, 9_000), Some(0.2));
        assert_eq!(track.peak(1_060, 1_060), Some(0.5));
        assert_eq!(track.peak(1_200, 1_300), None);
        assert_eq!(track.place_s(999), None);
        assert_eq!(track.place_s(1_100), Some(0.1));
        assert_eq!(track.place_s(1_200), None);
    }

    #[test]
    fn sound_is_heard_where_speech_can_be_followed() {
        let speeds = crate::replay::player::SPEEDS;
        let heard: Vec<f64> = speeds
            .into_iter()
            .filter(|it| is_heard(true, *it))
            .collect();
        assert_eq!(heard, [0.5, 1.0, 2.0]);
        assert!(!is_heard(false, 1.0));
    }
}
