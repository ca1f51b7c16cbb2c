//! How long weights take to arrive at a participant.

/// Connections of people on the road, and their bytes in a second: what browsers take for
/// these names when they slow a page down.
const CONNECTIONS: [(&str, f64); 2] = [("slow 3G", 50_000.0), ("fast 3G", 180_000.0)];

/// Seconds to download so many bytes: `11 s on slow 3G, 3 s on fast 3G`.
pub fn seconds(bytes: usize) -> String {
    let each = CONNECTIONS.map(|(name, bytes_per_s)| {
        let seconds = bytes as f64 / bytes_per_s;
        let digits = usize::from(seconds < 9.95);
        format!("{seconds:.digits$} s on {name}")
    });
    each.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn seconds_have_a_digit_where_they_are_few() {
        assert_eq!(seconds(6_800_000), "136 s on slow 3G, 38 s on fast 3G");
        assert_eq!(seconds(539_748), "11 s on slow 3G, 3.0 s on fast 3G");
    }
}
