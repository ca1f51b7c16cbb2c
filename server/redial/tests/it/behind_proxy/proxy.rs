//! Proxies as docs/proxies.md sets them up.

use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

use super::AT_ONCE;

/// A proxy; ends with the value.
pub struct Proxy {
    child: Child,
    pub address: String,
}

impl Drop for Proxy {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

/// The blocks of code for a proxy in docs/proxies.md, in order.
fn documented(proxy: &str) -> Vec<String> {
    let text = include_str!("../../../../../docs/proxies.md");
    let begin = format!("```{proxy}\n");
    let blocks = text.split(&begin).skip(1);
    blocks
        .map(|block| block.split("```").next().unwrap().to_owned())
        .collect()
}

/// An address that was free a moment ago.
fn free_address() -> String {
    let port = TcpListener::bind("127.0.0.1:0").unwrap();
    port.local_addr().unwrap().to_string()
}

impl Proxy {
    /// The number of its process.
    pub fn process(&self) -> u32 {
        self.child.id()
    }

    /// Starts a proxy that is to listen at an address.
    fn started(command: &mut Command, address: String, how_to_get_it: &str) -> Self {
        let child = command.stdout(Stdio::null()).spawn();
        let proxy = Self {
            child: child.expect(how_to_get_it),
            address,
        };
        let until = Instant::now() + AT_ONCE;
        while TcpStream::connect(&proxy.address).is_err() {
            assert!(Instant::now() < until, "the proxy does not listen");
            std::thread::sleep(Duration::from_millis(50));
        }
        proxy
    }

    /// Caddy before a server, as the documentation says, but over HTTP.
    pub fn caddy(server: &str, folder: &Path) -> Self {
        let block = &documented("caddy")[0];
        assert!(block.starts_with("study.example.org {"), "{block}");
        let address = free_address();
        let site = block
            .replace("127.0.0.1:8080", server)
            .replace("study.example.org", &format!("http://{address}"));
        let file = folder.join("Caddyfile");
        std::fs::write(&file, format!("{{\nadmin off\n}}\n{site}")).unwrap();
        let program = std::env::var("CADDY_PROGRAM").unwrap_or_else(|_| "caddy".to_owned());
        let mut command = Command::new(program);
        command.args(["run", "--adapter", "caddyfile", "--config"]);
        // It keeps files in its home.
        command.arg(file).env("HOME", folder).stderr(Stdio::null());
        let how = "Caddy is not there: apt-get install caddy, or name it with CADDY_PROGRAM";
        Self::started(&mut command, address, how)
    }

    /// nginx before a server, as the documentation says; `more` is added to its `location`.
    pub fn nginx(server: &str, folder: &Path, more: &str) -> Self {
        let blocks = documented("nginx");
        let (location, map) = (&blocks[0], &blocks[1]);
        assert!(location.starts_with("location / {") && map.starts_with("map "));
        let location = location
            .replace("127.0.0.1:8080", server)
            .replace("location / {", &format!("location / {{ {more}"));
        let address = free_address();
        let at = folder.display();
        let temporary: String = ["client_body", "proxy", "fastcgi", "uwsgi", "scgi"]
            .map(|of| format!("{of}_temp_path {at}/{of};\n"))
            .concat();
        let settings = format!(
            "daemon off;\nmaster_process off;\npid {at}/nginx.pid;\nerror_log stderr;\nevents {{}}\n\
             http {{\naccess_log off;\n{temporary}{map}\nserver {{\nlisten {address};\n{location}\n}}\n}}\n"
        );
        let file = folder.join("nginx.conf");
        std::fs::write(&file, settings).unwrap();
        let program = std::env::var("NGINX_PROGRAM").unwrap_or_else(|_| "nginx".to_owned());
        let mut command = Command::new(program);
        command.arg("-p").arg(folder).arg("-c").arg(&file);
        command.args(["-e", "stderr"]);
        let how = "nginx is not there: apt-get install nginx-light, or name it with NGINX_PROGRAM";
        Self::started(&mut command, address, how)
    }
}
