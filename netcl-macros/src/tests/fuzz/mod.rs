//! Random items. Whatever they say, they are compiled or there are errors that are the user's: no panic, no error of the
//! compiler's own, no end that does not come. What is accepted means what it says (`indices`, `call_indices`, `places`).
//!
//! `NETCL_FUZZ` says how many items of each kind there are, `NETCL_FUZZ=600s` for how long they are tried, and
//! `NETCL_FUZZ_SEED` where drawing begins. What fails is printed whole.

mod bodies;
mod call_indices;
mod indices;
mod kernels;
mod mutations;
mod names;
mod places;
mod scalars;

use super::meaning::made;
use super::{Crate, compiled};
use crate::guard::said;
use netcl_kernels::graph::Graph;
use netcl_kernels::philox;
use proc_macro2::{TokenStream, TokenTree};
use std::fmt::Write;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

/// An item that takes longer never ends: most take milliseconds.
const PATIENCE: Duration = Duration::from_secs(120);
/// What rustc gives the thread on which it calls macros.
const STACK: usize = 8 << 20;
/// With so many failures nobody looks for more.
const ENOUGH: usize = 12;

/// Drawn again from the same numbers, an item is the same.
pub(super) struct Draw {
    seed: u32,
    item: u32,
    next: u64,
    /// What was drawn, for whoever waits for its end.
    drawn: Arc<Mutex<String>>,
}

impl Draw {
    fn below(&mut self, count: usize) -> usize {
        self.next += 1;
        ((u64::from(philox::word(self.seed, self.item, self.next)) * count as u64) >> 32) as usize
    }

    /// Notes what was drawn.
    fn is(&self, source: &str) {
        *self.drawn.lock().unwrap_or_else(PoisonError::into_inner) = source.to_string();
    }

    /// Whether it happens, once in so many times.
    fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    fn of<T: Clone>(&mut self, list: &[T]) -> T {
        list[self.below(list.len())].clone()
    }

    /// One of the words, which spaces part.
    fn word<'w>(&mut self, words: &'w str) -> &'w str {
        let count = words.split_whitespace().count();
        words.split_whitespace().nth(self.below(count)).unwrap_or_default()
    }
}

/// How many items there are of a kind, or until when.
enum Effort {
    Count(u32),
    Until(Instant),
}

impl Effort {
    fn asked(count: u32) -> Effort {
        let asked = std::env::var("NETCL_FUZZ").unwrap_or_default();
        let seconds = asked.strip_suffix('s').and_then(|seconds| seconds.parse().ok());
        match seconds {
            Some(seconds) => Effort::Until(Instant::now() + Duration::from_secs(seconds)),
            None => Effort::Count(asked.parse().unwrap_or(count)),
        }
    }

    fn is_over(&self, done: u32) -> bool {
        match self {
            Effort::Count(count) => done >= *count,
            Effort::Until(end) => done == u32::MAX || Instant::now() >= *end,
        }
    }
}

/// Draws one item, and tells whether it compiles, or what is wrong with what becomes of it.
type Trial = fn(&mut Draw) -> Result<bool, String>;

/// Tries items of a kind, `count` where nothing else is asked for.
fn tried(kind: &str, count: u32, trial: Trial) {
    let seed = std::env::var("NETCL_FUZZ_SEED").ok().and_then(|seed| seed.parse().ok()).unwrap_or(1);
    let effort = Effort::asked(count);
    let (mut item, mut compile, mut failures) = (0, 0, Vec::new());
    while !effort.is_over(item) && failures.len() < ENOUGH {
        match alone(kind, seed, item, trial) {
            Ok(compiles) => compile += u32::from(compiles),
            Err(failure) => {
                eprintln!("{kind}, seed {seed}, item {item}: {failure}\n");
                failures.push(item);
            }
        }
        item += 1;
    }
    println!("{kind}: {item} items from seed {seed}, {compile} compile");
    assert!(failures.is_empty(), "{kind}: of {item} items from seed {seed}, these fail: {failures:?}");
    // Where all are refused, what is made of the others has not been tried.
    assert!(item < count || compile > item / 100, "{kind}: {compile} of {item} items compile");
}

/// One item, on a thread of its own: one that overflows a stack or does not end has a name.
fn alone(kind: &str, seed: u32, item: u32, trial: Trial) -> Result<bool, String> {
    let (done, end) = channel::<()>();
    let drawn = Arc::new(Mutex::new(String::new()));
    let mut draw = Draw { seed, item, next: 0, drawn: drawn.clone() };
    let name = format!("{kind} seed {seed} item {item}");
    let thread = thread::Builder::new().name(name).stack_size(STACK).spawn(move || {
        // Dropped when the thread ends, however it does.
        let _done = done;
        trial(&mut draw)
    });
    let thread = thread.map_err(|error| error.to_string())?;
    let failure = match end.recv_timeout(PATIENCE) {
        Err(RecvTimeoutError::Timeout) => format!("no end after {PATIENCE:?}"),
        _ => match thread.join() {
            Ok(Ok(compiles)) => return Ok(compiles),
            Ok(Err(failure)) => failure,
            // A panic may show all that was generated.
            Err(panic) => format!("panic: {:.400}", said(&*panic)),
        },
    };
    Err(format!("{failure}\n{}", drawn.lock().unwrap_or_else(PoisonError::into_inner)))
}

/// Whether a source compiles, or what is wrong with what the macros make of it: errors that are the compiler's own, and output
/// that is no Rust.
fn judged(draw: &Draw, source: &str) -> Result<bool, String> {
    draw.is(source);
    let own = compiled(source);
    // What is generated is Rust, whatever is wrong.
    own.file();
    let mut faults = faults(&own);
    for place in places_outside(&own.tokens, source.len()) {
        let _ = writeln!(faults, "an error stands at {place}, which is not in the source");
    }
    if faults.is_empty() { Ok(own.errors().is_empty()) } else { Err(faults) }
}

/// The graph of the kernel called `kern`, `None` where it is refused, or what is wrong with what the macros make of it.
fn compiled_kernel(draw: &Draw, source: &str) -> Result<Option<Graph>, String> {
    draw.is(source);
    let tokens: TokenStream = source.parse().map_err(|error| format!("{error}"))?;
    let mut own = Crate::default();
    own.kernel(tokens);
    let wrong = faults(&own);
    match (wrong.is_empty(), own.errors().is_empty()) {
        (false, _) => Err(wrong),
        (true, accepted) => Ok(accepted.then(|| made("kern"))),
    }
}

/// Where errors stand that are not in a source of that length. Places are known where `proc-macro2` has its feature
/// `span-locations`; else none is told.
fn places_outside(tokens: &[TokenTree], length: usize) -> Vec<String> {
    let mut outside = Vec::new();
    for token in tokens {
        match token {
            TokenTree::Ident(ident) if ident == "compile_error" => {
                let place = format!("{:?}", ident.span());
                let range = place.strip_prefix("bytes(").and_then(|range| range.strip_suffix(')')?.split_once(".."));
                let ends = range.map(|(start, end)| (start.parse::<usize>(), end.parse::<usize>()));
                // The first byte of the source has number 1; what is in no source is at 0.
                if ends.is_some_and(|ends| !matches!(ends, (Ok(1..), Ok(end)) if end <= length + 1)) {
                    outside.push(place);
                }
            }
            TokenTree::Group(group) => outside.extend(places_outside(&Vec::from_iter(group.stream()), length)),
            _ => {}
        }
    }
    outside
}

/// Whatever is wrong with what was generated.
fn faults(own: &Crate) -> String {
    let mut faults = String::new();
    for error in own.errors().iter().filter(|error| !is_the_users(error)) {
        let _ = writeln!(faults, "says {error:?}");
    }
    faults
}

/// Whether an error is one that a user may see: it names no rule of a verifier, and nothing that the macros generate.
fn is_the_users(error: &str) -> bool {
    let rule = |(at, _): (usize, &str)| {
        let name = error[at + 1..].split(']').next().unwrap_or_default();
        name.len() == 3 && name.starts_with(['G', 'K', 'P']) && name[1..].bytes().all(|byte| byte.is_ascii_digit())
    };
    let generated = error.contains("__netcl") && !error.contains("is netcl's own name");
    !error.is_empty() && !error.contains("internal error") && !generated && !error.match_indices('[').any(rule)
}
