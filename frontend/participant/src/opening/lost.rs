//! Sessions that the server has lost, as after an older backup was put back.

use api::ErrorCode;
use domain::session::event::Envelope;
use frontend::runtime::client::{self, ClientError};
use frontend::runtime::store::RunningSession;

/// Has the server make a session again that it has lost; whether it could.
pub(super) async fn made_again(
    running: &RunningSession,
    local: &[Envelope],
) -> Result<bool, ClientError> {
    let Some(receipt) = running.receipt.as_deref().filter(|_| !local.is_empty()) else {
        return Ok(false);
    };
    match client::restore(&running.plan.session, &running.token, receipt).await {
        Ok(_) => Ok(true),
        Err(ClientError::Refused(error))
            if !matches!(
                error.code,
                ErrorCode::Internal | ErrorCode::Unavailable | ErrorCode::StorageFull
            ) =>
        {
            leptos::logging::error!("the session is not made again: {}", error.message);
            Ok(false)
        }
        Err(error) => Err(error),
    }
}
