//! A study's needs of a participant's device, and a page's findings about it.

use serde::{Deserialize, Serialize};

/// What a device must have and be able to do. What is absent does not matter.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(deny_unknown_fields)]
pub struct DeviceNeeds {
    /// What one points with.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub pointer: Option<Pointer>,
    /// Width of the window at least, in CSS pixels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 10_000)))]
    pub min_width_px: Option<u32>,
    /// Shorter side of the pictures in questions at least, in CSS pixels: it follows from both sides of
    /// the window.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 10_000)))]
    pub min_picture_px: Option<u32>,
    /// Median time at most from a latent vector to its picture, in milliseconds: 33 lets a picture
    /// follow a dial 30 times a second.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "check", schemars(range(min = 1, max = 10_000)))]
    pub max_decode_ms: Option<f64>,
}

/// What one points with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
#[serde(rename_all = "snake_case")]
pub enum Pointer {
    /// A mouse, touchpad or pen: something that points exactly.
    Fine,
    /// A finger on a screen.
    Touch,
}

/// What a page has found out about the device it runs on.
#[derive(Debug, Clone, Copy, PartialEq, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct DeviceReport {
    /// Width of the window, in CSS pixels.
    pub width_px: u32,
    /// Shorter side of the smallest picture that the study's questions would show in this window, in CSS
    /// pixels; absent: not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub picture_px: Option<f64>,
    /// Whether something is there that points exactly.
    pub fine_pointer: bool,
    /// Whether it can be touched.
    pub touch: bool,
    /// Median time from a latent vector to its picture, in milliseconds; absent: not measured.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub decode_ms: Option<f64>,
}

/// Why a device does not fit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
pub enum DeviceFault {
    /// It has no such pointer.
    Pointer(Pointer),
    /// The window is narrower than this.
    Width(u32),
    /// The window has too little room for the pictures.
    Pictures,
    /// It decodes too slowly.
    Slow,
}

impl DeviceNeeds {
    /// Why a device does not fit; nothing if it does. A decode time that was wanted and not measured,
    /// or is not a number, counts as too slow, and a picture as too small.
    #[must_use]
    pub fn faults(&self, device: &DeviceReport) -> Vec<DeviceFault> {
        let lacks = |pointer: &Pointer| match pointer {
            Pointer::Fine => !device.fine_pointer,
            Pointer::Touch => !device.touch,
        };
        let pointer = self.pointer.filter(lacks).map(DeviceFault::Pointer);
        let narrow = self.min_width_px.filter(|width| device.width_px < *width);
        let large = |least: u32| device.picture_px.is_some_and(|px| px >= f64::from(least));
        let small = self.min_picture_px.is_some_and(|least| !large(least));
        let fast = |limit: f64| device.decode_ms.is_some_and(|ms| ms <= limit);
        let slow = self.max_decode_ms.is_some_and(|limit| !fast(limit));
        let faults = pointer.into_iter().chain(narrow.map(DeviceFault::Width));
        let faults = faults.chain(small.then_some(DeviceFault::Pictures));
        faults.chain(slow.then_some(DeviceFault::Slow)).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LAPTOP: DeviceReport = DeviceReport {
        width_px: 1_280,
        picture_px: Some(300.0),
        fine_pointer: true,
        touch: false,
        decode_ms: Some(12.0),
    };

    #[test]
    fn each_need_has_its_fault_and_no_needs_none() {
        assert!(DeviceNeeds::default().faults(&LAPTOP).is_empty());
        let needs = DeviceNeeds {
            pointer: Some(Pointer::Fine),
            min_width_px: Some(1_280),
            min_picture_px: Some(300),
            max_decode_ms: Some(12.0),
        };
        assert!(needs.faults(&LAPTOP).is_empty(), "at the limits");
        let phone = DeviceReport {
            width_px: 360,
            picture_px: Some(146.0),
            fine_pointer: false,
            touch: true,
            decode_ms: Some(12.1),
        };
        let all = [
            DeviceFault::Pointer(Pointer::Fine),
            DeviceFault::Width(1_280),
            DeviceFault::Pictures,
            DeviceFault::Slow,
        ];
        assert_eq!(needs.faults(&phone), all);
        let touch = DeviceNeeds {
            pointer: Some(Pointer::Touch),
            ..DeviceNeeds::default()
        };
        assert!(touch.faults(&phone).is_empty());
        let fault = DeviceFault::Pointer(Pointer::Touch);
        assert_eq!(touch.faults(&LAPTOP), [fault]);
    }

    #[test]
    fn what_was_not_measured_is_too_small() {
        let needs = DeviceNeeds {
            min_picture_px: Some(1),
            ..DeviceNeeds::default()
        };
        for picture_px in [None, Some(f64::NAN)] {
            let device = DeviceReport {
                picture_px,
                ..LAPTOP
            };
            assert_eq!(needs.faults(&device), [DeviceFault::Pictures]);
        }
    }

    #[test]
    fn what_was_not_measured_is_too_slow() {
        let needs = DeviceNeeds {
            max_decode_ms: Some(33.0),
            ..DeviceNeeds::default()
        };
        for decode_ms in [None, Some(f64::NAN)] {
            let device = DeviceReport {
                decode_ms,
                ..LAPTOP
            };
            assert_eq!(needs.faults(&device), [DeviceFault::Slow]);
        }
    }
}
