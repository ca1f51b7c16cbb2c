use super::*;

fn modules() -> BTreeMap<String, Bindings> {
    let app = Bindings {
        js: "import './snippets/a-1/x.js'; new URL('redial_bg.wasm', import.meta.url)".into(),
        wasm: b"\0asm".to_vec(),
        snippets: BTreeMap::from([("a-1/x.js".to_owned(), b"x()".to_vec())]),
    };
    let decoder = |build: &str| Bindings {
        js: format!("new URL('decoder_{build}_bg.wasm', import.meta.url)"),
        wasm: build.as_bytes().to_vec(),
        snippets: BTreeMap::new(),
    };
    [
        ("redial", app),
        ("decoder_simd", decoder("simd")),
        ("decoder_relaxed", decoder("relaxed")),
        ("decoder_candle", decoder("candle")),
    ]
    .map(|(name, bindings)| (name.to_owned(), bindings))
    .into()
}

fn build(sources: &[(&str, &str)]) -> Result<BTreeMap<String, String>> {
    let sources = sources
        .iter()
        .map(|(n, c)| ((*n).to_owned(), c.as_bytes().to_vec()));
    let files = Site::new(&modules(), sources.collect()).build()?;
    let text = |content: Vec<u8>| String::from_utf8_lossy(&content).into_owned();
    Ok(files
        .into_iter()
        .map(|(name, content)| (name, text(content)))
        .collect())
}

fn error(sources: &[(&str, &str)]) -> String {
    format!("{:#}", build(sources).unwrap_err())
}

#[test]
fn references_are_rewritten_through_every_file() {
    let files = build(&[
        (
            "index.html",
            "<link href={{asset:style.css}}><script src={{js:redial}}>{{wasm:redial}}",
        ),
        ("style.css", "url({{asset:fonts/a.woff2}})"),
        ("fonts/a.woff2", "{{not a template}}"),
        ("lab/a.js", "import '{{asset:fonts/a.woff2}}'"),
        ("sw.js", "{{version}} {{precache}}"),
    ])
    .unwrap();
    let path = |start: &str, end: &str| {
        files
            .keys()
            .find(|name| name.starts_with(start) && name.ends_with(end))
            .unwrap()
    };
    let font = path("assets/fonts/a-", ".woff2");
    let beside = font.strip_prefix("assets/").unwrap();
    let style = path("assets/style-", ".css");
    let lab = path("assets/lab/a-", ".js");
    assert_eq!(files[lab], format!("import '../{beside}'"));
    let wasm = path("assets/redial_bg-", ".wasm");
    let js = path("assets/redial-", ".js");
    let snippet = path("assets/snippets-", "/a-1/x.js");
    // Wherever the site lies: relative to the style sheet.
    assert_eq!(files[style], format!("url(./{beside})"));
    assert_eq!(
        files["index.html"],
        format!("<link href=/{style}><script src=/{js}>/{wasm}")
    );
    assert!(files[js].contains(wasm.strip_prefix("assets/").unwrap()));
    assert!(files[js].contains(snippet.strip_prefix("assets/").unwrap()));
    let (_, precache) = files["sw.js"].split_once(' ').unwrap();
    let precache: BTreeSet<String> = serde_json::from_str(precache).unwrap();
    let assets = [font, style, wasm, js, snippet].map(|name| format!("./{name}"));
    assert_eq!(
        precache,
        BTreeSet::from(assets),
        "all but the decoder's builds"
    );
}

#[test]
fn the_version_changes_with_any_asset() {
    let version = |css: &str| {
        build(&[("index.html", ""), ("a.css", css), ("sw.js", "{{version}}")]).unwrap()["sw.js"]
            .clone()
    };
    assert_eq!(version("a{}"), version("a{}"));
    assert_ne!(version("a{}"), version("b{}"));
}

#[test]
fn mistakes_are_named_with_their_place() {
    let message = error(&[("index.html", "\n{{asset:stile.css}}"), ("style.css", "")]);
    assert!(message.contains("static/index.html"), "{message}");
    assert!(message.contains("line 2"), "{message}");
    assert!(
        message.contains("there are index.html, style.css"),
        "{message}"
    );
    let circle = error(&[
        ("index.html", ""),
        ("a.css", "{{asset:b.css}}"),
        ("b.css", "{{asset:a.css}}"),
    ]);
    assert!(circle.contains("a.css -> b.css -> a.css"), "{circle}");
    assert!(error(&[("index.html", "{{precache}}")]).contains("only sw.js"));
    assert!(error(&[("index.html", "{{js:decoder}}")]).contains("there are decoder_candle, "));
    assert!(error(&[("a.css", "")]).contains("static/index.html is missing"));
}

#[test]
fn names_keep_their_folder_and_extensions() {
    assert_eq!(hashed_name("style.css", "12ab"), "style-12ab.css");
    assert_eq!(hashed_name("fonts/a.woff2", "12ab"), "fonts/a-12ab.woff2");
    assert_eq!(hashed_name("x.min.js", "12ab"), "x-12ab.min.js");
    assert_eq!(hashed_name("LICENCE", "12ab"), "LICENCE-12ab");
}

#[test]
fn writing_again_removes_what_is_gone_and_first_load_counts_brotli() {
    let dist = std::env::temp_dir().join(format!("redial-dist-{}", std::process::id()));
    let compressor = Compressor::new(dist.join(".cache"), compress::FAST).unwrap();
    let long = "a { color: red }\n".repeat(100);
    let site = |css: &str| {
        let page = "<link href={{asset:a.css}}><script src={{asset:boot.js}}>".to_owned();
        let boot = "{{js:redial}} {{wasm:redial}} {{js:decoder_simd}} {{wasm:decoder_simd}} \
                    {{js:decoder_relaxed}} {{wasm:decoder_relaxed}} \
                    {{js:decoder_candle}} {{wasm:decoder_candle}}";
        let sources = [
            ("index.html", page),
            ("boot.js", boot.to_owned()),
            ("a.css", css.to_owned()),
            ("later.svg", long.clone()),
        ];
        let sources = sources
            .into_iter()
            .map(|(n, c)| (n.to_owned(), c.into_bytes()));
        Site::new(&modules(), sources.collect()).build().unwrap()
    };
    write(&site("old{}"), &dist, &compressor).unwrap();
    let files = site(&long);
    write(&files, &dist, &compressor).unwrap();
    let written = files_below(&dist).unwrap();
    let load = first_load_bytes(&dist).unwrap();
    fs::remove_dir_all(&dist).unwrap();

    let styles: Vec<_> = written
        .keys()
        .filter(|name| name.contains("/a-") && name.contains(".css"))
        .collect();
    assert_eq!(styles.len(), 3, "{styles:?}");
    let count = |part| load.files().iter().filter(|file| file.part == part).count();
    assert_eq!(count(FirstLoadPart::Page), 2, "{:?}", load.files());
    assert_eq!(
        count(FirstLoadPart::App),
        4,
        "boot.js, app, its snippet and wasm: {:?}",
        load.files()
    );
    assert_eq!(
        count(FirstLoadPart::Decoder),
        2,
        "one build: {:?}",
        load.files()
    );
    assert_eq!(
        count(FirstLoadPart::Candle),
        2,
        "beside it: {:?}",
        load.files()
    );
    let total: u64 = load.files().iter().map(|file| file.bytes).sum();
    let parts = [
        FirstLoadPart::Page,
        FirstLoadPart::App,
        FirstLoadPart::Decoder,
        FirstLoadPart::Candle,
    ];
    assert_eq!(
        parts.map(|part| load.total(part)).iter().sum::<u64>(),
        total
    );
    let style = load
        .files()
        .iter()
        .find(|file| file.name.ends_with(".css"))
        .unwrap();
    assert!(style.bytes < 100, "compressed: {}", style.bytes);
}

/// Within a page an address is one from the top of the site, whatever the page's own address is.
#[test]
fn what_a_page_cannot_wait_for_stands_in_it() {
    let files = build(&[
        ("index.html", "<style>{{inline:a.css+b.css}}</style>"),
        ("a.css", "a { mask: url(\"{{asset:x.svg}}\") }"),
        ("b.css", "b {}"),
        ("x.svg", ""),
        ("lab/lab.html", "<link href={{asset:a.css}}>"),
        ("sw.js", "{{precache}}"),
    ])
    .unwrap();
    let named = |start: &str| files.keys().find(|name| name.starts_with(start));
    let picture = named("assets/x-").unwrap();
    assert_eq!(
        files["index.html"],
        format!("<style>a {{ mask: url(\"/{picture}\") }}b {{}}</style>")
    );
    assert!(!files["sw.js"].contains("assets/a-"), "{}", files["sw.js"]);
}

#[test]
fn style_sheets_of_a_page_are_one_file_and_kept_once() {
    let files = build(&[
        ("index.html", "<link href={{styles:a+b}}>"),
        ("a.css", "a { mask: url({{asset:x.svg}}) }"),
        ("b.css", "b {}"),
        ("x.svg", ""),
        ("lab/lab.html", "<link href={{asset:a.css}}>"),
        ("sw.js", "{{precache}}"),
    ])
    .unwrap();
    let named = |start: &str| files.keys().find(|name| name.starts_with(start)).unwrap();
    let styles = named("assets/styles-");
    let picture = named("assets/x-").strip_prefix("assets/").unwrap();
    assert_eq!(files["index.html"], format!("<link href=/{styles}>"));
    assert_eq!(
        files[styles],
        format!("a {{ mask: url(./{picture}) }}b {{}}")
    );
    assert!(files["lab.html"].contains(named("assets/a-")));
    let kept = &files["sw.js"];
    assert!(
        kept.contains(styles.as_str()) && kept.contains(picture),
        "{kept}"
    );
    assert!(
        !kept.contains("assets/a-") && !kept.contains("assets/b-"),
        "{kept}"
    );
}
