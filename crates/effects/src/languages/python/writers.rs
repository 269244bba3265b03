//! Python's libraries that open files by themselves: logs, archives, arrays. A catalogue.

use super::super::ops::Op;

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    Some(match name {
        "logging.FileHandler"
        | "logging.handlers.RotatingFileHandler"
        | "logging.handlers.TimedRotatingFileHandler"
        | "logging.handlers.WatchedFileHandler"
        | "logging.basicConfig" => Op::OpenFor("a"),
        "zipfile.ZipFile"
        | "zipfile.PyZipFile"
        | "tarfile.open"
        | "tarfile.TarFile"
        | "tarfile.TarFile.open"
        | "gzip.GzipFile"
        | "bz2.BZ2File"
        | "lzma.LZMAFile"
        | "py7zr.SevenZipFile"
        | "pyzipper.AESZipFile" => Op::OpenFor("r"),
        "numpy.save" | "numpy.savez" | "numpy.savetxt" | "np.save" | "np.savez" | "np.savetxt" => {
            Op::OpenFor("w")
        }
        "shutil.make_archive" => Op::Archive,
        "tarfile.open.add"
        | "tarfile.TarFile.add"
        | "tarfile.TarFile.open.add"
        | "tarfile.open.gettarinfo"
        | "zipfile.ZipFile.write"
        | "zipfile.PyZipFile.write"
        | "pyzipper.AESZipFile.write"
        | "py7zr.SevenZipFile.write"
        | "py7zr.SevenZipFile.writeall" => Op::Read,
        _ => return None,
    })
}
