//! Which setting counts.

use super::*;

#[test]
fn flags_go_before_the_file_and_the_file_before_defaults() {
    let file: File = toml::from_str(
        "bind = '0.0.0.0:1'\nbase_path = '/redial/'\ndatabase = 'sqlite://b.db'\nlog_format = 'json'\n\
         trusted_proxy = ['10.0.0.0/8', '::1']",
    )
    .unwrap();
    let shared = CommonSettings {
        database: Some("sqlite://a.db".into()),
        ..CommonSettings::default()
    };
    let config = Config::decide(shared, ServeSettings::default(), file).unwrap();
    assert_eq!(config.bind, "0.0.0.0:1".parse().unwrap());
    assert_eq!(config.base_path.as_str(), "/redial");
    assert_eq!(config.database, "sqlite://a.db");
    assert_eq!(config.log_format, LogFormat::Json);
    assert_eq!(config.log, "info");
    let proxies: Vec<_> = config
        .trusted_proxies
        .iter()
        .map(ToString::to_string)
        .collect();
    assert_eq!(proxies, ["10.0.0.0/8", "::1/128"]);
}

#[test]
fn a_misspelt_setting_is_named() {
    let error = toml::from_str::<File>("databse = 'x'")
        .unwrap_err()
        .to_string();
    assert!(error.contains("databse"), "{error}");
    let error = toml::from_str::<File>("trusted_proxy = ['here']").unwrap_err();
    assert!(
        error.to_string().contains("'here' is neither an address"),
        "{error}"
    );
}
