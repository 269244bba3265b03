//! WebAssembly: a module that is given the event as JSON and gives its answer as JSON. It is pure by construction:
//! it may import nothing, so there are no files, no clock, no network and no chance; what it may spend is counted
//! in steps and bytes, not in time.
//!
//! A module exports `memory`, `alloc(length) -> address` for its input, and `process(address, length) -> answer`,
//! where the answer's address is the upper half of 64 bits and its length the lower. Length 0 says nothing.

use std::fs::File;
use std::io::Read;

use tollgate_model::json::{Value, parse, write};
use tollgate_policy::Stage;
use wasmi::{CompilationMode, Config, Engine, Error, Instance, Linker, Module, Store, StoreLimits};
use wasmi::{StoreLimitsBuilder, TrapCode, TypedFunc};

use crate::result::{Said, StageResult};
use crate::{answer, process};

/// The largest module.
const MODULE: u64 = 16 << 20;
/// The most memory that a module may have.
const MEMORY: usize = 64 << 20;
/// Steps for each millisecond of a time-out: few enough to be done within it on a slow machine.
const FUEL: u64 = 20_000;
/// The longest answer.
const ANSWER: usize = 1 << 20;

/// Is this file a module?
pub(crate) fn is_module(file: &str) -> bool {
    file.ends_with(".wasm")
}

/// Runs a module.
pub(crate) fn run(file: &str, stage: &Stage, input: &Value, earlier: &[StageResult]) -> StageResult {
    let mut text = String::new();
    write(&process::request(stage, input, earlier), &mut text);
    let answer = bytes(file).and_then(|module| Guest::start(&module, stage)?.answer(text.as_bytes()));
    let answer = match answer {
        Ok(answer) if answer.is_empty() => {
            return StageResult::said(stage, Said::Continue, "", Value::Map(Vec::new()));
        }
        Ok(answer) => answer,
        Err(why) => return StageResult::failed(stage, why),
    };
    match parse(&answer) {
        Ok(value) if value.as_map().is_some() => answer::read(stage, &value),
        _ => StageResult::failed(stage, "its answer is not one JSON object"),
    }
}

fn bytes(file: &str) -> Result<Vec<u8>, String> {
    let mut bytes = Vec::new();
    let read = File::open(file).and_then(|file| file.take(MODULE + 1).read_to_end(&mut bytes));
    match read {
        Err(error) => Err(format!("its file {file} cannot be read ({error})")),
        Ok(_) if bytes.len() as u64 > MODULE => Err(format!("its file {file} is larger than 16 MiB")),
        Ok(_) => Ok(bytes),
    }
}

struct Guest {
    store: Store<StoreLimits>,
    instance: Instance,
    fuel: u64,
}

impl Guest {
    fn start(module: &[u8], stage: &Stage) -> Result<Self, String> {
        let mut config = Config::default();
        // Only the functions that are called are compiled.
        config.consume_fuel(true).compilation_mode(CompilationMode::LazyTranslation);
        let engine = Engine::new(&config);
        let module = Module::new(&engine, module)
            .map_err(|error| format!("its file is not a WebAssembly module ({error})"))?;
        if let Some(import) = module.imports().next() {
            let name = format!("{}.{}", import.module(), import.name());
            return Err(format!("it imports `{name}`, and a middleware may import nothing"));
        }
        let limits =
            StoreLimitsBuilder::new().memory_size(MEMORY).table_elements(100_000).memories(1).build();
        let mut store = Store::new(&engine, limits);
        store.limiter(|limits| limits);
        let fuel = u64::from(stage.timeout) * FUEL;
        store.set_fuel(fuel).map_err(|error| error.to_string())?;
        let linker = Linker::new(&engine);
        let instance = linker
            .instantiate_and_start(&mut store, &module)
            .map_err(|error| told("it could not be started", &error, fuel))?;
        Ok(Self { store, instance, fuel })
    }

    /// Gives it the input and takes its answer.
    fn answer(mut self, input: &[u8]) -> Result<Vec<u8>, String> {
        let memory = self.instance.get_memory(&self.store, "memory").ok_or("it exports no `memory`")?;
        let alloc: TypedFunc<i32, i32> = self.function("alloc", "(i32) -> i32")?;
        let process: TypedFunc<(i32, i32), i64> = self.function("process", "(i32, i32) -> i64")?;
        let failed = |what: &str, fuel: u64| {
            let what = what.to_owned();
            move |error: Error| told(&what, &error, fuel)
        };
        let length = i32::try_from(input.len()).map_err(|_| "the event is too large for it".to_owned())?;
        let at = alloc.call(&mut self.store, length).map_err(failed("`alloc` failed", self.fuel))?;
        memory
            .write(&mut self.store, offset(at), input)
            .map_err(|_| "`alloc` gave no room for its input".to_owned())?;
        let packed =
            process.call(&mut self.store, (at, length)).map_err(failed("`process` failed", self.fuel))?;
        let (at, length) = unpacked(packed);
        if length > ANSWER {
            return Err("its answer is longer than 1 MiB".to_owned());
        }
        let answer = memory.data(&self.store).get(at..at + length);
        answer.map(<[u8]>::to_vec).ok_or_else(|| "its answer lies outside of its memory".to_owned())
    }

    fn function<P: wasmi::WasmParams, R: wasmi::WasmResults>(
        &self,
        name: &str,
        shape: &str,
    ) -> Result<TypedFunc<P, R>, String> {
        self.instance
            .get_typed_func(&self.store, name)
            .map_err(|_| format!("it exports no function `{name}{shape}`"))
    }
}

/// What went wrong, in words for the person who wrote the module.
fn told(what: &str, error: &Error, fuel: u64) -> String {
    if error.as_trap_code() == Some(TrapCode::OutOfFuel) {
        return format!("it took more than {fuel} steps, which is what its time-out comes to");
    }
    let error: String = error.to_string().chars().take(200).collect();
    format!("{what}: {error}")
}

/// An address in a memory of 32 bits.
fn offset(address: i32) -> usize {
    address.cast_unsigned() as usize
}

fn unpacked(packed: i64) -> (usize, usize) {
    let packed = packed.cast_unsigned();
    ((packed >> 32) as usize, (packed & 0xffff_ffff) as usize)
}

#[cfg(test)]
mod tests {
    use super::run;
    use crate::result::{Said, StageResult};
    use tollgate_model::json::{Value, object};
    use tollgate_policy::{Program, Stage};

    /// A module that answers with a text, and does something before.
    fn answering(text: &str, before: &str) -> String {
        let data = text.replace('"', "\\22");
        format!(
            "(module (memory (export \"memory\") 2) (data (i32.const 1024) \"{data}\")
               (func (export \"alloc\") (param i32) (result i32) i32.const 65536)
               (func (export \"process\") (param i32 i32) (result i64) {before}
                 i64.const {}))",
            (1024_u64 << 32) | text.len() as u64
        )
    }

    fn result(module: &[u8]) -> StageResult {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("x.wasm");
        std::fs::write(&file, module).unwrap();
        let stage = Stage { timeout: 200, ..Stage::new("x", Program::File(String::new())) };
        run(&file.to_string_lossy(), &stage, &object([("tool_name", "Bash".into())]), &[])
    }

    fn of(text: &str) -> StageResult {
        result(&wat::parse_str(text).unwrap())
    }

    #[test]
    fn a_module_says_what_it_says() {
        for (text, said) in [
            (r#"{"decision":"block","reason":"no","metrics":{"n":1}}"#, Said::Block),
            (r#"{"decision":"allow"}"#, Said::Allow),
            (r#"{"safe":false}"#, Said::Block),
            ("", Said::Continue),
        ] {
            let result = of(&answering(text, ""));
            assert_eq!((result.said, &result.fault), (said, &None), "{text}");
        }
        let result = of(&answering(r#"{"decision":"block","reason":"no","metrics":{"n":1}}"#, ""));
        assert_eq!(
            (result.reason.as_str(), result.metrics.get("n")),
            ("no", Some(&Value::Number("1".into())))
        );
    }

    #[test]
    fn what_goes_wrong_is_a_clear_fault() {
        let fine = r#"{"decision":"allow"}"#;
        let export = |name: &str| answering(fine, "").replace(&format!("\"{name}\""), "\"other\"");
        for (module, says) in [
            (answering(fine, "(loop br 0)"), "more than 4000000 steps"),
            (answering(fine, "unreachable"), "`process` failed"),
            (answering("nonsense", ""), "not one JSON object"),
            (answering("[1]", ""), "not one JSON object"),
            (answering(r#"{"decision":"perhaps"}"#, ""), "`perhaps`"),
            (export("process"), "no function `process(i32, i32) -> i64`"),
            (export("alloc"), "no function `alloc(i32) -> i32`"),
            (export("memory"), "no `memory`"),
            (answering(fine, "").replace("i32.const 65536", "i32.const -1"), "no room for its input"),
            (answering(fine, "i64.const -2 return"), "longer than 1 MiB"),
            (answering(fine, "i64.const 0x7fffffff00000010 return"), "outside of its memory"),
            (answering(fine, "").replace("\"memory\") 2", "\"memory\") 2000"), "could not be started"),
            (
                answering(fine, "").replace("(module", "(module (import \"env\" \"clock\" (func))"),
                "imports `env.clock`",
            ),
            (
                answering(fine, "").replace("(module", "(module (start $s) (func $s (loop br 0))"),
                "more than 4000000 steps",
            ),
            (
                answering(
                    fine,
                    "(memory.grow (i32.const 4000)) i32.const 0 i32.lt_s (if (then unreachable))",
                ),
                "unreachable",
            ),
        ] {
            let result = of(&module);
            let fault = result.fault.unwrap_or_default();
            assert!(fault.contains(says), "{module} must say {says}: {fault}");
        }
        assert!(result(b"\0asm nonsense").fault.unwrap().contains("not a WebAssembly module"));
    }

    #[test]
    fn deep_recursion_ends_in_a_trap_and_not_in_a_crash() {
        let deep = answering("", "")
            .replace("(module", "(module (func $f call $f)")
            .replace("(result i64) ", "(result i64) call $f ");
        assert!(of(&deep).fault.is_some());
    }
}
