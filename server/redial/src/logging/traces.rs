//! Traces by OpenTelemetry: a span for each request, with its method and its route, sent as JSON over HTTP. Where to,
//! `OTEL_EXPORTER_OTLP_ENDPOINT` says, and the other variables of OpenTelemetry's specification hold.

use anyhow::Context as _;
use async_trait::async_trait;
use bytes::Bytes;
use http::{Request, Response};
use opentelemetry::trace::TracerProvider as _;
use opentelemetry_http::{HttpClient, HttpError};
use opentelemetry_otlp::{Protocol, SpanExporter, WithExportConfig as _, WithHttpConfig as _};
use opentelemetry_sdk::Resource;
use opentelemetry_sdk::trace::{SdkTracer, SdkTracerProvider};
use server::outbound;
use tracing::Subscriber;
use tracing_opentelemetry::OpenTelemetryLayer;
use tracing_subscriber::registry::LookupSpan;

/// Variables that say where traces go: one for all signals, one for traces alone.
const ENDPOINTS: [&str; 2] = [
    "OTEL_EXPORTER_OTLP_ENDPOINT",
    "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT",
];

/// Traces that are sent.
pub struct Traces(SdkTracerProvider);

impl Traces {
    /// Traces, if somebody has said where to; nothing is sent anywhere else.
    ///
    /// # Errors
    /// When the address makes no sense.
    pub fn wanted() -> anyhow::Result<Option<Self>> {
        if ENDPOINTS
            .iter()
            .all(|name| std::env::var_os(name).is_none())
        {
            return Ok(None);
        }
        let exporter = SpanExporter::builder()
            .with_http()
            .with_http_client(Outbound)
            .with_protocol(Protocol::HttpJson)
            .build()
            .context("traces cannot be sent")?;
        // A name in the environment is taken instead.
        let resource = match std::env::var_os("OTEL_SERVICE_NAME") {
            Some(_) => Resource::builder().build(),
            None => Resource::builder().with_service_name("redial").build(),
        };
        let provider = SdkTracerProvider::builder()
            .with_batch_exporter(exporter)
            .with_resource(resource)
            .build();
        Ok(Some(Self(provider)))
    }

    /// The layer that takes spans in.
    pub fn layer<S>(&self) -> OpenTelemetryLayer<S, SdkTracer>
    where
        S: Subscriber + for<'span> LookupSpan<'span>,
    {
        tracing_opentelemetry::layer().with_tracer(self.0.tracer("redial"))
    }
}

impl Drop for Traces {
    fn drop(&mut self) {
        // Nobody can be told any more.
        let _ = self.0.shutdown();
    }
}

/// Requests to the collector, sent as all of ours are. The exporter has a thread of its own, which may wait.
#[derive(Debug)]
struct Outbound;

#[async_trait]
impl HttpClient for Outbound {
    async fn send_bytes(&self, request: Request<Bytes>) -> Result<Response<Bytes>, HttpError> {
        let answer = outbound::send(request.map(|body| body.to_vec()), outbound::PATIENCE)?;
        let response = Response::builder().status(answer.status);
        Ok(response.body(Bytes::from(answer.body))?)
    }
}
