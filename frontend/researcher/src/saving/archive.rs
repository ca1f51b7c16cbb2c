//! A ZIP archive of files as they are: pictures are compressed already. Only what every program reads: names in UTF-8, no
//! dates, at most 65,535 files and 4 GB.

/// An archive that is being filled.
#[derive(Default)]
pub struct Archive {
    bytes: Vec<u8>,
    /// The list of its files, which stands at the end.
    list: Vec<u8>,
    files: u16,
}

/// 1 January 1980, which stands for no date.
const NO_DATE: u16 = 0x21;

impl Archive {
    /// Adds a file. `None` where the archive would be larger than the format allows; then it is as before.
    pub fn add(&mut self, name: &str, content: &[u8]) -> Option<()> {
        let offset = u32::try_from(self.bytes.len()).ok()?;
        let size = u32::try_from(content.len()).ok()?;
        let length = u16::try_from(name.len()).ok()?;
        let files = self
            .files
            .checked_add(1)
            .filter(|files| *files < u16::MAX)?;
        // The end of the archive has to be within reach, too.
        let after = offset.checked_add(size)?.checked_add(1 << 16)?;
        u32::try_from(self.list.len()).ok()?.checked_add(after)?;
        let mut about = Vec::new();
        // Version 2.0, names in UTF-8, stored.
        for number in [20, 0x800, 0, 0, NO_DATE] {
            about.extend(u16::to_le_bytes(number));
        }
        for number in [crc32fast::hash(content), size, size] {
            about.extend(u32::to_le_bytes(number));
        }
        for number in [length, 0] {
            about.extend(u16::to_le_bytes(number));
        }
        self.bytes.extend(b"PK\x03\x04");
        self.bytes.extend(&about);
        self.bytes.extend(name.as_bytes());
        self.bytes.extend(content);
        self.list.extend(b"PK\x01\x02");
        self.list.extend(u16::to_le_bytes(20));
        self.list.extend(&about);
        // No comment, on the first disk, no attributes.
        self.list.extend([0; 10]);
        self.list.extend(offset.to_le_bytes());
        self.list.extend(name.as_bytes());
        self.files = files;
        Some(())
    }

    /// All of it.
    pub fn finish(mut self) -> Vec<u8> {
        let offset = self.bytes.len() as u32;
        let length = self.list.len() as u32;
        self.bytes.append(&mut self.list);
        self.bytes.extend(b"PK\x05\x06");
        self.bytes.extend([0; 4]);
        for number in [self.files, self.files] {
            self.bytes.extend(number.to_le_bytes());
        }
        for number in [length, offset] {
            self.bytes.extend(number.to_le_bytes());
        }
        self.bytes.extend([0; 2]);
        self.bytes
    }
}

#[cfg(test)]
mod tests {
    use std::io::{Cursor, Read as _};

    use super::Archive;

    #[test]
    fn another_program_reads_what_is_in_it() {
        let large = vec![7_u8; 100_000];
        let files: [(&str, &[u8]); 3] = [
            ("frame-0001.png", &large),
            ("frames.csv", b"frame,t\r\n"),
            ("leer-ü.txt", b""),
        ];
        let mut archive = Archive::default();
        for (name, content) in files {
            archive.add(name, content).unwrap();
        }
        let mut read = zip::ZipArchive::new(Cursor::new(archive.finish())).unwrap();
        assert_eq!(read.len(), files.len());
        for (index, (name, content)) in files.into_iter().enumerate() {
            let mut file = read.by_index(index).unwrap();
            assert_eq!(file.name().unwrap(), name);
            let mut found = Vec::new();
            // It compares the checksum, too.
            file.read_to_end(&mut found).unwrap();
            assert_eq!(found, content);
        }
    }

    #[test]
    fn an_empty_archive_is_one_and_a_name_that_is_too_long_is_refused() {
        let mut archive = Archive::default();
        assert_eq!(archive.add(&"n".repeat(70_000), b""), None);
        let read = zip::ZipArchive::new(Cursor::new(archive.finish())).unwrap();
        assert_eq!(read.len(), 0);
    }
}
