//! One POST, by plain HTTP/1.1. For an address that wants TLS there is a collector on this machine, or a program
//! as the sink.

use std::io::{Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

pub(crate) fn post(url: &str, headers: &[(String, String)], body: &str, end: Instant) -> Result<(), String> {
    let told = |what: String| format!("`{url}`: {what}");
    let rest = url.strip_prefix("http://").ok_or_else(|| {
        told(
            "only `http://` is spoken here; send to a collector on this machine, or use a program".to_owned(),
        )
    })?;
    let (authority, path) =
        rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, path.to_owned()));
    let address = if authority.contains(':') { authority.to_owned() } else { format!("{authority}:80") };
    let plain = |text: &str| !text.contains(['\r', '\n']);
    if !plain(rest) || !headers.iter().all(|(name, value)| plain(name) && plain(value)) {
        return Err(told("a line end in the address or a header".to_owned()));
    }
    let extra: String = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n")).collect();
    let request = format!(
        "POST /{path} HTTP/1.1\r\nHost: {authority}\r\nContent-Type: application/json\r\n{extra}Content-Length: {}\r\nConnection: close\r\n\r\n{body}",
        body.len()
    );
    let status = exchange(&address, request.as_bytes(), end).map_err(|error| told(error.to_string()))?;
    if (200..300).contains(&status) { Ok(()) } else { Err(told(format!("answered {status}"))) }
}

fn exchange(address: &str, request: &[u8], end: Instant) -> std::io::Result<u16> {
    let missing = || std::io::Error::new(std::io::ErrorKind::NotFound, "no such address");
    let target = address.to_socket_addrs()?.next().ok_or_else(missing)?;
    let left = || end.saturating_duration_since(Instant::now()).max(Duration::from_millis(1));
    let mut stream = TcpStream::connect_timeout(&target, left())?;
    stream.set_write_timeout(Some(left()))?;
    stream.write_all(request)?;
    let mut answer = Vec::new();
    let mut piece = [0; 512];
    // The status line is all that counts.
    while answer.len() < 12 && Instant::now() < end {
        stream.set_read_timeout(Some(left()))?;
        match stream.read(&mut piece)? {
            0 => break,
            count => answer.extend(piece.iter().take(count)),
        }
    }
    let line = String::from_utf8_lossy(&answer);
    let status =
        line.split(' ').nth(1).and_then(|status| status.get(..3)).and_then(|status| status.parse().ok());
    status.ok_or_else(|| std::io::Error::new(std::io::ErrorKind::InvalidData, "no answer in HTTP"))
}
