//! Which inputs are not zero: after a ReLU about half are, and their weights need not
//! even be read.

/// Lists of the values that are not zero, one list per pixel, one after the other.
#[derive(Debug, Clone, Default)]
pub struct NonZero {
    entries: Vec<(u32, f32)>,
    /// Where the list of a pixel ends, and that of the next begins.
    ends: Vec<u32>,
}

impl NonZero {
    /// Makes room for `values` values in `pixels` pixels, so that listing them does not
    /// allocate.
    pub fn reserve(&mut self, values: usize, pixels: usize) {
        self.entries
            .resize(self.entries.len().max(values + 1), (0, 0.0));
        self.ends.reserve(pixels.saturating_sub(self.ends.len()));
    }

    /// Lists the first `channels` values of each pixel, every one times `factor`; pixels
    /// begin `step` values apart.
    #[inline(always)]
    pub fn list(&mut self, x: &[f32], channels: usize, step: usize, factor: f32) {
        self.ends.clear();
        let mut len = 0;
        for pixel in x.chunks(step) {
            for (channel, &value) in (0u32..).zip(&pixel[..channels.min(pixel.len())]) {
                // Written always and kept if it counts: no branch to mispredict.
                self.entries[len] = (channel, value * factor);
                len += usize::from(value != 0.0);
            }
            self.ends.push(len as u32);
        }
    }

    /// The list of a pixel: channel and value. Every channel is below the `channels`
    /// that were listed.
    #[inline(always)]
    pub fn of(&self, pixel: usize) -> &[(u32, f32)] {
        let begin = if pixel == 0 { 0 } else { self.ends[pixel - 1] };
        &self.entries[begin as usize..self.ends[pixel] as usize]
    }
}
