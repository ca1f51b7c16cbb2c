//! The recordings of the session: their sound in step with the replay, their waveform, and the words that were said.

use api::research::{Right, SessionSound, SoundRecording, SpokenCue};
use api::routes;
use domain::lanes::Span;
use domain::session::event::SessionId;
use frontend::replay::chart::sound_lane::SoundLane;
use frontend::replay::clock::clock;
use frontend::replay::player::Player;
use frontend::replay::sound::{SoundTrack, decoded_peaks, is_heard};
use frontend::replay::view::SharedReplay;
use frontend::runtime::client::ClientError;
use frontend::runtime::research_client;
use frontend::ui::parts::Press;
use leptos::prelude::*;
use leptos::task::spawn_local;
use wasm_bindgen::JsCast as _;
use wasm_bindgen_futures::JsFuture;
use web_sys::{HtmlAudioElement, Url};

use super::viewer::Viewer;

use crate::text::text;

/// Sound that is further from the replay than this is brought to it, in seconds.
const APART_S: f64 = 0.3;

/// The players of the recordings, by their numbers; none where the sound could not be fetched.
#[derive(Default)]
struct Players(Vec<Option<HtmlAudioElement>>);

impl Players {
    /// Brings all sound to where the replay is.
    fn follow(&self, player: Player, tracks: &[SoundTrack]) {
        let heard = is_heard(player.is_playing(), player.speed());
        for (audio, track) in self.0.iter().zip(tracks) {
            let Some(audio) = audio else { continue };
            let place_s = track.place_s(player.at_ms()).filter(|_| heard);
            let Some(place_s) = place_s else {
                if !audio.paused() {
                    // Nothing is lost where it has stopped by itself.
                    let _ = audio.pause();
                }
                continue;
            };
            audio.set_playback_rate(player.speed());
            if audio.paused() || (audio.current_time() - place_s).abs() > APART_S {
                audio.set_current_time(place_s);
            }
            if audio.paused() {
                play(audio);
            }
        }
    }
}

/// Plays. A browser that wants a click first has had one, on *Play*; one that refuses all the same stays silent.
fn play(audio: &HtmlAudioElement) {
    if let Ok(played) = audio.play() {
        spawn_local(async move {
            let _ = JsFuture::from(played).await;
        });
    }
}

impl Drop for Players {
    fn drop(&mut self) {
        for audio in self.0.iter().flatten() {
            let _ = audio.pause();
            let _ = Url::revoke_object_url(&audio.src());
        }
    }
}

/// Fetches the sound on request, and shows it. Only for those who may identify people by their voices.
#[component]
pub fn SoundHere(
    /// The page.
    viewer: Viewer,
    /// The session.
    replay: SharedReplay,
) -> impl IntoView {
    let study = viewer.study.get_value();
    let records = replay.with_value(|replay| replay.records_sound());
    if !records || !viewer.area.may_for_seen(Right::Identify, &study) {
        return None;
    }
    let sound = RwSignal::new(None::<SessionSound>);
    let tracks = RwSignal::new(Vec::<SoundTrack>::new());
    let problems = RwSignal::new(Vec::<String>::new());
    let players = StoredValue::new_local(Players::default());
    let show = Callback::new(move |()| {
        viewer.area.attempt(async move {
            let (Some(study), Some(session)) =
                (viewer.study.try_get_value(), viewer.session.try_get_value())
            else {
                return Ok(());
            };
            let session = SessionId(session);
            let found: SessionSound =
                research_client::get(&routes::research_sound(&study, &session)).await?;
            if sound.try_set(Some(found.clone())).is_some() {
                return Ok(());
            }
            for (number, recording) in found.recordings.iter().enumerate() {
                let path = routes::research_sound_file(&study, &session);
                let path = format!("{path}?recording={number}");
                let fetched = match recording.playable_pieces {
                    0 => Ok(None),
                    _ => fetch(&path).await.map(Some),
                };
                let (audio, peaks) = match fetched {
                    Ok(Some(there)) => (Some(there.0), there.1),
                    Ok(None) => (None, Vec::new()),
                    Err(error) => {
                        let words = text().sound.failed(number + 1, error);
                        let _ = problems.try_update(|it| it.push(words));
                        (None, Vec::new())
                    }
                };
                let track = track_of(recording, peaks);
                // The page may have been left; then the sound is let go.
                let kept = players.try_update_value(|it| it.0.push(audio));
                if kept.is_none() || tracks.try_update(|it| it.push(track)).is_none() {
                    return Ok(());
                }
            }
            Ok(())
        });
    });
    Effect::new(move |_| {
        let player = viewer.player.get();
        tracks.with(|tracks| players.with_value(|it| it.follow(player, tracks)));
    });
    on_cleanup(move || {
        let _ = players.try_update_value(|it| *it = Players::default());
    });
    let said = Signal::derive(move || {
        sound.with(|sound| {
            let recordings = sound.iter().flat_map(|it| &it.recordings);
            let cues = recordings.flat_map(|it| it.transcript.iter().flatten());
            cues.map(|cue| Span {
                from_ms: cue.starts_at_ms,
                to_ms: cue.ends_at_ms,
            })
            .collect::<Vec<_>>()
        })
    });
    let seek = Callback::new(move |at_ms: u64| viewer.seek(at_ms));
    let at = Signal::derive(move || viewer.at_ms());
    let body = move || {
        match sound.get() {
        None => view! {
            <p class="area-words small">
                <Press testid="sound" class="button quiet" on_press=show>{text().sound.fetch()}</Press>
                <span class="muted">{text().sound.fetch_noted()}</span>
            </p>
        }
        .into_any(),
        Some(found) => {
            let lines = found.recordings.iter().enumerate();
            let lines: Vec<_> = lines
                .map(|(number, it)| view! { <li>{in_words(number, it)}</li> })
                .collect();
            let cues = found.recordings.into_iter().flat_map(|it| it.transcript.unwrap_or_default());
            let cues = cues.map(|cue| view! { <Cue viewer cue/> }).collect_view();
            let heading = (!cues.is_empty()).then(|| view! { <h2>{text().sound.said()}</h2> });
            view! {
                <SoundLane replay settings=viewer.chart at end=viewer.end_ms.into() tracks=tracks.into() said on_seek=seek/>
                <ul class="small muted" data-testid="recordings">{lines}</ul>
                {move || problems.get().into_iter().map(|it| view! { <p class="problem">{it}</p> }).collect_view()}
                {heading}
                <ol class="area-spoken" data-testid="transcript">{cues}</ol>
            }
            .into_any()
        }
    }
    };
    Some(view! { <section class="area-sound" aria-label=text().sound.label()>{body}</section> })
}

#[component]
fn Cue(viewer: Viewer, cue: SpokenCue) -> impl IntoView {
    let SpokenCue {
        starts_at_ms,
        ends_at_ms,
        speaker,
        text: said,
    } = cue;
    let now = Memo::new(move |_| (starts_at_ms..ends_at_ms).contains(&viewer.at_ms()));
    let speaker = speaker.map(|it| view! { <b>{it}": "</b> });
    view! {
        <li>
            <button
                type="button"
                class="area-entry"
                aria-current=move || now.get().then_some("true")
                on:click=move |_| viewer.seek(starts_at_ms)
            >
                <time>{clock(starts_at_ms)}</time>
                <span>{speaker}{said}</span>
            </button>
        </li>
    }
}

/// Sound as the browser plays it, and the peaks of its waveform; none where it cannot be decoded, but played perhaps.
async fn fetch(path: &str) -> Result<(HtmlAudioElement, Vec<f32>), ClientError> {
    let broken = |what: &str| ClientError::Unintelligible(what.to_owned());
    let blob = research_client::get_blob(path).await?;
    let address =
        Url::create_object_url_with_blob(&blob).map_err(|_| broken(text().sound.not_kept()))?;
    let audio =
        HtmlAudioElement::new_with_src(&address).map_err(|_| broken(text().sound.not_played()))?;
    let bytes = JsFuture::from(blob.array_buffer()).await;
    let bytes = bytes
        .ok()
        .and_then(|it| it.dyn_into::<js_sys::ArrayBuffer>().ok());
    let peaks = match bytes {
        Some(bytes) => decoded_peaks(&bytes).await.unwrap_or_default(),
        None => Vec::new(),
    };
    Ok((audio, peaks))
}

fn track_of(recording: &SoundRecording, peaks: Vec<f32>) -> SoundTrack {
    SoundTrack {
        heard: Span {
            from_ms: recording.started_at_ms,
            to_ms: recording.playable_until_ms,
        },
        ended_at_ms: recording.ended_at_ms,
        peaks,
    }
}

/// The facts about a recording, in a sentence or more.
fn in_words(number: usize, recording: &SoundRecording) -> String {
    let texts = &text().sound;
    let mut words = texts.recording(
        number + 1,
        clock(recording.started_at_ms),
        clock(recording.ended_at_ms),
    );
    if recording.missing_pieces > 0 {
        words += &texts.missing(
            recording.missing_pieces,
            recording.pieces,
            clock(recording.playable_until_ms),
        );
    }
    if !recording.stopped {
        words += texts.end_lost();
    }
    if recording.transcript.is_none() {
        words += texts.no_transcript();
    }
    words
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_missing_of_a_recording_is_said() {
        let whole = SoundRecording {
            media_type: "audio/webm".to_owned(),
            started_at_ms: 2_000,
            ended_at_ms: 10_000,
            playable_until_ms: 10_000,
            stopped: true,
            pieces: 2,
            playable_pieces: 2,
            missing_pieces: 0,
            transcript: Some(Vec::new()),
        };
        let words = in_words(0, &whole);
        assert!(
            !words.contains("missing") && !words.contains("lost"),
            "{words}"
        );
        let cut = SoundRecording {
            playable_until_ms: 6_000,
            stopped: false,
            missing_pieces: 1,
            transcript: None,
            ..whole
        };
        let words = in_words(0, &cut);
        for part in ["1 piece of 2 missing", "lost", "no transcript"] {
            assert!(words.contains(part), "{words}");
        }
    }
}
