//! A database that breaks down and is replaced by its replica.

use std::net::SocketAddr;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use cluster::Cluster;
use tokio::net::{TcpListener, UnixStream};

use super::{Nodes, is_whole, take_part};
use crate::app::Setup;

/// An address that leads to one database after the other, as a name does that is pointed elsewhere.
struct Way {
    address: SocketAddr,
    to: Arc<Mutex<PathBuf>>,
}

impl Way {
    async fn to(socket: PathBuf) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
        let address = listener.local_addr().unwrap();
        let to = Arc::new(Mutex::new(socket));
        let leads_to = to.clone();
        tokio::spawn(async move {
            while let Ok((mut client, _)) = listener.accept().await {
                let socket = leads_to.lock().unwrap().clone();
                tokio::spawn(async move {
                    if let Ok(mut server) = UnixStream::connect(&socket).await {
                        // It ends when either side does.
                        let _ = tokio::io::copy_bidirectional(&mut client, &mut server).await;
                    }
                });
            }
        });
        Self { address, to }
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_was_acknowledged_is_in_the_replica_that_takes_over() {
    let primary = Cluster::own();
    let database = primary.database();
    let name = database.rsplit('/').next().unwrap().to_owned();
    let standby = primary.standby().unwrap();
    let way = Way::to(primary.socket()).await;
    let url = format!("postgres://redial@{}/{name}", way.address);
    let nodes = Arc::new(Nodes::at(&vec![url; 3], &Setup::default()).await);
    let over = Arc::new(AtomicBool::new(false));
    let places = (0..8).map(|place| {
        let (nodes, over) = (nodes.clone(), over.clone());
        tokio::spawn(async move {
            let mut started = Vec::new();
            while !over.load(Ordering::Relaxed) {
                let who = 1_000 * place + started.len() as u64;
                started.push(take_part(nodes.clone(), who).await);
            }
            started
        })
    });
    let places: Vec<_> = places.collect();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    primary.crash().unwrap();
    // For a moment the name leads to a replica that takes no writes.
    *way.to.lock().unwrap() = standby.socket();
    tokio::time::sleep(Duration::from_millis(500)).await;
    standby.promote().unwrap();
    tokio::time::sleep(Duration::from_millis(1_500)).await;
    over.store(true, Ordering::Relaxed);
    let mut people = 0;
    for started in futures_util::future::join_all(places).await {
        for started in started.unwrap() {
            is_whole(&nodes.0[0], &started).await;
            people += 1;
        }
    }
    assert!(people >= 8, "{people}");
    let logs = standby.sql(
        &name,
        "SELECT count(*) FROM sessions WHERE phase = 'complete'",
    );
    assert_eq!(
        logs.unwrap(),
        people.to_string(),
        "all of them are in the replica"
    );
}
