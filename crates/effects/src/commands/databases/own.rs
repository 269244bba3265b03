//! Databases that a call has started for itself.

use crate::commands::Run;
use crate::commands::containers::throwaway;
use crate::word::Word;

/// Does the client speak to a database that this call has started for itself?
pub(super) fn is_throwaway(run: &Run) -> bool {
    let (host, port) = match run.program {
        "psql" | "pgcli" | "ysqlsh" => (["-h", "--host"], ["-p", "--port"]),
        "mysql" | "mariadb" | "mycli" => (["-h", "--host"], ["-P", "--port"]),
        "redis-cli" | "valkey-cli" => (["-h", "-h"], ["-p", "-p"]),
        _ => return false,
    };
    let value = |names: [&str; 2]| {
        let behind = run.args.windows(2).find_map(|pair| match pair {
            [option, value] if names.iter().any(|name| option.is(name)) => value.literal(),
            _ => None,
        });
        let long = format!("{}=", names.last().copied().unwrap_or_default());
        behind.or_else(|| run.args.iter().find_map(|word| word.literal()?.strip_prefix(long.as_str())))
    };
    let addresses: Vec<&str> =
        run.args.iter().filter_map(Word::literal).filter(|word| word.contains("://")).collect();
    let redis = run.program.ends_with("-cli");
    match (value(port), addresses.as_slice()) {
        (Some(port), []) => {
            let host = value(host).or(redis.then_some("localhost"));
            host.is_some_and(|host| throwaway::serves(run, host, port))
        }
        (None, [address]) => {
            let port =
                address.rsplit_once(':').map_or("", |(_, port)| port.split('/').next().unwrap_or_default());
            throwaway::serves(run, &crate::url::host(address), port)
        }
        _ => false,
    }
}
