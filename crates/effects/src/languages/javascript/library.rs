//! Libraries of Node.js, Deno and Bun: what their functions do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// The plain form of a name: without the detours to the same thing.
pub(super) fn canonical(name: &str) -> Option<String> {
    let mut plain = name;
    for prefix in ["node:", "globalThis.", "global.", "window.", "self.", "process.mainModule.", "module."] {
        plain = plain.strip_prefix(prefix).unwrap_or(plain);
    }
    let mut owned = plain.replace(".default", "").replace(".prototype", "");
    if let Some(part) = standard_fs(&owned) {
        owned = format!("fs{part}");
    }
    for (alias, real) in [
        ("fs/promises", "fs"),
        ("fs-extra", "fs"),
        ("graceful-fs", "fs"),
        ("bun", "Bun"),
        ("fs.promises", "fs"),
        ("path/posix", "path"),
        ("path.posix", "path"),
        ("timers/promises", "timers"),
    ] {
        if let Some(rest) = owned.strip_prefix(alias)
            && (rest.is_empty() || rest.starts_with('.'))
        {
            owned = format!("{real}{rest}");
        }
    }
    if let Some(base) =
        owned.strip_suffix("Sync").filter(|base| base.starts_with("fs.") || base.starts_with("Deno."))
    {
        owned = base.to_owned();
    }
    (owned != name).then_some(owned)
}

/// The standard library of Deno, from wherever it is brought in: `https://deno.land/std@1/fs/mod.ts`, `jsr:@std/fs`.
fn standard_fs(name: &str) -> Option<&str> {
    let from = name.strip_prefix("https://").or_else(|| name.strip_prefix("jsr:")).unwrap_or(name);
    let part = match from.strip_prefix("@std/fs") {
        Some(rest) => rest.get(rest.rfind('.').unwrap_or(rest.len())..)?,
        None => {
            let (module, part) = from.strip_prefix("deno.land/std")?.split_once(".ts")?;
            module.contains("/fs/").then_some(part)?
        }
    };
    (part.is_empty() || part.starts_with('.')).then_some(part)
}

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    commands(name)
        .or_else(|| files(name))
        .or_else(|| network(name))
        .or_else(|| code(name))
        .or_else(|| tests(name))
        .or_else(|| values(name))
}

fn commands(name: &str) -> Option<Op> {
    Some(match name {
        "child_process.fork" | "cluster.fork" => Op::ForkFile,
        "child_process.exec" | "shelljs.exec" | "execa.command" | "execa.execaCommand" => Op::Shell,
        "child_process.execSync" | "Bun.$" | "execa.commandSync" | "bun.$" | "zx.$" | "$" | "execa.$" => {
            Op::ShellOut
        }
        "process.binding.spawn"
        | "child_process.spawn"
        | "child_process.spawnSync"
        | "child_process.execFile"
        | "child_process.execFileSync"
        | "Deno.Command"
        | "Deno.run"
        | "Bun.spawn"
        | "Bun.spawnSync"
        | "execa"
        | "execa.execa"
        | "execa.execaSync"
        | "cross-spawn"
        | "cross-spawn.sync"
        | "cross-spawn.spawn" => Op::Spawn,
        "process.kill" | "Deno.kill" => Op::Kill,
        "process.exit" | "Deno.exit" => Op::Calm,
        _ => return None,
    })
}

fn files(name: &str) -> Option<Op> {
    Some(match name {
        "fs.unlink" | "fs.rmdirs" => Op::Delete,
        "fs.rm" | "fs.rmdir" | "Deno.remove" => Op::DeleteMaybe,
        "shelljs.rm" | "fs.remove" | "fs.emptyDir" | "rimraf" | "rimraf.sync" | "rimraf.rimraf"
        | "rimraf.rimrafSync" | "rimraf.native" | "del" | "del.sync" | "del.deleteAsync"
        | "del.deleteSync" | "trash" => Op::DeleteTree,
        "fs.rename" | "fs.move" | "Deno.rename" | "shelljs.mv" => Op::Move,
        "fs.copyFile" | "Deno.copyFile" | "shelljs.cp" => Op::Copy,
        "fs.cp" | "fs.copy" => Op::CopyTree,
        "fs.symlink" | "fs.link" | "Deno.symlink" | "Deno.link" => Op::Link,
        "adm-zip.addLocalFolder"
        | "adm-zip.addLocalFile"
        | "archiver.directory"
        | "archiver.file"
        | "archiver.glob"
        | "fs.readFile"
        | "fs.readJson"
        | "Deno.readTextFile"
        | "Deno.readFile" => Op::Read,
        "fs.writeFile" | "fs.outputFile" | "fs.writeJson" | "Deno.writeTextFile" | "Deno.writeFile"
        | "Bun.write" => Op::Write,
        "fs.mkdir" | "fs.ensureDir" | "Deno.mkdir" => Op::MakeDir,
        "fs.utimes" | "fs.ensureFile" | "shelljs.touch" => Op::Touch,
        "fs.appendFile" => Op::Append,
        "fs.truncate" | "fs.ftruncate" | "Deno.truncate" => Op::Truncate,
        "Bun.file" | "fs.open" | "fs.createReadStream" | "Deno.open" => Op::Open,
        "fs.createWriteStream" | "Deno.create" => Op::Create,
        "stream.pipeline" | "stream/promises.pipeline" | "stream.promises.pipeline" => Op::Streams,
        "fs.readdir" | "Deno.readDir" => Op::ReadDir,
        "fs.glob" | "glob" | "glob.sync" | "glob.glob" | "glob.globSync" | "fast-glob" | "fast-glob.sync"
        | "globby" => Op::Glob,
        "fs.chmod" | "fs.chown" | "fs.lchown" | "Deno.chmod" | "Deno.chown" => Op::Permission,
        "tar.x" | "tar.extract" | "tar.xSync" | "extract-zip" | "decompress" => Op::Extract(1),
        "adm-zip.extractAllTo"
        | "adm-zip.extractAllToAsync"
        | "unzipper.Extract"
        | "tar-fs.extract"
        | "tar-stream.extract"
        | "jszip.extract" => Op::Extract(0),
        "fs.write" | "fs.writev" => Op::Put,
        "dotenv.config" | "dotenv.configDotenv" | "process.loadEnvFile" => Op::LoadEnv(0),
        "fs.mkdtemp" | "Deno.makeTempDir" | "Deno.makeTempFile" => Op::Now(Known::TempFile),
        "process.chdir" | "Deno.chdir" | "shelljs.cd" => Op::ChangeDir,
        _ => return None,
    })
}

fn network(name: &str) -> Option<Op> {
    Some(match name {
        "fetch" | "node-fetch" | "undici.fetch" | "undici.request" | "undici.stream" | "http.get"
        | "https.get" | "http.request" | "https.request" | "axios" | "axios.request" | "got"
        | "got.stream" | "request" | "needle" | "http2.connect" | "ky" | "phin" | "bent" | "cross-fetch"
        | "isomorphic-fetch" | "EventSource" => Op::Fetch,
        "XMLHttpRequest.open" => Op::Request,
        "navigator.sendBeacon" | "form-data.submit" => Op::Post,
        "net.connect"
        | "net.createConnection"
        | "tls.connect"
        | "net.Socket.connect"
        | "Deno.connect"
        | "Deno.connectTls"
        | "WebSocket"
        | "ws"
        | "ws.WebSocket"
        | "dgram.createSocket.connect"
        | "Bun.connect" => Op::Connect,
        "connection.write" | "connection.end" | "connection.send" | "dgram.createSocket.send" => Op::Send,
        _ if let Some(part) = name.strip_prefix("dns.") => {
            let look_up = part.rsplit('.').next().unwrap_or_default();
            let resolves = look_up.starts_with("resolve") || look_up == "lookup";
            return resolves.then_some(Op::Resolve);
        }
        "Deno.resolveDns" => Op::Resolve,
        _ => {
            let (client, verb) = name.rsplit_once('.')?;
            return CLIENTS.contains(&client).then_some(verb).and_then(|verb| match verb {
                "request" | "stream" => Some(Op::Fetch),
                "del" | "postForm" | "putForm" => Some(Op::Post),
                _ => Op::request(verb),
            });
        }
    })
}

/// What has a method for each method of HTTP.
const CLIENTS: &[&str] = &[
    "axios",
    "axios.create",
    "got",
    "got.extend",
    "ky",
    "ky.create",
    "ky.extend",
    "request",
    "request.defaults",
    "request-promise",
    "superagent",
    "superagent.agent",
    "needle",
    "undici.Client",
    "undici.Agent",
    "undici.Pool",
    "ofetch",
    "wretch",
];

/// What tests put in the place of functions.
fn tests(name: &str) -> Option<Op> {
    Some(match name {
        "test.mock.method" => Op::Stub,
        "sinon.stub"
        | "sinon.replace"
        | "sinon.default.stub"
        | "jest.mock"
        | "vi.mock"
        | "vitest.vi.mock"
        | "jest.unstable_mockModule"
        | "vi.doMock"
        | "jest.doMock" => Op::StubAll,
        "jest.spyOn" | "vi.spyOn" | "vitest.vi.spyOn" => Op::Spy,
        "spy.mockImplementation"
        | "spy.mockReturnValue"
        | "spy.mockResolvedValue"
        | "spy.mockRejectedValue" => Op::StubSpied,
        "test.mock.restoreAll"
        | "test.mock.reset"
        | "jest.restoreAllMocks"
        | "vi.restoreAllMocks"
        | "vitest.vi.restoreAllMocks"
        | "sinon.restore"
        | "spy.mockRestore" => Op::Unstub,
        _ => return None,
    })
}

fn code(name: &str) -> Option<Op> {
    Some(match name {
        "Function" | "constructor.constructor" => Op::MakeFunction,
        "eval"
        | "vm.runInThisContext"
        | "vm.runInNewContext"
        | "vm.runInContext"
        | "vm.Script"
        | "module._compile"
        | "vm.compileFunction" => Op::Eval,
        "setTimeout" | "setInterval" | "setImmediate" | "queueMicrotask" | "process.nextTick" => Op::Later,
        "require"
        | "_load"
        | "import"
        | "require.main.require"
        | "constructor._load"
        | "process.getBuiltinModule" => Op::Import,
        "createRequire" => Op::Yields("require"),
        "Worker" | "worker_threads.Worker" => Op::Worker,
        "dotenv.config" | "dotenv.configDotenv" | "dotenv.parse" => Op::EnvAll,
        "Reflect.get" | "Object.getOwnPropertyDescriptor" => Op::Part,
        "Proxy" => Op::Proxy,
        // macOS's applications.
        "Application.delete" => Op::DeleteTree,
        "Path" => Op::Pure(Pure::Same),
        "Reflect.apply" => Op::Apply,
        "console.log" | "console.info" | "console.dir" | "console.table" => Op::Print(true),
        "console.error"
        | "console.warn"
        | "console.trace"
        | "console.assert"
        | "process.stderr.write"
        | "process.emitWarning" => Op::Tell,
        "console.debug" => Op::Print(true),
        "process.stdout.write" => Op::Print(false),
        "process.argv" => Op::Known(Known::Interpreted),
        "Bun.argv" => Op::Known(Known::Interpreted),
        "Deno.args" => Op::Known(Known::Arguments),
        "process.env" | "Bun.env" | "import.meta.env" => Op::Known(Known::Environment),
        "Deno.env.get" | "$ENV.?" => Op::Env,
        "Deno.env.toObject" | "process.report.getReport" | "process.report.writeReport" => Op::EnvAll,
        "process.ppid" => Op::Known(Known::Parent),
        "process.execPath" => Op::Known(Known::Executable),
        "process.stdin" | "Bun.stdin" | "Deno.stdin" => Op::Known(Known::Input),
        "__filename" | "import.meta.filename" | "import.meta.url" => Op::Known(Known::File),
        "__dirname" | "import.meta.dirname" => Op::Known(Known::FileFolder),
        "path.sep" => Op::Known(Known::Slash),
        "os.EOL" => Op::Known(Known::Newline),
        "Object.keys" => Op::Keys,
        "Promise.resolve" | "Promise.all" | "Promise.allSettled" | "Promise.race" => Op::Pure(Pure::Same),
        _ => return None,
    })
}

fn values(name: &str) -> Option<Op> {
    Some(match name {
        "path.join" | "path.normalize" => Op::Pure(Pure::JoinPaths),
        "path.resolve" => Op::Pure(Pure::Resolve),
        "path.dirname" => Op::Pure(Pure::Parent),
        "path.basename" => Op::Pure(Pure::Base),
        "path.extname" => Op::Pure(Pure::Suffix),
        "os.homedir" => Op::Now(Known::Home),
        "os.tmpdir" => Op::Now(Known::Temp),
        "process.cwd" | "Deno.cwd" => Op::Now(Known::Folder),
        "String.fromCharCode" | "String.fromCodePoint" => Op::Pure(Pure::Chars),
        "pattern.test" | "pattern.exec" => Op::Fits,
        "URL" => Op::Pure(Pure::Address),
        "String" | "String.raw" | "decodeURI" | "url.pathToFileURL" | "url.fileURLToPath"
        | "util.promisify" => Op::Pure(Pure::Same),
        "structuredClone" => Op::Pure(Pure::CopyWhole),
        "Array.from" => Op::Pure(Pure::ToList),
        "Object.assign" => Op::Pure(Pure::Merge),
        "Map" | "Object.fromEntries" => Op::Pure(Pure::Table),
        "decodeURIComponent" | "unescape" => Op::Pure(Pure::Percent),
        "JSON.parse" => Op::Pure(Pure::Json),
        "JSON.stringify"
        | "encodeURIComponent"
        | "encodeURI"
        | "URLSearchParams"
        | "btoa"
        | "qs.stringify"
        | "querystring.stringify" => Op::Encode,
        "atob" => Op::Pure(Pure::Base64),
        "Buffer.from" | "Buffer.alloc" | "Buffer" => Op::Pure(Pure::Buffer),
        "zlib.gunzipSync"
        | "zlib.inflateSync"
        | "zlib.brotliDecompressSync"
        | "zlib.unzipSync"
        | "crypto.createDecipheriv" => Op::Pure(Pure::Unpacked),
        "parseInt" | "Number" => Op::Pure(Pure::Int),
        "Object.values" => Op::Pure(Pure::Values),
        "Object.entries" => Op::Pure(Pure::Entries),
        "Array" | "Array.of" | "Set" => Op::Pure(Pure::List),
        _ => return None,
    })
}

/// What a method does, whatever it is called on: that is its first argument.
pub(super) fn method(name: &str) -> Option<Op> {
    Some(match name {
        "then" => Op::Then,
        "forEach" | "map" | "flatMap" | "some" | "every" => Op::Each,
        "filter" => Op::Filter,
        "find" | "findLast" => Op::Seek,
        "reduce" => Op::Fold,
        "pipe" | "pipeTo" => Op::PipeTo,
        "join" => Op::Pure(Pure::JoinBy),
        "concat" => Op::Pure(Pure::Concat),
        "reverse" | "toReversed" => Op::Pure(Pure::Reverse),
        "split" => Op::Pure(Pure::Split),
        "replace" | "replaceAll" => Op::Pure(Pure::Replace),
        "trim" | "trimEnd" | "trimStart" => Op::Pure(Pure::Trim),
        "toLowerCase" => Op::Pure(Pure::Lower),
        "toUpperCase" => Op::Pure(Pure::Upper),
        "toString" | "valueOf" | "sort" | "normalize" | "text" | "json" | "unwrap" => Op::Pure(Pure::Same),
        "flat" | "toSorted" => Op::Pure(Pure::Copy),
        "href" => Op::Pure(Pure::Itself),
        "name" => Op::Pure(Pure::Base),
        "repeat" => Op::Pure(Pure::Repeat),
        "slice" | "substring" | "subarray" => Op::Pure(Pure::Slice),
        "charCodeAt" | "codePointAt" => Op::Pure(Pure::Code),
        "startsWith" => Op::StartsWith,
        "endsWith" => Op::EndsWith,
        "match" => Op::Pure(Pure::Fragments),
        "at" | "get" | "charAt" => Op::Get,
        "pop" => Op::Pure(Pure::Last),
        "shift" => Op::Pure(Pure::First),
        "entries" => Op::Pure(Pure::Entries),
        "values" => Op::Pure(Pure::Values),
        _ => return None,
    })
}
