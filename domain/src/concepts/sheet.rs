//! The samples of one concept, with maps of where the concept is.

use super::PictureShape;

/// The samples of one concept. Its values, which are kept as an instance is
/// ([`Instance`](crate::model::instance::Instance)), lie sample by sample: first the picture
/// (row by row, channels last, 0…1), then the map (row by row, 0…1, as many rows and columns).
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Sheet<'a> {
    values: &'a [f32],
    height: usize,
    width: usize,
    channels: usize,
    samples: usize,
}

/// Where a highlight is, for who does not see it.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct HighlightPlace {
    /// Share of the picture that it covers, in 0…1.
    pub share: f64,
    /// Row of its centre as a share of the height: 0 is the upper edge.
    pub row: f64,
    /// Column of its centre as a share of the width: 0 is the left edge.
    pub column: f64,
}

impl<'a> Sheet<'a> {
    /// Looks at the values of a sheet; `None` if they are not as many as so many samples of such a shape
    /// take, or there are none.
    #[must_use]
    pub fn of(values: &'a [f32], shape: PictureShape, samples: usize) -> Option<Self> {
        let PictureShape {
            height,
            width,
            channels,
        } = shape;
        let fits = values.len() == Self::len_of(shape, samples)? && !values.is_empty();
        fits.then_some(Self {
            values,
            height,
            width,
            channels,
            samples,
        })
    }

    /// Number of values of a sheet; `None` beyond all numbers.
    #[must_use]
    pub fn len_of(shape: PictureShape, samples: usize) -> Option<usize> {
        let pixels = shape.height.checked_mul(shape.width)?;
        pixels
            .checked_mul(shape.channels.checked_add(1)?)?
            .checked_mul(samples)
    }

    /// The values of a sheet from pictures and maps, each sample by sample. No fit is looked at.
    #[must_use]
    pub fn values(pictures: &[&[f32]], maps: &[&[f32]]) -> Vec<f32> {
        let samples = pictures.iter().zip(maps);
        let values = samples.flat_map(|(picture, map)| [*picture, *map].concat());
        values.collect()
    }

    /// Number of samples.
    #[must_use]
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// Rows and columns of each picture and map.
    #[must_use]
    pub fn size(&self) -> [usize; 2] {
        [self.height, self.width]
    }

    /// Number of colours of each pixel.
    #[must_use]
    pub fn channels(&self) -> usize {
        self.channels
    }

    /// The picture of a sample; empty if there is no such sample.
    #[must_use]
    pub fn picture(&self, sample: usize) -> &'a [f32] {
        self.part(sample, 0, self.channels)
    }

    /// The map of a sample; empty if there is no such sample.
    #[must_use]
    pub fn map(&self, sample: usize) -> &'a [f32] {
        self.part(sample, self.channels, self.channels + 1)
    }

    fn part(&self, sample: usize, from: usize, to: usize) -> &'a [f32] {
        let pixels = self.height * self.width;
        let start = sample * pixels * (self.channels + 1);
        let found = self.values.get(start + from * pixels..start + to * pixels);
        found.unwrap_or_default()
    }

    /// Where the highlight of a sample is; `None` where nothing is highlighted.
    #[must_use]
    pub fn place(&self, sample: usize, above: f64) -> Option<HighlightPlace> {
        let map = self.map(sample).iter().enumerate();
        let inside = map.filter(|(_, value)| f64::from(**value) > above);
        let (mut count, mut rows, mut columns) = (0.0, 0.0, 0.0);
        for (at, _) in inside {
            count += 1.0;
            #[allow(clippy::cast_precision_loss)] // a picture of some thousand pixels
            {
                rows += (at / self.width) as f64 + 0.5;
                columns += (at % self.width) as f64 + 0.5;
            }
        }
        #[allow(clippy::cast_precision_loss)]
        let (height, width) = (self.height as f64, self.width as f64);
        (count > 0.0).then(|| HighlightPlace {
            share: count / (height * width),
            row: rows / count / height,
            column: columns / count / width,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sheet_gives_back_its_pictures_and_maps() {
        let shape = PictureShape::new(1, 2, 3);
        let pictures: [&[f32]; 2] = [&[0.0, 0.1, 0.2, 0.3, 0.4, 0.5], &[1.0; 6]];
        let maps: [&[f32]; 2] = [&[0.0, 0.9], &[0.1, 0.1]];
        let made = Sheet::values(&pictures, &maps);
        let sheet = Sheet::of(&made, shape, 2).unwrap();
        assert_eq!(
            (sheet.picture(0), sheet.picture(1)),
            (pictures[0], pictures[1])
        );
        assert_eq!((sheet.map(0), sheet.map(1)), (maps[0], maps[1]));
        assert!(sheet.picture(2).is_empty() && sheet.map(2).is_empty());
        let place = sheet.place(0, 0.2).unwrap();
        assert_eq!((place.share, place.row, place.column), (0.5, 0.5, 0.75));
        assert_eq!(sheet.place(1, 0.2), None);
    }

    #[test]
    fn what_does_not_fit_is_no_sheet() {
        let shape = PictureShape::new(2, 2, 1);
        assert!(Sheet::of(&[0.0; 8], shape, 1).is_some());
        assert!(Sheet::of(&[0.0; 7], shape, 1).is_none());
        assert!(Sheet::of(&[], shape, 0).is_none());
        assert_eq!(Sheet::len_of(PictureShape::new(usize::MAX, 2, 1), 1), None);
    }
}
