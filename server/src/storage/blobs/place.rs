//! Where blobs are kept, as settings say it.

use std::fmt::{Display, Formatter};
use std::path::PathBuf;
use std::str::FromStr;
use std::sync::Arc;

use serde::Deserialize;

use super::super::erasure_list::ErasureList;
use super::super::error::Result;
use super::BlobStore;
use super::bucket::BucketBlobs;
use super::erasures::{ErasureNotes, Notes};
use super::folder::FolderBlobs;
use super::layered::LayeredBlobs;

/// How the address of a bucket begins.
const BUCKET: &str = "s3://";

/// The word for the database.
const DATABASE: &str = "database";

/// Where blobs are kept.
#[derive(Debug, Clone, PartialEq, Eq, Default, Deserialize)]
#[serde(try_from = "String")]
pub enum BlobPlace {
    /// In the database.
    #[default]
    Database,
    /// In a folder.
    Folder(PathBuf),
    /// In a bucket that speaks S3.
    Bucket {
        /// Its name.
        bucket: String,
        /// The prefix of the names of all blobs, without slashes at its ends; may be empty.
        prefix: String,
    },
}

impl BlobPlace {
    /// The blobs that are kept here. Blobs that were stored in the database before are found all the same.
    ///
    /// # Errors
    /// When the settings of a bucket are of no use.
    pub(in super::super) fn over(
        &self,
        database: Arc<dyn BlobStore>,
    ) -> Result<Arc<dyn BlobStore>> {
        let outside: Box<dyn BlobStore> = match self {
            Self::Database => return Ok(database),
            Self::Folder(folder) => Box::new(FolderBlobs::new(folder.clone())),
            Self::Bucket { bucket, prefix } => Box::new(BucketBlobs::of_env(bucket, prefix)?),
        };
        Ok(Arc::new(LayeredBlobs { outside, database }))
    }

    /// The list of erasures that lies here; none in the database, whose dumps would take it along.
    ///
    /// # Errors
    /// When the settings of a bucket are of no use.
    pub(crate) fn erasure_list(&self) -> Result<Option<Box<dyn ErasureList>>> {
        let notes: Box<dyn Notes> = match self {
            Self::Database => return Ok(None),
            Self::Folder(folder) => Box::new(FolderBlobs::new(folder.clone())),
            Self::Bucket { bucket, prefix } => Box::new(BucketBlobs::of_env(bucket, prefix)?),
        };
        Ok(Some(Box::new(ErasureNotes(notes))))
    }
}

impl FromStr for BlobPlace {
    type Err = String;

    fn from_str(text: &str) -> std::result::Result<Self, String> {
        if let Some(named) = text.strip_prefix(BUCKET) {
            let (bucket, prefix) = named.split_once('/').unwrap_or((named, ""));
            if bucket.is_empty() || named.contains(['@', '?', '#']) {
                return Err(format!(
                    "'{text}' names no bucket; s3://BUCKET or s3://BUCKET/PREFIX does, and keys come from the environment"
                ));
            }
            return Ok(Self::Bucket {
                bucket: bucket.to_owned(),
                prefix: prefix.trim_matches('/').to_owned(),
            });
        }
        if text == DATABASE {
            return Ok(Self::Database);
        }
        if text.is_empty() || text.contains("://") {
            return Err(format!(
                "'{text}' is neither a folder nor a bucket (s3://BUCKET/PREFIX), nor 'database'"
            ));
        }
        Ok(Self::Folder(PathBuf::from(text)))
    }
}

impl TryFrom<String> for BlobPlace {
    type Error = String;

    fn try_from(text: String) -> std::result::Result<Self, String> {
        text.parse()
    }
}

impl Display for BlobPlace {
    fn fmt(&self, f: &mut Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Database => f.write_str(DATABASE),
            Self::Folder(folder) => write!(f, "{}", folder.display()),
            Self::Bucket { bucket, prefix } if prefix.is_empty() => write!(f, "{BUCKET}{bucket}"),
            Self::Bucket { bucket, prefix } => write!(f, "{BUCKET}{bucket}/{prefix}"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_read_as_they_are_written() {
        let bucket = |bucket: &str, prefix: &str| BlobPlace::Bucket {
            bucket: bucket.into(),
            prefix: prefix.into(),
        };
        for (text, place) in [
            ("database", BlobPlace::Database),
            ("data/blobs", BlobPlace::Folder("data/blobs".into())),
            ("s3://b", bucket("b", "")),
            ("s3://b/lab/one", bucket("b", "lab/one")),
        ] {
            assert_eq!(text.parse().as_ref(), Ok(&place));
            assert_eq!(place.to_string(), text);
        }
        assert_eq!("s3://b/p/".parse(), Ok(bucket("b", "p")));
        for bad in ["", "s3://", "s3:///p", "s3://key@b", "gs://b", "s3://b?x=1"] {
            assert!(bad.parse::<BlobPlace>().is_err(), "{bad}");
        }
    }
}
