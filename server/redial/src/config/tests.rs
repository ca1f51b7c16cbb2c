//! Which setting counts.

use super::*;

#[test]
fn flags_go_before_the_file_and_the_file_before_defaults() {
    let file: File = toml::from_str(
        "bind = '0.0.0.0:1'\nbase_path = '/redial/'\ndatabase = 'sqlite://b.db'\nlog_format = 'json'\n\
         trusted_proxy = ['10.0.0.0/8', '::1']\nblobs = 's3://b/p'",
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
    assert_eq!(config.blobs.to_string(), "s3://b/p");
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

#[test]
fn a_certificate_comes_from_files_or_is_obtained() {
    let decide = |text: &str, certificate: CertificateOptions| {
        let file: File = toml::from_str(text).unwrap();
        let serving = ServeSettings {
            certificate,
            ..ServeSettings::default()
        };
        Config::decide(CommonSettings::default(), serving, file).map(|config| config.tls)
    };
    let none = CertificateOptions::default;
    assert_eq!(decide("", none()).unwrap(), None);
    let found = decide("acme = ['a.example.org', 'b.example.org']", none());
    let Ok(Some(CertificateSource::Acme {
        names, directory, ..
    })) = found
    else {
        panic!("{found:?}")
    };
    assert_eq!(names, ["a.example.org", "b.example.org"]);
    assert!(directory.starts_with("https://"));
    let flag = CertificateOptions {
        acme: vec!["c.example.org".into()],
        acme_directory: Some("https://ca.example.org".into()),
        ..none()
    };
    let found = decide("acme = ['a.example.org']", flag.clone()).unwrap();
    let expected = CertificateSource::Acme {
        names: vec!["c.example.org".into()],
        contact: None,
        directory: "https://ca.example.org".into(),
        roots: None,
    };
    assert_eq!(found, Some(expected));
    let said = decide("certificate = 'c.pem'", none()).unwrap_err();
    assert!(said.to_string().contains("--key"), "{said}");
    let said = decide("certificate = 'c.pem'\nkey = 'k.pem'", flag).unwrap_err();
    assert!(said.to_string().contains("choose one"), "{said}");
}
