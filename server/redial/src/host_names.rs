//! How a program that is linked statically looks up the names of other hosts.

/// Looks names up in `/etc/hosts` and by DNS, whatever `/etc/nsswitch.conf` says. glibc would load a library for each
/// other way that this file names, and those are made for the system's own glibc: a static program has another one, and
/// may crash. To be called before the first name is looked up.
///
/// In a program that is linked dynamically it does nothing.
pub fn by_hosts_file_and_dns() {
    #[cfg(all(target_os = "linux", target_env = "gnu", target_feature = "crt-static"))]
    {
        use std::ffi::{c_char, c_int};
        unsafe extern "C" {
            fn __nss_configure_lookup(database: *const c_char, ways: *const c_char) -> c_int;
        }
        // SAFETY: it is a function of every glibc since 2.0 (nss.h) with these types. Both strings end with a zero byte
        // and are constants, so glibc may keep them; it takes its own lock.
        #[allow(unsafe_code)]
        unsafe {
            __nss_configure_lookup(c"hosts".as_ptr(), c"files dns".as_ptr());
        }
    }
}
