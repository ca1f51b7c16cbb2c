use std::time::Duration;

use api::{ClientMessage, routes};
use futures_util::{SinkExt, StreamExt};
use tokio::net::TcpListener;
use tokio_tungstenite::connect_async;
use tokio_tungstenite::tungstenite::Message;

use crate::app::{ATTEMPT, App, ack, log_of};

#[tokio::test]
async fn stopping_says_goodbye_and_keeps_what_was_acknowledged() {
    let app = App::new().await;
    let started = app.start(ATTEMPT).await;
    let log = log_of(&started);
    ack(&app.append(&started, &log[..9]).await);
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let address = listener.local_addr().unwrap();
    let server = tokio::spawn(server::serve::run(listener, app.state.clone()));
    let (mut socket, _) = connect_async(format!("ws://{address}{}", routes::STREAM))
        .await
        .unwrap();
    let hello = ClientMessage::Hello {
        session: started.plan.session.clone(),
        token: started.token.clone(),
    };
    socket
        .send(Message::text(serde_json::to_string(&hello).unwrap()))
        .await
        .unwrap();
    assert!(matches!(socket.next().await, Some(Ok(Message::Text(_)))));

    app.state.stopping.cancel();
    let goodbye = loop {
        match socket.next().await {
            Some(Ok(Message::Close(Some(frame)))) => break frame,
            Some(Ok(Message::Ping(_))) => {}
            other => panic!("{other:?}"),
        }
    };
    assert_eq!(u16::from(goodbye.code), 1001);
    assert_eq!(goodbye.reason, "the server is stopping");
    tokio::time::timeout(Duration::from_secs(5), server)
        .await
        .unwrap()
        .unwrap()
        .unwrap();

    let app = app.restart().await;
    assert_eq!(app.acked_len(&started).await, 9);
}
