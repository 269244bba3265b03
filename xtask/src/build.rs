//! The release binary: static where the platform allows it, because a static program starts in two thirds of
//! the time.

use std::path::{Path, PathBuf};
use std::process::Command;

use anyhow::{Context, Result};

use xtask::sh::{self, Background, target_dir};

/// Aligns the program's segments to 2 MiB, so that the kernel maps its code in large pages where its cache holds the file in
/// such (`put_in_one_piece`): a third of the page faults, and 0.87 ms instead of 1.05 for a hook.
const LARGE_PAGES: &str = "-Clink-arg=-Wl,-z,max-page-size=2097152";

/// Builds the release binary; where it lies.
pub fn release() -> Result<PathBuf> {
    sh::check(&mut release_command()?)?;
    let program = release_path()?;
    put_in_one_piece(&program, &program)?;
    Ok(program)
}

/// Starts building the release binary, which goes on while tests compile: the two use different folders, and a release build
/// cannot keep two processors busy for long.
pub fn start_release() -> Result<Background> {
    Background::start(&mut release_command()?, target_dir().join("release-build.log"))
}

/// Where the release binary lies.
pub fn release_path() -> Result<PathBuf> {
    Ok(target_dir().join(host()?).join("release/tollgate"))
}

fn release_command() -> Result<Command> {
    let host = host()?;
    let mut command =
        sh::command(&["cargo", "build", "--release", "--locked", "-p", "tollgate", "--target", &host]);
    let mut flags = path_flags()?;
    if host.contains("linux") && has_static_library() {
        // A target is named so that build scripts and macros stay dynamic, and are linked as ever. Without relocation: the
        // catalogue's tables hold 49,000 addresses, and relocating them takes 1 ms at every start.
        flags.extend(["-Ctarget-feature=+crt-static", "-Crelocation-model=static"].map(str::to_owned));
        flags.push(LARGE_PAGES.to_owned());
    }
    command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}"));
    Ok(command)
}

/// Writes a program to its place in one piece, and replaces what is there: a hook that is running keeps the old one. The
/// linker fills a mapped file page by page, and the kernel keeps it in its cache just so; a file written in one piece is kept
/// in large pieces, which are mapped faster: a third of a hook's time.
pub fn put_in_one_piece(from: &Path, to: &Path) -> Result<()> {
    let piece = to.with_file_name(format!(".tollgate-{}", std::process::id()));
    std::fs::read(from)
        .and_then(|bytes| std::fs::write(&piece, bytes))
        .and_then(|()| std::fs::set_permissions(&piece, std::fs::metadata(from)?.permissions()))
        .and_then(|()| std::fs::rename(&piece, to))
        .with_context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

/// Builds the static release binary for another machine; where it lies.
pub fn cross(target: &str, compiler: &str) -> Result<PathBuf> {
    let mut command =
        sh::command(&["cargo", "build", "--release", "--locked", "-p", "tollgate", "--target", target]);
    let mut flags = path_flags()?;
    flags.push("-Ctarget-feature=+crt-static".to_owned());
    let name = target.replace('-', "_");
    command.env(format!("CARGO_TARGET_{}_LINKER", name.to_uppercase()), compiler);
    command.env(format!("CC_{name}"), compiler);
    sh::check(command.env("CARGO_ENCODED_RUSTFLAGS", flags.join("\u{1f}")))?;
    Ok(target_dir().join(target).join("release/tollgate"))
}

/// Flags that replace this machine's folders in the binary, so that the same source gives the same bytes wherever it is
/// built. The last flag that matches a path counts: cargo's folder may lie inside the checkout.
fn path_flags() -> Result<Vec<String>> {
    let sysroot = sh::output(&["rustc", "--print", "sysroot"])?;
    let version = sh::output(&["rustc", "-vV"])?;
    let commit = version.lines().find_map(|line| line.strip_prefix("commit-hash: ")).unwrap_or("unknown");
    let sources = PathBuf::from(sysroot.trim()).join("lib/rustlib/src/rust");
    let folders = [
        (Some(sh::root()), "/tollgate".to_owned()),
        (sh::cargo_home(), "/cargo".to_owned()),
        (Some(sources), format!("/rustc/{commit}")),
    ];
    let flag = |(from, to): (Option<PathBuf>, String)| {
        from.map(|from| format!("--remap-path-prefix={}={to}", from.display()))
    };
    Ok(folders.into_iter().filter_map(flag).collect())
}

/// Is there a C library to link statically?
fn has_static_library() -> bool {
    // Without one, the compiler prints the bare name.
    sh::output(&["cc", "-print-file-name=libc.a"]).is_ok_and(|path| Path::new(path.trim()).is_absolute())
}

/// The platform that this machine is.
pub fn host() -> Result<String> {
    let version = sh::output(&["rustc", "-vV"])?;
    let line = version.lines().find_map(|line| line.strip_prefix("host: "));
    line.map(str::to_owned).context("rustc names no host")
}
