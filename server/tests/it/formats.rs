//! Servers of neighbouring versions work on one database of PostgreSQL: what an older one reads and writes stays there,
//! and a database of a newer one is refused.

use std::collections::BTreeMap;
use std::path::Path;

use cluster::cluster;
use server::storage;

/// A column of a table, by the names of both.
type Columns = BTreeMap<(String, String), Column>;

#[derive(Debug, Clone, PartialEq, Eq)]
struct Column {
    kind: String,
    /// Whether a row can be added without it.
    may_be_left_out: bool,
}

fn columns(database: &str) -> Columns {
    let rows = cluster().sql(
        database,
        "SELECT table_name, column_name, data_type, \
         is_nullable = 'YES' OR column_default IS NOT NULL OR is_identity = 'YES' \
         FROM information_schema.columns WHERE table_schema = 'public'",
    );
    let column = |row: &str| {
        let parts: Vec<&str> = row.split('|').collect();
        let &[table, name, kind, may_be_left_out] = &*parts else {
            panic!("{row}")
        };
        let column = Column {
            kind: kind.to_owned(),
            may_be_left_out: may_be_left_out == "t",
        };
        ((table.to_owned(), name.to_owned()), column)
    };
    rows.unwrap().lines().map(column).collect()
}

/// The last format of the version that was the first to work on PostgreSQL: no older servers are beside it.
const FIRST: u32 = 23;

#[test]
fn each_format_only_adds_and_what_it_adds_may_be_left_out() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("migrations/postgres");
    let files = std::fs::read_dir(folder).unwrap().flatten();
    let mut files: Vec<_> = files.map(|file| file.path()).collect();
    files.sort();
    let url = cluster().database();
    let name = url.rsplit('/').next().unwrap();
    let mut before = Columns::new();
    for file in files {
        let steps = std::fs::read_to_string(&file).unwrap();
        cluster().sql(name, &steps).unwrap();
        let now = columns(name);
        let number = file.file_name().unwrap().to_str().unwrap();
        let number: u32 = number.split('_').next().unwrap().parse().unwrap();
        if number <= FIRST {
            before = now;
            continue;
        }
        for (place, column) in &before {
            assert_eq!(now.get(place), Some(column), "{place:?} after {file:?}");
        }
        for ((table, column), added) in &now {
            let is_new_table = !before.keys().any(|(known, _)| known == table);
            let may_be_left_out = is_new_table || added.may_be_left_out;
            let was_there = before.contains_key(&(table.clone(), column.clone()));
            assert!(was_there || may_be_left_out, "{table}.{column} of {file:?}");
        }
        before = now;
    }
    assert!(before.len() > 100, "{}", before.len());
}

#[tokio::test]
async fn a_database_of_a_newer_version_is_refused_and_stays_as_it_is() {
    let url = cluster().database();
    storage::open(&url).await.unwrap().close().await;
    let name = url.rsplit('/').next().unwrap();
    let newer = "INSERT INTO _sqlx_migrations (version, description, success, checksum, execution_time) \
                 VALUES (9000, 'of tomorrow', true, '', 0)";
    cluster().sql(name, newer).unwrap();
    let formats = || {
        cluster()
            .sql(name, "SELECT version FROM _sqlx_migrations ORDER BY 1")
            .unwrap()
    };
    let before = formats();
    for refused in [
        storage::open(&url).await.err().unwrap(),
        storage::open_archive(&url).await.err().unwrap(),
    ] {
        let refused = refused.to_string();
        assert!(
            refused.contains("was made by a newer version of Redial (its format is 9000"),
            "{refused}"
        );
    }
    assert_eq!(formats(), before);
}
