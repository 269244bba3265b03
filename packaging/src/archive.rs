//! Archives whose bytes depend on nothing but the files and the time they are given.

use std::io::{Cursor, Write};

use anyhow::{Context, Result};
use flate2::{Compression, GzBuilder};
use zip::ZipWriter;
use zip::write::SimpleFileOptions;

use crate::files::Files;

/// A compressed tar archive, with an entry for each folder.
pub fn tar_gz(files: &Files, time: i64) -> Result<Vec<u8>> {
    gzip(&tar(files, u64::try_from(time)?)?)
}

fn tar(files: &Files, time: u64) -> Result<Vec<u8>> {
    let mut builder = tar::Builder::new(Vec::new());
    for folder in files.folders() {
        let mut header = header(tar::EntryType::Directory, 0o755, 0, time);
        builder.append_data(&mut header, format!("{folder}/"), std::io::empty())?;
    }
    for (path, file) in files.iter() {
        let mut header = header(tar::EntryType::Regular, file.mode(), file.bytes.len() as u64, time);
        builder.append_data(&mut header, path, file.bytes.as_slice())?;
    }
    Ok(builder.into_inner()?)
}

fn header(kind: tar::EntryType, mode: u32, size: u64, time: u64) -> tar::Header {
    let mut header = tar::Header::new_gnu();
    header.set_entry_type(kind);
    header.set_mode(mode);
    header.set_size(size);
    header.set_mtime(time);
    header.set_uid(0);
    header.set_gid(0);
    header
}

/// Compresses, without a name or a time in the header.
pub fn gzip(bytes: &[u8]) -> Result<Vec<u8>> {
    let mut encoder = GzBuilder::new().write(Vec::new(), Compression::default());
    encoder.write_all(bytes)?;
    Ok(encoder.finish()?)
}

/// An `ar` archive, which is what a Debian package is. The members stay in the order that they have.
pub fn ar(members: &[(&str, Vec<u8>)], time: i64) -> Result<Vec<u8>> {
    let mut builder = ar::Builder::new(Vec::new());
    for (name, bytes) in members {
        let mut header = ar::Header::new(name.as_bytes().to_vec(), bytes.len() as u64);
        header.set_mode(0o100_644);
        header.set_mtime(u64::try_from(time)?);
        builder.append(&header, bytes.as_slice())?;
    }
    Ok(builder.into_inner()?)
}

/// A zip archive, which is what a wheel is. The last file is added last: a wheel's list of files belongs at its end.
pub fn zip(files: &Files, last: (&str, &[u8]), time: i64) -> Result<Vec<u8>> {
    let time = jiff::Timestamp::from_second(time)?.to_zoned(jiff::tz::TimeZone::UTC).datetime();
    let time = zip::DateTime::try_from(time).ok().context("a zip archive holds no time before 1980")?;
    let options = SimpleFileOptions::default()
        .compression_method(zip::CompressionMethod::Deflated)
        .compression_level(Some(6))
        .last_modified_time(time);
    let mut writer = ZipWriter::new(Cursor::new(Vec::new()));
    for (path, file) in files.iter() {
        writer.start_file(path, options.unix_permissions(file.mode()))?;
        writer.write_all(&file.bytes)?;
    }
    let (path, bytes) = last;
    writer.start_file(path, options.unix_permissions(0o644))?;
    writer.write_all(bytes)?;
    Ok(writer.finish()?.into_inner())
}
