//! Programs that serve a folder to whoever asks for it. A project may be served; a home with its keys may not.

use tollgate_model::{EffectKind, NetDirection, Place, Zone, phrase};

use super::{Run, find};
use crate::names::{Names, index};
use crate::options::{Order, read};
use crate::word::Word;

/// A program that serves files.
struct Server {
    names: &'static [&'static str],
    /// The words that make it serve.
    verb: &'static [&'static str],
    spec: &'static str,
    /// The option that names the folder; otherwise it is the operand of that number.
    folder: Result<&'static str, usize>,
    /// The option that names the address to listen at.
    address: &'static str,
}

/// By the programs' own manuals.
const SERVERS: &[Server] = &[
    Server {
        names: &["python", "python3", "pypy3"],
        verb: &["-m", "http.server"],
        spec: "d,directory= b,bind= p,protocol= cgi",
        folder: Ok("d"),
        address: "b",
    },
    Server {
        names: &["python", "python2"],
        verb: &["-m", "SimpleHTTPServer"],
        spec: "",
        folder: Err(9),
        address: "",
    },
    Server { names: &["php"], verb: &[], spec: "S= t= c= d= n q", folder: Ok("t"), address: "S" },
    Server {
        names: &["ruby"],
        verb: &["-run", "-e", "httpd"],
        spec: "b,bind-address= p,port= ssl",
        folder: Err(0),
        address: "b",
    },
    Server {
        names: &["httpd"],
        verb: &[],
        spec: "c= p= i f v u= r= h= e= d= m=",
        folder: Ok("h"),
        address: "p",
    },
    Server {
        names: &["serve"],
        verb: &[],
        spec: "l,listen= p= d,debug s,single c,config= n L C,cors no-clipboard S,symlinks ssl-cert= ssl-key= ssl-pass=",
        folder: Err(0),
        address: "l",
    },
    Server {
        names: &["http-server", "live-server"],
        verb: &[],
        spec: "p,port= a= host= d= i= g b e,ext= s,silent cors o c= t= U P,proxy= S,tls C,cert= K,key= r,robots= username= password=",
        folder: Err(0),
        address: "a",
    },
    Server {
        names: &["darkhttpd", "miniserve", "sirv"],
        verb: &[],
        spec: "p,port= addr= i,interfaces= maxconn= log= uid= gid= H,hidden u,upload-files? index= auth= v,verbose D,dev H,host?",
        folder: Err(0),
        address: "addr",
    },
    Server {
        names: &["caddy"],
        verb: &["file-server"],
        spec: "r,root= l,listen= d,domain= b,browse t,templates access-log v,debug",
        folder: Ok("r"),
        address: "l",
    },
    Server {
        names: &["webfsd"],
        verb: &[],
        spec: "r= p= i= R= u= g= l= L= f= m= n= k= b= e= F d 4 6 s",
        folder: Ok("r"),
        address: "i",
    },
    Server {
        names: &["rclone"],
        verb: &["serve"],
        spec: "addr= user= pass= htpasswd= no-auth config= read-only baseurl= cert= key= template= vfs-cache-mode= authorized-keys=",
        folder: Err(1),
        address: "addr",
    },
    Server {
        names: &["git"],
        verb: &["daemon"],
        spec: "base-path= export-all enable= disable= listen= port= reuseaddr detach verbose syslog inetd",
        folder: Ok("base-path"),
        address: "listen",
    },
    Server {
        names: &["twistd", "twist"],
        verb: &[],
        spec: "n,nodaemon path= listen= p,port= l,logfile= pidfile= reactor=",
        folder: Ok("path"),
        address: "listen",
    },
    Server {
        names: &["tailscale"],
        verb: &["serve"],
        spec: "bg https= http= set-path= yes",
        folder: Err(0),
        address: "",
    },
];

/// Programs that listen for this machine only unless they are told otherwise.
const NEAR: &[&str] = &["rclone"];

static PROGRAMS: Names<256> = index!(SERVERS, server => server.names);

/// Takes down that a command serves a folder that nobody else should see.
pub(super) fn notice(run: &mut Run) {
    let program = run.program;
    for server in PROGRAMS.rows(SERVERS, program, |server| server.names) {
        let Some(rest) = after(run.args, server.verb) else { continue };
        let options = read(rest, server.spec, Order::Anywhere);
        // Without its address PHP runs a script.
        if run.program == "php" && !options.has("S") {
            continue;
        }
        let near = |word: &Word| {
            ["127.", "localhost", "::1", "unix:"].iter().any(|near| word.shown().contains(near))
        };
        if options.value(server.address).map_or_else(|| NEAR.contains(&program), near) {
            continue;
        }
        let folder = match server.folder {
            Ok(name) => options.value(name).cloned(),
            Err(number) => options.operands.get(number).cloned(),
        };
        let folder = folder.unwrap_or_else(|| Word::literal_at(".", run.call.span));
        let private = |place: &Place| {
            matches!(place.zone, Zone::Secret | Zone::AgentConfig)
                || place.root && place.path != run.analyst.world.workspace()
        };
        let mut places = run.analyst.places(&folder, run.shell);
        // What somebody linked into the project itself is theirs to serve; elsewhere a link is no part of the folder.
        if !places.iter().any(|(place, _)| place.root) {
            let links = find::links_below(run, std::slice::from_ref(&folder));
            places.extend(links.iter().flat_map(|link| run.analyst.places(link, run.shell)));
        }
        if let Some((place, _)) = places.into_iter().find(|(place, _)| private(place)) {
            let carries = vec![format!("{}`{}`, which serves `{}`", phrase::TUNNEL, run.program, place.path)];
            run.push(EffectKind::Net { host: String::new(), direction: NetDirection::Out, carries });
        }
    }
}

/// The words after those that make the program serve, if they stand first.
fn after<'w>(words: &'w [Word], verb: &[&str]) -> Option<&'w [Word]> {
    let fits = verb.iter().enumerate().all(|(at, wanted)| words.get(at).is_some_and(|word| word.is(wanted)));
    words.get(verb.len()..).filter(|_| fits)
}
