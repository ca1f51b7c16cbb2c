//! A newer version of the app, for a server that runs.

use anyhow::{Context, Result};

use super::Server;
use crate::tools;

impl Server {
    /// From its next start the server has a newer version of the app: the same, with its module
    /// under another name. Gives that name.
    ///
    /// # Errors
    /// When the app cannot be copied.
    pub fn deploy(&mut self) -> Result<String> {
        let folder = self.folder.path().join("newer-dist");
        tools::copy(&self.dist, &folder)?;
        let page = std::fs::read_to_string(folder.join("index.html"))?;
        let link = page.lines().find(|line| line.contains("id=\"app\""));
        let address = link.and_then(|line| line.split('"').find(|part| part.ends_with(".wasm")));
        let address = address.context("the page does not say which module it loads")?;
        let old = address.rsplit('/').next().unwrap_or_default().to_owned();
        // No part of it is the old name.
        let new = format!("newer-{}", old.get(1..).unwrap_or_default());
        let assets = folder.join("assets");
        for end in ["", ".br", ".gz"] {
            let file = |name: &str| assets.join(format!("{name}{end}"));
            if file(&old).exists() {
                std::fs::rename(file(&old), file(&new))?;
            }
        }
        for place in [&folder, &assets] {
            for entry in std::fs::read_dir(place)? {
                let path = entry?.path();
                let end = path.extension().unwrap_or_default();
                if end != "html" && end != "js" {
                    continue;
                }
                let text = std::fs::read_to_string(&path)?;
                if text.contains(&old) {
                    std::fs::write(&path, text.replace(&old, &new))?;
                    for twin in ["br", "gz"] {
                        let twin = path.with_added_extension(twin);
                        if twin.exists() {
                            std::fs::remove_file(twin)?;
                        }
                    }
                }
            }
        }
        self.dist = folder;
        Ok(new)
    }
}
