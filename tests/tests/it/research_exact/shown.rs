//! What a screen shows, to be compared with another.

use anyhow::Result;
use tests::browser::Browser;

/// What a screen shows: its words, where dials stand, what is chosen, and its pictures in small.
const SHOWN: &str = "
    const [frame, selector] = arguments;
    const page = frame ? document.querySelector(frame)?.contentDocument : document;
    const root = page?.querySelector(selector);
    if (!root) return null;
    const seen = [...root.querySelectorAll('*')].filter(it => it.checkVisibility());
    // What is only said to screen readers was said once, when it happened.
    const unseen = [...root.querySelectorAll('.visually-hidden')].map(it => it.innerText.trim());
    const all = root.innerText.split('\\n').map(it => it.trim());
    const words = all.filter(it => it && !unseen.includes(it));
    const dials = seen.filter(it => it.matches('input[type=range]')).map(it => it.value);
    const chosen = seen.filter(it => it.matches('input:checked')).map(it => it.value);
    const small = picture => {
        const canvas = new OffscreenCanvas(24, 24);
        const context = canvas.getContext('2d');
        context.drawImage(picture, 0, 0, 24, 24);
        return [...context.getImageData(0, 0, 24, 24).data];
    };
    const pictures = seen.filter(it => it.matches('canvas') && it.width && it.height).map(small);
    return { words, dials, chosen, pictures };";

#[derive(Debug, serde::Deserialize)]
pub struct Shown {
    words: Vec<String>,
    dials: Vec<String>,
    chosen: Vec<String>,
    pictures: Vec<Vec<f64>>,
}

impl Shown {
    /// What differs from another, in words.
    pub fn differs(&self, other: &Self) -> Option<String> {
        if self.words != other.words {
            return Some(format!("{:?}\n{:?}", self.words, other.words));
        }
        if (&self.dials, &self.chosen) != (&other.dials, &other.chosen) {
            return Some(format!(
                "{:?} {:?}\n{:?} {:?}",
                self.dials, self.chosen, other.dials, other.chosen
            ));
        }
        if self.pictures.len() != other.pictures.len() {
            let counts = (self.pictures.len(), other.pictures.len());
            return Some(format!("{counts:?} pictures"));
        }
        // They may be of another size on screen, and then are scaled with other seams.
        let mean = |(a, b): (&Vec<f64>, &Vec<f64>)| {
            let sum: f64 = a.iter().zip(b).map(|(a, b)| (a - b).abs()).sum();
            sum / a.len().max(1) as f64
        };
        let far = self.pictures.iter().zip(&other.pictures).map(mean);
        let far: Vec<f64> = far.filter(|far| *far > 6.0).collect();
        (!far.is_empty()).then(|| format!("pictures differ by {far:?} of 255"))
    }
}

/// What an element of the page shows, or one within a frame of it.
pub async fn shown(browser: &Browser, frame: &str, root: &str) -> Result<Option<Shown>> {
    let found = browser.look(SHOWN, vec![frame.into(), root.into()]).await?;
    Ok(serde_json::from_value::<Option<Shown>>(found)?)
}
