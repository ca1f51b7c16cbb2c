//! Bringing values into the order that the next layer, or an instance, needs.

use decode::architecture::{Flow, Layer};

use super::{Builder, Places};

/// What is said of an order that no layer can make.
const NO_LAYER: &str =
    "its values come in an order that no layer here can make (a pixel shuffle, rows for columns?)";

impl Builder {
    /// Makes maps of the values at `places`, which are in the order channels, rows, columns.
    ///
    /// # Errors
    /// When no layer, and no change of the weights before, can do so.
    pub fn arrange_maps(
        &mut self,
        channels: usize,
        height: usize,
        width: usize,
        places: &Places,
    ) -> Result<(), String> {
        let wanted = Wanted {
            channels,
            height,
            width,
            places,
        };
        for scale in (1..=height.max(1)).filter(|&s| s == 1 || wanted.repeats_by(s)) {
            let (h, w) = (height / scale, width / scale);
            match self.flow {
                Flow::Maps { .. } => {
                    let same = self.flow
                        == Flow::Maps {
                            channels,
                            height: h,
                            width: w,
                        };
                    if same && wanted.is(scale, false) {
                        self.upsample(scale);
                        return Ok(());
                    }
                }
                Flow::Flat(n) => {
                    if n != channels * h * w {
                        continue;
                    }
                    let order = [false, true]
                        .into_iter()
                        .find(|&last| wanted.is(scale, last));
                    if let Some(channels_last) = order {
                        self.reshape(channels, h, w, channels_last);
                        self.upsample(scale);
                        return Ok(());
                    }
                }
            }
        }
        match (self.flow, places) {
            // Maps of one channel, or of one pixel, may be read in another shape.
            (Flow::Maps { .. }, None) => {
                self.flatten();
                self.reshape(channels, height, width, false);
                Ok(())
            }
            (Flow::Flat(_), Some(places)) if self.reorder_outputs(places) => {
                self.reshape(channels, height, width, false);
                Ok(())
            }
            (Flow::Maps { .. }, Some(places)) => {
                let wanted = (channels, height, width);
                if self.crop(wanted, places)
                    || self.repeat_points(wanted, places)
                    || self.crop_and_repeat(wanted, places)
                {
                    Ok(())
                } else {
                    Err(NO_LAYER.to_owned())
                }
            }
            _ => Err(NO_LAYER.to_owned()),
        }
    }

    /// Makes the decoder's output of the values at `places`, which are in the order of
    /// an instance: rows, columns, channels.
    ///
    /// # Errors
    /// As [`arrange_maps`](Self::arrange_maps).
    pub fn arrange_instance(
        &mut self,
        (height, width, channels): (usize, usize, usize),
        places: &Places,
    ) -> Result<(), String> {
        if let Flow::Flat(n) = self.flow {
            return match places {
                None => Ok(()),
                Some(places) if places.len() == n && places.iter().copied().eq(0..n) => Ok(()),
                Some(places) if self.reorder_outputs(places) => Ok(()),
                Some(_) => Err(NO_LAYER.to_owned()),
            };
        }
        let natural = places
            .as_ref()
            .is_none_or(|places| places.iter().copied().eq(0..self.flow.len()));
        if natural && channels == 1 {
            // However the maps are called: one after the other they are the instance.
            if !matches!(self.flow, Flow::Maps { channels: 1, .. }) {
                self.flatten();
            }
            return Ok(());
        }
        // The same places, channels first.
        let mut first = Vec::with_capacity(height * width * channels);
        for channel in 0..channels {
            for pixel in 0..height * width {
                let at = pixel * channels + channel;
                first.push(places.as_ref().map_or(at, |places| places[at]));
            }
        }
        if self
            .arrange_maps(channels, height, width, &Some(first))
            .is_ok()
        {
            return Ok(());
        }
        if natural {
            self.flatten();
            return Ok(());
        }
        Err(NO_LAYER.to_owned())
    }

    fn reshape(&mut self, channels: usize, height: usize, width: usize, channels_last: bool) {
        self.layers.push(Layer::Reshape {
            channels,
            height,
            width,
            channels_last,
        });
        self.flow = Flow::Maps {
            channels,
            height,
            width,
        };
    }
}

/// Maps that are wanted, and where their values are.
struct Wanted<'a> {
    channels: usize,
    height: usize,
    width: usize,
    places: &'a Places,
}

impl Wanted<'_> {
    /// Whether maps of these sides can be repeated pixels, each `scale` times.
    fn repeats_by(&self, scale: usize) -> bool {
        self.places.is_some()
            && self.height.is_multiple_of(scale)
            && self.width.is_multiple_of(scale)
    }

    /// Whether the values are those of maps in natural order, or with the channels
    /// last, with every row and column repeated `scale` times.
    fn is(&self, scale: usize, channels_last: bool) -> bool {
        let (h, w) = (self.height / scale, self.width / scale);
        let Some(places) = self.places else {
            return scale == 1 && (!channels_last || self.channels == 1);
        };
        let mut places = places.iter();
        for c in 0..self.channels {
            for y in 0..self.height {
                for x in 0..self.width {
                    let (y, x) = (y / scale, x / scale);
                    let place = if channels_last {
                        (y * w + x) * self.channels + c
                    } else {
                        (c * h + y) * w + x
                    };
                    if places.next() != Some(&place) {
                        return false;
                    }
                }
            }
        }
        places.next().is_none()
    }
}
