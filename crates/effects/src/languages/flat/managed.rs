//! What the standard libraries of Java, Kotlin, Scala and Groovy, of .NET, Swift and Dart do. A catalogue.

use super::super::ops::{Known, Op};
use super::super::pure::Pure;

/// What a function does, by its full name.
pub(super) fn function(name: &str) -> Option<Op> {
    java(name).or_else(|| dotnet(name)).or_else(|| swift(name)).or_else(|| scala(name))
}

/// The packages that names are written with or without.
pub(super) const PACKAGES: &[&str] = &[
    "java.lang.",
    "java.io.",
    "java.nio.file.",
    "java.nio.charset.",
    "java.net.http.",
    "java.net.",
    "java.util.",
    "kotlin.io.path.",
    "kotlin.io.",
    "kotlin.system.",
    "scala.sys.process.",
    "scala.sys.",
    "scala.io.",
    "System.IO.",
    "System.Diagnostics.",
    "System.Net.Http.",
    "System.Net.",
    "System.Environment.",
    "Foundation.",
];

fn java(name: &str) -> Option<Op> {
    Some(match name {
        "ProcessBuilder" => Op::Builder,
        "Runtime.exec" => Op::System,
        "Class.forName" | "Type.GetType" => Op::ByName,
        "String.format" => Op::Pure(Pure::Printf),
        "String.join" | "String.Join" | "string.Join" => Op::Pure(Pure::JoinWith),
        "org.apache.commons.io.FileUtils.deleteDirectory"
        | "org.apache.commons.io.FileUtils.cleanDirectory"
        | "org.apache.commons.io.FileUtils.forceDelete"
        | "FileUtils.cleanDirectory"
        | "FileUtils.forceDelete"
        | "FileUtils.deleteQuietly"
        | "MoreFiles.deleteRecursively"
        | "FileSystemUtils.deleteRecursively" => Op::DeleteTree,
        "Files.delete" | "Files.deleteIfExists" => Op::Delete,
        "PathsKt.deleteRecursively" => Op::DeleteTree,
        "Files.move" => Op::Move,
        "Files.copy" => Op::Copy,
        "Files.createSymbolicLink" | "Files.createLink" => Op::LinkTo,
        "Files.write" | "Files.writeString" => Op::Write,
        "Files.newOutputStream"
        | "Files.newBufferedWriter"
        | "Files.createFile"
        | "FileOutputStream"
        | "FileWriter"
        | "PrintWriter"
        | "PrintStream"
        | "Formatter" => Op::Create,
        "RandomAccessFile" | "Files.newByteChannel" | "FileChannel.open" => Op::Open,
        "Files.readString"
        | "Files.readAllBytes"
        | "Files.readAllLines"
        | "Files.newInputStream"
        | "Files.newBufferedReader"
        | "FileInputStream"
        | "FileReader"
        | "Scanner"
        | "Source.fromFile" => Op::Read,
        "Files.lines" => Op::Lines,
        "Files.list" | "Files.newDirectoryStream" => Op::GlobBelow,
        "Files.walk" | "Files.find" => Op::GlobDeep,
        "Files.walkFileTree" => Op::Visit,
        "Files.setPosixFilePermissions" => Op::Permission,
        "Files.createTempFile"
        | "Files.createTempDirectory"
        | "File.createTempFile"
        | "createTempDirectory"
        | "createTempFile"
        | "createTempDir" => Op::Now(Known::TempFile),
        "System.getenv" | "System.env" => Op::Env,
        "System.getProperty" => Op::Property,
        "System.exit" | "exitProcess" | "Thread.sleep" => Op::Calm,
        "System.load" | "System.loadLibrary" => Op::Import,
        "Base64.getDecoder.decode" | "Base64.decode" => Op::Pure(Pure::Base64),
        _ => return java_net(name),
    })
}

fn java_net(name: &str) -> Option<Op> {
    Some(match name {
        "InetAddress.getByName" | "InetAddress.getAllByName" | "InetSocketAddress" => Op::Resolve,
        "Socket" | "SocketChannel.open" => Op::Connect,
        "URL" | "URI" | "URI.create" => Op::Pure(Pure::Same),
        "HttpRequest.newBuilder"
        | "HttpRequest.newBuilder.uri"
        | "URL.openStream"
        | "URL.readText"
        | "Source.fromURL" => Op::Fetch,
        "HttpRequest.BodyPublishers.ofFile" | "BodyPublishers.ofFile" => Op::Read,
        "HttpRequest.BodyPublishers.ofString" | "BodyPublishers.ofString" => Op::Pure(Pure::Same),
        _ => return None,
    })
}

fn scala(name: &str) -> Option<Op> {
    Some(match name {
        "os.remove.all" => Op::DeleteTree,
        "os.remove" => Op::Delete,
        "os.read" | "os.read.bytes" | "os.read.lines" => Op::Read,
        "os.write" | "os.write.over" => Op::Write,
        "os.write.append" => Op::Append,
        "os.move" | "os.move.over" => Op::Move,
        "os.list" => Op::GlobBelow,
        "os.walk" => Op::GlobDeep,
        "os.home" | "Properties.userHome" | "util.Properties.userHome" => Op::Known(Known::Home),
        "os.pwd" => Op::Known(Known::Folder),
        "os.temp" | "os.temp.dir" => Op::Now(Known::TempFile),
        "os.Path" => Op::Pure(Pure::Same),
        "sys.env" => Op::Known(Known::Environment),
        // `s"…"`, `f"…"`.
        "s" | "f" | "raw" => Op::Pure(Pure::Same),
        _ => return None,
    })
}

fn dotnet(name: &str) -> Option<Op> {
    Some(match name {
        "Process.Start" => Op::StartText,
        "ProcessStartInfo" => Op::Builder,
        "File.Delete" => Op::Delete,
        "Directory.Delete" => Op::DeleteTree,
        "File.Move" | "Directory.Move" | "File.Replace" => Op::Move,
        "File.Copy" => Op::Copy,
        "File.CreateSymbolicLink" | "Directory.CreateSymbolicLink" => Op::LinkTo,
        "File.WriteAllText"
        | "File.WriteAllTextAsync"
        | "File.WriteAllBytes"
        | "File.WriteAllBytesAsync"
        | "File.WriteAllLines"
        | "File.WriteAllLinesAsync" => Op::Write,
        "File.AppendAllText" | "File.AppendAllLines" | "File.AppendAllTextAsync" => Op::Append,
        "File.Create" | "File.CreateText" | "File.OpenWrite" | "StreamWriter" => Op::Create,
        "File.ReadAllText"
        | "File.ReadAllTextAsync"
        | "File.ReadAllBytes"
        | "File.ReadAllBytesAsync"
        | "File.ReadAllLines"
        | "File.ReadLines"
        | "File.OpenRead"
        | "File.OpenText"
        | "StreamReader" => Op::Read,
        "Directory.GetFiles"
        | "Directory.EnumerateFiles"
        | "Directory.GetFileSystemEntries"
        | "Directory.GetDirectories"
        | "Directory.EnumerateDirectories" => Op::GlobDeep,
        "File.SetUnixFileMode" => Op::Permission,
        _ => return dotnet_machine(name),
    })
}

fn dotnet_machine(name: &str) -> Option<Op> {
    Some(match name {
        "Path.GetTempFileName" | "Directory.CreateTempSubdirectory" => Op::Now(Known::TempFile),
        "Path.GetTempPath" => Op::Now(Known::Temp),
        "Directory.GetCurrentDirectory" => Op::Now(Known::Folder),
        "Environment.CurrentDirectory" => Op::Known(Known::Folder),
        "Directory.SetCurrentDirectory" => Op::ChangeDir,
        "GetFolderPath" | "Environment.GetFolderPath" => Op::Special,
        "GetEnvironmentVariable" | "Environment.GetEnvironmentVariable" => Op::Env,
        "GetEnvironmentVariables" | "Environment.GetEnvironmentVariables" => Op::EnvAll,
        "Console.WriteLine" | "Console.Write" | "Console.Error.WriteLine" => Op::Print(true),
        "Console.ReadLine" | "Console.In.ReadToEnd" => Op::Input,
        "Dns.GetHostAddresses"
        | "Dns.GetHostEntry"
        | "Dns.GetHostAddressesAsync"
        | "Dns.Resolve"
        | "Dns.GetHostEntryAsync" => Op::Resolve,
        "TcpClient" => Op::Connect,
        "HttpClient.GetAsync"
        | "HttpClient.GetStringAsync"
        | "HttpClient.GetByteArrayAsync"
        | "WebClient.DownloadString"
        | "WebRequest.Create" => Op::Fetch,
        "HttpClient.PostAsync"
        | "HttpClient.PutAsync"
        | "WebClient.UploadString"
        | "WebClient.UploadFile"
        | "WebClient.UploadData" => Op::Post,
        "WebClient.DownloadFile" => Op::Download,
        "StringContent" | "ByteArrayContent" | "StreamContent" => Op::Pure(Pure::Same),
        "Convert.FromBase64String" => Op::Pure(Pure::Base64),
        "Assembly.Load" | "Assembly.LoadFrom" | "Assembly.LoadFile" => Op::Import,
        "CSharpScript.EvaluateAsync" | "CSharpScript.RunAsync" => Op::Eval,
        _ => return None,
    })
}

fn swift(name: &str) -> Option<Op> {
    Some(match name {
        "Process" | "NSTask" => Op::Builder,
        "Process.run" | "Process.runSync" => Op::System,
        "FileManager.default.removeItem" | "FileManager.removeItem" | "FileManager.default.trashItem" => {
            Op::DeleteTree
        }
        "FileManager.default.moveItem" => Op::Move,
        "FileManager.default.copyItem" => Op::CopyTree,
        "FileManager.default.createSymbolicLink" => Op::LinkTo,
        "FileManager.default.createFile" => Op::Write,
        "FileManager.default.contents" | "String.contentsOfFile" | "Data.contentsOf" => Op::Read,
        "FileManager.default.contentsOfDirectory" => Op::ReadDir,
        "FileManager.default.enumerator" => Op::GlobDeep,
        "FileManager.default.homeDirectoryForCurrentUser" | "URL.homeDirectory" => Op::Known(Known::Home),
        "FileManager.default.currentDirectoryPath" => Op::Known(Known::Folder),
        "FileManager.default.temporaryDirectory" | "URL.temporaryDirectory" => Op::Known(Known::Temp),
        "NSHomeDirectory" => Op::Now(Known::Home),
        "NSTemporaryDirectory" => Op::Now(Known::Temp),
        "ProcessInfo.processInfo.environment" | "Platform.environment" => Op::Known(Known::Environment),
        "CommandLine.arguments" => Op::Known(Known::Arguments),
        "URLSession.shared.data" | "URLSession.shared.dataTask" => Op::Fetch,
        "Host" | "CFHostCreateWithName" | "InternetAddress.lookup" => Op::Resolve,
        "HttpClient.getUrl" | "http.read" => Op::Fetch,
        "http.post" | "HttpClient.postUrl" => Op::Post,
        "Directory.systemTemp" => Op::Known(Known::Temp),
        "Directory.systemTemp.createTempSync" => Op::Now(Known::TempFile),
        _ => return None,
    })
}
