//! How a program that is linked statically looks up the names of other hosts.

/// Looks names up in `/etc/hosts` and by DNS, whatever `/etc/nsswitch.conf` says. glibc would load a library for each
/// other way that this file names, and those are made for the system's own glibc: a static program has another one, and
/// may crash. To be called before the first name is looked up.
#[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
#[allow(unsafe_code)]
pub fn by_hosts_file_and_dns() {
    use std::ffi::{c_char, c_int};
    unsafe extern "C" {
        fn __nss_configure_lookup(database: *const c_char, ways: *const c_char) -> c_int;
    }
    // SAFETY: every glibc since 2.0 has this function, with these types (nss.h). Both strings end with a zero byte
    // and are constants, so that glibc may keep them; it takes a lock of its own.
    unsafe {
        __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr());
    }
}

/// Nothing: the C library on this machine looks names up as the machine is set up to.
#[cfg(not(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static")))]
pub fn by_hosts_file_and_dns() {}
