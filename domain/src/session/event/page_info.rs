//! A page's facts about its browser, and what a participant agreed to.

use serde::{Deserialize, Serialize};

/// Longest text that is kept of what a browser says of itself, in characters.
pub const MAX_PAGE_TEXT: usize = 500;

/// What the browser says of itself when a page opens. Nothing that names a person.
#[derive(Debug, Clone, PartialEq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct PageInfo {
    /// Width of the window in CSS pixels.
    #[serde(default)]
    pub viewport_width_px: u32,
    /// Height of the window in CSS pixels.
    #[serde(default)]
    pub viewport_height_px: u32,
    /// Device pixels per CSS pixel.
    #[serde(default)]
    pub pixel_ratio: f64,
    /// Whether the main pointer is a finger.
    #[serde(default)]
    pub touch: bool,
    /// The browser's user-agent string, its first [`MAX_PAGE_TEXT`] characters.
    #[serde(default)]
    pub user_agent: String,
    /// Which build of the app it runs: the name of its module, with the hash of its content.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub app: String,
    /// Whether it logs a summary of each gesture; not so in old logs.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub gestures: bool,
    /// Whether it decodes with relaxed SIMD, whose last digits may differ; absent in old logs.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub relaxed_simd: Option<bool>,
}

/// What a participant agreed to.
#[derive(Debug, Clone, PartialEq, Eq, Default, Serialize, Deserialize)]
#[cfg_attr(feature = "check", derive(schemars::JsonSchema))]
pub struct Consented {
    /// The version that the form names.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
    /// SHA-256 of the form's text in hex.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub text_sha256: Option<String>,
    /// The language in which it was shown (BCP 47); absent in records from before there were
    /// several.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub language: Option<String>,
    /// The name that was typed as a signature, where the form asks for one.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub signature: Option<String>,
}

/// Longest signature that is kept, in characters.
pub const MAX_SIGNATURE: usize = 200;
