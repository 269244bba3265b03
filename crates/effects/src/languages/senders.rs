//! Libraries that carry data to others: stores, chats, mail, forges, hubs, queues. What their methods are given
//! leaves, and so do the files that they are told to read.

use tollgate_model::{EffectKind, Zone};
use tollgate_shell::value::Value;

use super::machine::{Machine, Origin};
use super::network::library_of;
use super::ops::Op;
use super::value::{Args, Val};
use crate::analyst::taint;

/// Libraries, by how the names of their parts begin; those of `WORKSHOPS` carry as well.
const CARRIERS: &[&str] = &[
    // Chats and mail.
    "slack_sdk",
    "slack.",
    "@slack/",
    "Slack.",
    "discord",
    "telegram",
    "telebot",
    "telethon",
    "pyrogram",
    "node-telegram-bot-api",
    "telegraf",
    "tweepy",
    "mastodon",
    "matrix_client",
    "nodemailer",
    "yagmail",
    "redmail",
    "sendgrid",
    "@sendgrid/",
    "mailgun",
    "resend",
    "postmarker",
    "twilio",
    // Pages.
    "pbwrap",
    "pastebin",
    // Hubs of models.
    "huggingface_hub",
    "@huggingface/",
    "kaggle",
    // Stores of files.
    "dropbox",
    "Dropbox",
    "boxsdk",
    "onedrivesdk",
    "pydrive",
    "pydrive2",
    "googleapiclient",
    "googleapis",
    "mega",
    "cloudinary",
    "minio",
    "b2sdk",
    "oss2",
    "qcloud_cos",
    "internetarchive",
    "ipfshttpclient",
    "webdav3",
    "webdav4",
    "webdav",
    "basic-ftp",
    "ftp",
    "aioftp",
    // Queues and sockets.
    "paho.mqtt",
    "aiomqtt",
    "mqtt",
    "socketio",
    "socket.io-client",
    "pusher",
    "ably",
    "redis",
    "ioredis",
    "pymemcache",
    "pika",
    "kafka",
    "nats",
    "connection",
];

/// Libraries of clouds: most of what they are given sets up services; these of their methods take content.
const CLOUDS: &[&str] = &[
    "boto3",
    "aioboto3",
    "@aws-sdk",
    "aws-sdk",
    "Aws.",
    "google.cloud",
    "@google-cloud",
    "azure.",
    "@azure",
];

const CONTENT: &[&str] = &[
    "put_object",
    "putObject",
    "upload_fileobj",
    "upload_part",
    "upload",
    "upload_blob",
    "upload_data",
    "uploadData",
    "uploadStream",
    "upload_from_string",
    "upload_from_file",
    "upload_file",
    "append_block",
    "save",
    "put",
    "send",
    "publish",
    "send_message",
    "sendMessage",
    "send_email",
    "send_raw_email",
    "done",
];

/// Services that the files of a project go to while it is worked on.
const WORKSHOPS: &[&str] = &[
    "wandb",
    "mlflow",
    "comet_ml",
    "neptune",
    "clearml",
    "github",
    "gitlab",
    "@octokit",
    "octokit",
    "Octokit.",
    "notion_client",
    "@notionhq/",
    "pyairtable",
    "airtable",
    "gspread",
    "jira",
    "atlassian",
    "trello",
    "supabase",
    "@supabase/",
    "firebase_admin",
    "pyrebase",
];

/// Methods that send a file or a folder: where its path stands among the arguments, and by which names.
const UPLOADS: &[(&str, usize, &[&str])] = &[
    ("upload_file", 0, &["Filename", "filename", "file_path", "path_or_fileobj", "source", "file_or_url"]),
    ("upload_folder", 1, &["folder_path"]),
    ("upload_large_folder", 1, &["folder_path"]),
    ("CommitOperationAdd", 1, &["path_or_fileobj"]),
    ("uploadFile", 0, &["file", "path"]),
    ("uploadFiles", 0, &["files"]),
    ("upload_from_filename", 0, &["filename"]),
    ("upload_many_from_filenames", 1, &["filenames", "source_directory"]),
    ("upload_local_file", 0, &["local_file"]),
    ("upload_sync", 1, &["local_path"]),
    ("upload_directory", 1, &["local_path"]),
    ("fput_object", 2, &["file_path"]),
    ("fPutObject", 2, &["filePath"]),
    ("put_object_from_file", 1, &["filename"]),
    ("putObject", 0, &["SourceFile"]),
    ("files_upload", 0, &["file"]),
    ("files_upload_v2", 0, &["file"]),
    ("uploadV2", 0, &["file"]),
    ("filesUpload", 0, &["file"]),
    ("send_document", 1, &["document"]),
    ("send_file", 1, &["file"]),
    ("sendDocument", 1, &["document", "source"]),
    ("sendPhoto", 1, &["photo", "source"]),
    ("send_photo", 1, &["photo"]),
    ("File", 0, &["fp"]),
    ("AttachmentBuilder", 0, &["attachment"]),
    ("MessageAttachment", 0, &["attachment"]),
    ("MediaFileUpload", 0, &["filename"]),
    ("SetContentFile", 0, &["filename"]),
    ("log_artifact", 0, &["local_path", "artifact_or_path", "file_data"]),
    ("log_artifacts", 0, &["local_dir"]),
    ("log_asset", 0, &["file_data"]),
    ("log_asset_folder", 0, &["folder"]),
    ("upload_artifact", 1, &["artifact_object"]),
    ("add_file", 0, &["local_path"]),
    ("add_dir", 0, &["local_path"]),
    ("save", 0, &["glob_str"]),
    ("dataset_create_new", 0, &["folder"]),
    ("dataset_create_version", 0, &["folder"]),
    ("dataset_create_version_cli", 0, &["folder"]),
    ("dataset_upload", 1, &["local_dataset_dir"]),
    ("model_upload", 1, &["local_model_dir"]),
    ("kernels_push", 0, &["folder"]),
    ("upload", 0, &["file", "files", "filename", "file_path", "path", "local_path"]),
    ("uploadFrom", 0, &["source"]),
    ("uploadFromDir", 0, &["localDirPath"]),
    ("fastPut", 0, &["localPath"]),
    ("put", 0, &["localpath"]),
    ("put_file", 0, &["localpath"]),
];

/// Libraries of what most often runs on this machine.
const NEAR: &[&str] = &["redis", "ioredis", "pymemcache", "pika", "kafka", "nats"];

/// Is it a library that carries what it is given to others?
pub(super) fn is_library(class: &str) -> bool {
    class != "connection" && (is_carrier(class) || begins(CLOUDS, class))
}

fn is_carrier(class: &str) -> bool {
    begins(CARRIERS, class) || begins(WORKSHOPS, class)
}

fn begins(libraries: &[&str], class: &str) -> bool {
    let first = class.as_bytes().first();
    libraries.iter().filter(|library| library.as_bytes().first() == first).any(|library| {
        class.strip_prefix(library).is_some_and(|rest| {
            rest.is_empty() || rest.starts_with(['.', '/', '_']) || library.ends_with(['.', '/'])
        })
    })
}

impl Machine<'_, '_, '_> {
    /// Something is put into an object, and leaves with it where it is led into a connection.
    pub(super) fn put_into(&mut self, value: &Val, args: &Args) {
        if value.hold(args) {
            self.send_to_peer("send", args.clone());
        }
    }

    /// A method of a library that carries things to others is called on something that it made.
    pub fn carries_off(&mut self, class: &str, owner: Option<&Val>, name: &str, args: &Args) {
        let cloud = begins(CLOUDS, class);
        if self.around.origin == Origin::File || !(cloud || is_carrier(class)) {
            return;
        }
        let host = host_of(class, owner, args);
        // These run on this machine where nothing else is said.
        if begins(NEAR, class) && host.any.iter().any(|text| library_of(text).is_some()) {
            return;
        }
        let host = Val::Text(host);
        let upload = UPLOADS.iter().find(|(upload, ..)| *upload == name);
        if let Some((_, at, names)) = upload {
            self.uploads(class, &host, &path_at(args, *at, names));
        }
        for files in ATTACHED.iter().filter(|_| upload.is_none()).filter_map(|name| args.option(name)) {
            self.uploads(class, &host, files);
        }
        let content = match owner {
            _ if cloud => CONTENT.contains(&name),
            Some(_) => !ENTRANCES.contains(&name),
            None => SENDING.iter().any(|part| name.contains(part)) && !ENTRANCES.contains(&name),
        };
        // A gist or a paste is for everybody.
        let is_page = name.to_ascii_lowercase().contains("gist") || class.contains("gist");
        let content = content && !(begins(WORKSHOPS, class) && !is_page && self.reads_only_project(0));
        if content && (args.all().any(Val::tells) || finishes(name) && owner.is_some_and(Val::tells)) {
            let sent = args.list.iter().cloned().chain(owner.filter(|_| finishes(name)).cloned());
            self.send_to(&host, Args { list: sent.collect(), named: args.named.clone() });
        }
    }

    /// A library reads what is at a path, and sends it.
    fn uploads(&mut self, class: &str, host: &Val, path: &Val) {
        let paths = match path {
            Val::List(list) => list.items.iter().take(16).cloned().collect(),
            Val::Text(text) if !taint::has(text.taint, taint::FILE) => vec![path.clone()],
            _ => return,
        };
        let is_path = |path: &Val| path.as_text().any.iter().any(|text| text.prefix().contains('/'));
        if class == "connection" && !paths.iter().any(is_path) {
            return;
        }
        for path in paths.iter().filter(|path| matches!(path, Val::Text(_))) {
            let before = self.run.analyst.found().len();
            let content = Val::Text(self.read(path));
            if !(begins(WORKSHOPS, class) && self.reads_only_project(before)) {
                self.send_to(host, Args::of(vec![content]));
            }
        }
    }

    /// Is all that was read since then of the project?
    fn reads_only_project(&self, since: usize) -> bool {
        self.run.analyst.found().iter().skip(since).all(|effect| match &effect.kind {
            EffectKind::Read { place, .. } => matches!(place.zone, Zone::Workspace | Zone::Temp),
            _ => true,
        })
    }

    fn send_to(&mut self, host: &Val, args: Args) {
        let connection = Val::object("connection", Args::of(vec![Val::unknown(), host.clone()]));
        let list = std::iter::once(connection).chain(args.list).collect();
        self.perform(Op::Send, "send", &Args { list, named: args.named });
    }
}

/// Options of messages that name files.
const ATTACHED: &[&str] = &["attachments", "attachment", "files"];

/// Methods that are given a secret to prove who calls.
const ENTRANCES: &[&str] = &[
    "login",
    "auth",
    "authenticate",
    "authorize",
    "access",
    "connect",
    "configure",
    "init",
    "setApiKey",
    "set_api_key",
    "username_pw_set",
    "starttls",
];

/// Parts of the names of functions that send something by themselves. What else a library has makes clients.
const SENDING: &[&str] = &[
    "send", "upload", "post", "publish", "single", "multiple", "push", "put", "log", "save", "add", "share",
];

/// Methods that send what was put together before.
fn finishes(name: &str) -> bool {
    matches!(
        name,
        "done" | "execute" | "perform" | "finalize" | "next_chunk" | "Upload" | "commit" | "submit"
    )
}

/// The path among the arguments. Where it has a name, what stands in its place is something else.
fn path_at(args: &Args, at: usize, names: &[&str]) -> Val {
    let named = names.iter().find_map(|name| args.option(name));
    named.or(args.get(at)).cloned().unwrap_or_else(Val::unknown)
}

/// Where a library sends things: the host that it is told, or its own name.
fn host_of(class: &str, owner: Option<&Val>, args: &Args) -> Value {
    let names =
        ["host", "hostname", "server", "url", "base_url", "baseURL", "endpoint_url", "address", "broker"];
    let told = |args: &Args| names.iter().find_map(|name| args.option(name)).cloned();
    let made = match owner {
        Some(Val::Object(object)) if &*object.class == "connection" => object.args.get(1).cloned(),
        Some(Val::Object(object)) => {
            let host = |value: &&Val| value.literal().is_some_and(|text| is_host(&text));
            told(&object.args).or_else(|| object.args.list.iter().find(host).cloned())
        }
        _ => None,
    };
    match made.or_else(|| told(args)) {
        Some(Val::Text(text)) => text,
        Some(Val::List(pair)) => pair.items.first().map(Val::as_text).unwrap_or_else(Value::empty),
        _ => {
            let library = class.trim_start_matches('@').split(['.', '/']).next().unwrap_or_default();
            let library = if library.eq_ignore_ascii_case("octokit") { "github" } else { library };
            Value::text(&format!("{library}:"))
        }
    }
}

/// `localhost:9000`, `https://store.example.test`.
fn is_host(text: &str) -> bool {
    let port = text.rsplit_once(':').is_some_and(|(_, port)| port.parse::<u16>().is_ok());
    !text.contains(char::is_whitespace) && (port || text.contains("://") || text == "localhost")
}
