//! Whether a program of Linux needs anything of the system but its kernel.

/// The kind of a segment that names the loader of dynamic libraries.
const INTERPRETER: u32 = 3;

/// Whether a program loads no dynamic library: it is an ELF file, and names no loader. None where it is no ELF file of 64 bits
/// with the least byte first, as all are that Redial is built for.
pub fn is_static(program: &[u8]) -> Option<bool> {
    // Magic number, 64 bits, least byte first.
    program.strip_prefix(b"\x7fELF\x02\x01")?;
    let number = |at: usize, width: usize| -> Option<u64> {
        let bytes = program.get(at..at.checked_add(width)?)?;
        Some(
            bytes
                .iter()
                .rev()
                .fold(0, |number, &byte| number << 8 | u64::from(byte)),
        )
    };
    let table = usize::try_from(number(0x20, 8)?).ok()?;
    let width = usize::try_from(number(0x36, 2)?).ok()?;
    let segments = usize::try_from(number(0x38, 2)?).ok()?;
    for segment in 0..segments {
        let at = table.checked_add(segment.checked_mul(width)?)?;
        if number(at, 4)? == u64::from(INTERPRETER) {
            return Some(false);
        }
    }
    Some(true)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The header of a program with segments of these kinds.
    fn program(segments: &[u32]) -> Vec<u8> {
        let mut program = b"\x7fELF\x02\x01".to_vec();
        program.resize(0x40, 0);
        program[0x20] = 0x40;
        program[0x36] = 56;
        program[0x38] = u8::try_from(segments.len()).unwrap();
        for kind in segments {
            let start = program.len();
            program.extend(kind.to_le_bytes());
            program.resize(start + 56, 0);
        }
        program
    }

    #[test]
    fn who_names_a_loader_is_dynamic() {
        assert_eq!(is_static(&program(&[6, 1, 2])), Some(true));
        assert_eq!(is_static(&program(&[6, INTERPRETER, 1])), Some(false));
    }

    #[test]
    fn what_is_no_program_is_neither() {
        assert_eq!(is_static(b""), None);
        assert_eq!(is_static(b"#!/bin/sh"), None);
        let mut cut = program(&[6, 1]);
        cut.truncate(70);
        assert_eq!(is_static(&cut), None);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn the_tests_themselves_load_the_c_library() {
        // ldd shows libc.so.6 of every program that cargo builds without flags.
        let tests = std::fs::read(std::env::current_exe().unwrap()).unwrap();
        assert_eq!(is_static(&tests), Some(cfg!(target_feature = "crt-static")));
    }
}
