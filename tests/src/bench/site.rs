//! What the measuring page is served from: the engines' files, and the models in every form that
//! an engine reads.

use std::collections::BTreeMap;
use std::net::SocketAddr;
use std::path::Path;
use std::sync::Arc;

use anyhow::{Context, Result};
use axum::Router;
use axum::http::{StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use tokio::net::TcpListener;
use tokio::task::JoinHandle;

/// Only a page that shares nothing with others gets a clock finer than 0.1 ms.
const ISOLATION: [(&str, &str); 2] = [
    ("cross-origin-opener-policy", "same-origin"),
    ("cross-origin-embedder-policy", "require-corp"),
];

/// Files by path, without the leading slash.
#[derive(Default)]
pub struct SiteFiles(BTreeMap<String, Vec<u8>>);

impl SiteFiles {
    /// Adds a file.
    pub fn put(&mut self, path: String, content: Vec<u8>) {
        self.0.insert(path, content);
    }

    /// Adds the files of a folder and of the folders in it, compressed twins left out.
    pub fn put_folder(&mut self, folder: &Path, prefix: &str) -> Result<()> {
        let listed = folder
            .read_dir()
            .with_context(|| format!("cannot list {}", folder.display()))?;
        for entry in listed {
            let entry = entry?;
            let name = format!("{prefix}{}", entry.file_name().to_string_lossy());
            if entry.file_type()?.is_dir() {
                self.put_folder(&entry.path(), &format!("{name}/"))?;
            } else if content_type(&name).is_some() {
                self.put(name, std::fs::read(entry.path())?);
            }
        }
        Ok(())
    }
}

/// A running site; gone when the value goes.
pub struct Site {
    address: SocketAddr,
    task: JoinHandle<()>,
}

impl Site {
    /// Serves the files on a free port of this machine.
    pub async fn serve(files: SiteFiles) -> Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0").await?;
        let address = listener.local_addr()?;
        let files = Arc::new(files);
        let app = Router::new().fallback(move |uri: Uri| {
            let files = Arc::clone(&files);
            async move { answer(&files, uri.path().trim_start_matches('/')) }
        });
        let task = tokio::spawn(async move {
            // It ends with the value; until then the listener is ours.
            let _ = axum::serve(listener, app).await;
        });
        Ok(Self { address, task })
    }

    /// The address of a file.
    #[must_use]
    pub fn url(&self, path: &str) -> String {
        format!("http://{}/{path}", self.address)
    }
}

impl Drop for Site {
    fn drop(&mut self) {
        self.task.abort();
    }
}

fn answer(files: &SiteFiles, path: &str) -> Response {
    let (Some(content), Some(kind)) = (files.0.get(path), content_type(path)) else {
        return (StatusCode::NOT_FOUND, format!("there is no {path}")).into_response();
    };
    (ISOLATION, [(header::CONTENT_TYPE, kind)], content.clone()).into_response()
}

/// Streaming compilation insists on the type of wasm, and modules on that of JavaScript.
fn content_type(path: &str) -> Option<&'static str> {
    let (_, extension) = path.rsplit_once('.')?;
    Some(match extension {
        "html" => "text/html; charset=utf-8",
        "js" | "mjs" => "text/javascript; charset=utf-8",
        "json" => "application/json",
        "wasm" => "application/wasm",
        "onnx" | "safetensors" => "application/octet-stream",
        _ => return None,
    })
}
