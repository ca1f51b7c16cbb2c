//! A hash that tells whether data are still those that they were: FNV-1a in 64 bits.

/// The hash of bytes, one after the other.
pub fn fnv(bytes: impl IntoIterator<Item = u8>) -> u64 {
    bytes.into_iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

/// The hash of numbers, by their bits.
pub fn of_numbers(values: &[f64]) -> u64 {
    fnv(values.iter().flat_map(|v| v.to_bits().to_le_bytes()))
}

// python3 -c "
// h = 0xcbf29ce484222325
// for b in b'foobar': h = (h ^ b)*0x100000001b3 % 2**64
// print(hex(h))"
#[test]
fn agrees_with_the_published_value() {
    assert_eq!(fnv(*b"foobar"), 0x8594_4171_f739_67e8);
}
