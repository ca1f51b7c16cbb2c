//! Databases of the format before blobs.

use std::path::Path;

use cluster::cluster;
use domain::session::event::SessionId;
use server::storage::{self, Blob};
use sqlx::migrate::Migrator;
use sqlx::sqlite::SqliteConnectOptions;
use sqlx::{ConnectOptions as _, Connection as _, PgConnection};

/// The format before blobs.
const BEFORE: i64 = 20;

async fn before(database: &str) -> Migrator {
    let folder = format!("{}/migrations/{database}", env!("CARGO_MANIFEST_DIR"));
    let all = Migrator::new(Path::new(&folder)).await.unwrap();
    let migrations = all.iter().filter(|step| step.version <= BEFORE);
    Migrator::with_migrations(migrations.cloned().collect())
}

/// Two pieces with the same sound and one with another, a model of all files and one without weights.
const ROWS: &str = "INSERT INTO recording_pieces VALUES \
     ('s', 0, 0, 'SAME', 'same', 7, 9), ('t', 0, 0, 'SAME', 'same', 8, 9), ('t', 0, 1, 'OTHER', 'other', 8, 9); \
     INSERT INTO bundles VALUES ('WHOLE', 'whole', CARD, 'weights', 'z'), ('FORMULA', 'formula', 'card', NULL, NULL);";

/// A card that is longer than a byte can say.
fn card() -> Vec<u8> {
    b"0123456789abcdef".repeat(4_500)
}

fn names() -> [(&'static str, Blob); 4] {
    let whole = models::bundle::packed(&card(), Some(b"weights"), Some(b"z"));
    let formula = models::bundle::packed(b"card", None, None);
    [
        ("SAME", Blob::of(*b"same")),
        ("OTHER", Blob::of(*b"other")),
        ("WHOLE", Blob::of(whole)),
        ("FORMULA", Blob::of(formula)),
    ]
}

/// The rows as a dialect writes bytes.
fn rows(bytes: impl Fn(&[u8]) -> String) -> String {
    let mut rows = ROWS.replace("CARD", &bytes(&card()));
    for text in ["same", "other", "weights", "z", "card"] {
        rows = rows.replace(
            &format!(", '{text}'"),
            &format!(", {}", bytes(text.as_bytes())),
        );
    }
    for (name, blob) in names() {
        rows = rows.replace(&format!("'{name}'"), &format!("'{}'", blob.sha256()));
    }
    rows
}

/// All of it is found by its hash once the database is brought up to date.
async fn is_kept(url: &str) {
    let storage = storage::open(url).await.unwrap();
    let [same, other, whole, formula] = names().map(|(_, blob)| blob);
    let blobs = storage.blobs();
    for blob in [&same, &other] {
        let found = blobs.get(blob.sha256()).await.unwrap();
        assert_eq!(found.as_deref(), Some(&**blob.bytes()));
    }
    let recorded = storage.recorded(&SessionId("t".into())).await;
    assert_eq!(recorded.unwrap().bytes, 9);
    let found = storage.bundle(whole.sha256()).await.unwrap().unwrap();
    assert_eq!((&*found.name, &*found.card), ("whole", &*card()));
    assert_eq!(found.weights.as_deref(), Some(&b"weights"[..]));
    assert_eq!(found.held_out.as_deref(), Some(&b"z"[..]));
    let found = storage.bundle(formula.sha256()).await.unwrap().unwrap();
    assert_eq!((&*found.card, found.weights), (&b"card"[..], None));
    let all = blobs.list(u64::MAX).await.unwrap();
    assert_eq!(all.len(), 4);
    storage.close().await;
}

#[tokio::test]
async fn an_older_file_of_sqlite_has_its_bytes_as_blobs() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("old.db");
    let options = SqliteConnectOptions::new()
        .filename(&file)
        .create_if_missing(true)
        .foreign_keys(false);
    let mut connection = options.connect().await.unwrap();
    let before = before("sqlite").await;
    before.run(&mut connection).await.unwrap();
    let hex = |bytes: &[u8]| format!("X'{}'", server::secrets::hex(bytes));
    sqlx::raw_sql(sqlx::AssertSqlSafe(rows(hex)))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    is_kept(&storage::url_of(&file)).await;
}

#[tokio::test]
async fn an_older_database_of_postgresql_has_its_bytes_as_blobs() {
    let url = cluster().database();
    let mut connection = PgConnection::connect(&url).await.unwrap();
    let before = before("postgres").await;
    before.run(&mut connection).await.unwrap();
    let hex = |bytes: &[u8]| format!("'\\x{}'::bytea", server::secrets::hex(bytes));
    let rows = format!("SET session_replication_role = replica; {}", rows(hex));
    sqlx::raw_sql(sqlx::AssertSqlSafe(rows))
        .execute(&mut connection)
        .await
        .unwrap();
    connection.close().await.unwrap();
    is_kept(&url).await;
}
