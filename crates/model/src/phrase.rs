//! How effects begin what they say where rules tell kinds of it apart.

/// `Persist`: a file that a shell, a session or a program reads whenever it starts.
pub const STARTUP_FILE: &str = "the start-up file ";

/// `Persist`: a file that gives somebody a way in or rights: keys for logins, sudo rules, preloaded code.
pub const WAY_IN: &str = "the access file ";

/// `Persist`: something that a timer or a service manager starts.
pub const JOB: &str = "a job of ";

/// `Persist`: a file of a project that something runs without being asked.
pub const AUTO_RUN: &str = "the automatically run file ";

/// `Persist`: a script or recipe, with what it would do that is grave.
pub const SCRIPT: &str = "the script ";

/// `Persist`: a text with characters in it that nobody sees, before the file and the characters.
pub const HIDDEN: &str = "the hidden text in ";

/// `Persist`: instructions for agents that turn them against their person, before the file.
pub const INSTRUCTION: &str = "the instructions in ";

/// `Persist`: behind `INSTRUCTION`, instead of a file.
pub const PROMPT: &str = "the prompt for another agent";

/// `Tamper`: what decides over a coding agent: hooks, permissions, environment, servers, transcripts.
pub const AGENT_CONTROL: &str = "the controls of a coding agent: ";

/// `Weaken`: other settings of a coding agent.
pub const AGENT_SETTINGS: &str = "the settings of a coding agent: ";

/// `Weaken`: a coding agent that is started without its approvals.
pub const AGENT_UNLEASHED: &str = "the approvals of a coding agent: ";

/// `Weaken`: the sandbox around the call itself.
pub const SANDBOX: &str = "the agent's sandbox, for this call";

/// `Weaken`: rights and checks of the machine.
pub const MACHINE: &str = "this machine: ";

/// `Weaken`: programs check these, and believe every server.
pub const UNCHECKED: &str = "without certificate checks";

/// `Weaken`: checks that one command leaves out for itself.
pub const ONE_COMMAND: &str = "this one command: ";

/// `Net` and `Private`: what a text holds that looks like a credential, before its kind.
pub const CREDENTIAL: &str = "a credential: ";

/// `EnvRead`: the name of a variable that is printed, before the name.
pub const PRINTED: &str = "printed: ";

/// `EnvRead`: the name of a store of secrets that is read, before the store.
pub const STORE: &str = "store: ";

/// `Net`: data from a place of secrets, or the value of a secret variable.
pub const SECRET_DATA: &str = "secret data";

/// `Net`: all environment variables.
pub const ENVIRONMENT: &str = "the environment";

/// `Net`: what is in files, without their names.
pub const FILE_DATA: &str = "the content of files";

/// `Net`: the same, as a part of the address.
pub const FILE_IN_ADDRESS: &str = "the content of files, in the address";

/// `Net`: what a command printed.
pub const OUTPUT: &str = "the output of a command";

/// `Net`: an unknown variable.
pub const VARIABLE: &str = "the value of a variable";

/// `Net`: before what travels as part of a host name.
pub const IN_NAME: &str = "in the host name: ";

/// `Net`: a part of an address that looks like encoded data, before it.
pub const IN_ADDRESS: &str = "in the address, encoded: ";

/// `Net`: a shell whose input and output are the connection.
pub const SHELL: &str = "control of a shell";

/// `Net`: others can reach this machine through it; before the program that does it.
pub const TUNNEL: &str = "a way into this machine: ";

/// `Infra`: the tool of a command that runs on another machine.
pub const REMOTE_SHELL: &str = "a remote shell";

/// `Infra`: the tool of a request to a service.
pub const WEB_REQUEST: &str = "a web request";

/// `Private`: an address of a person.
pub const EMAIL: &str = "an e-mail address";

/// `Private`: a number that a person is called by.
pub const PHONE: &str = "a phone number";

/// `Private`: the number of a payment card.
pub const CARD: &str = "a card number";

/// `Private`: a number of the United States' social security.
pub const SOCIAL: &str = "a social security number";

/// `Database`: the operation of a client that is told nothing that changes anything.
pub const DATABASE_USE: &str = "use";

/// The process that started the agent's shell: the agent.
pub const PARENT: &str = "$PPID";

/// Looks into a process, or holds it up, instead of a signal.
pub const TRACE: &str = "trace";

/// Writes without end into a file, instead of a signal.
pub const FILL: &str = "fill";
