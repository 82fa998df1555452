//! Cases run in processes of their own, one for each thread of tests. Most of them wait for a driver that compiles, and PoCL
//! compiles one program at a time in a process. A driver that ends its process ends one case.

use libtest_mimic::{Completion, Failed};
use serde::{Deserialize, Serialize};
use std::any::Any;
use std::cell::RefCell;
use std::io::{self, BufRead, BufReader, Write};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::process::{Child, ChildStdin, ChildStdout, Command, Stdio};

/// Set where this program runs cases for another process of it.
const ROLE: &str = "NETCL_TEST_SUITE_WORKER";

/// What lines of a worker begin with that are answers; others are what drivers and cases print.
const ANSWER: &str = "answer: ";

/// No more processes than these: each has a context on every device, which takes memory of GPUs.
pub(crate) const MOST: usize = 8;

/// How a case ended.
#[derive(Serialize, Deserialize)]
enum Outcome {
    Completed,
    Ignored(Option<String>),
    Failed(Option<String>),
}

/// Whether this process runs cases for another one.
pub(crate) fn is_worker() -> bool {
    std::env::var_os(ROLE).is_some()
}

/// Runs the cases that are asked for, each by the line that names it, until nobody asks any more.
pub(crate) fn serve(run: impl Fn(&str) -> Result<Completion, Failed>) -> io::Result<()> {
    for name in io::stdin().lines() {
        let name = name?;
        let outcome = match catch_unwind(AssertUnwindSafe(|| run(&name))) {
            Ok(Ok(Completion::Completed)) => Outcome::Completed,
            Ok(Ok(Completion::Ignored { reason })) => Outcome::Ignored(reason),
            Ok(Err(failed)) => Outcome::Failed(failed.message().map(str::to_owned)),
            Err(panic) => Outcome::Failed(Some(words(&*panic))),
        };
        // What was printed before may have no end of line.
        println!("\n{ANSWER}{}", serde_json::to_string(&outcome)?);
    }
    Ok(())
}

/// What a panic said.
fn words(panic: &(dyn Any + Send)) -> String {
    let text = panic.downcast_ref::<String>().map(String::as_str).or(panic.downcast_ref::<&str>().copied());
    format!("panicked: {}", text.unwrap_or("without words"))
}

/// A process of this program that runs one case after the other.
struct Worker {
    process: Child,
    asked: ChildStdin,
    answers: BufReader<ChildStdout>,
}

impl Worker {
    fn start() -> io::Result<Worker> {
        let mut command = Command::new(std::env::current_exe()?);
        let mut process = command.env(ROLE, "1").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn()?;
        let (asked, answers) = (process.stdin.take(), process.stdout.take());
        let (asked, answers) = asked.zip(answers).ok_or_else(|| io::Error::other("a worker has no pipes"))?;
        Ok(Worker { process, asked, answers: BufReader::new(answers) })
    }

    /// `None` if the process ends before it answers.
    fn ask(&mut self, name: &str) -> io::Result<Option<Outcome>> {
        if let Err(error) = writeln!(self.asked, "{name}") {
            return if error.kind() == io::ErrorKind::BrokenPipe { Ok(None) } else { Err(error) };
        }
        let mut line = Vec::new();
        loop {
            line.clear();
            if self.answers.read_until(b'\n', &mut line)? == 0 {
                return Ok(None);
            }
            let text = String::from_utf8_lossy(&line);
            match text.strip_prefix(ANSWER) {
                Some(answer) => return Ok(Some(serde_json::from_str(answer)?)),
                None if text.trim().is_empty() => {}
                None => eprint!("{text}"),
            }
        }
    }
}

thread_local! {
    /// The worker of this thread of tests; it ends with the thread, when nobody can ask it any more.
    static WORKER: RefCell<Option<Worker>> = const { RefCell::new(None) };
}

/// Has a worker run the case of that name.
pub(crate) fn run(name: &str) -> Result<Completion, Failed> {
    let failed = |error: io::Error| Failed::from(format!("no process to run it: {error}"));
    WORKER.with_borrow_mut(|worker| {
        let mut held = match worker.take() {
            Some(worker) => worker,
            None => Worker::start().map_err(failed)?,
        };
        match held.ask(name).map_err(failed)? {
            Some(outcome) => {
                *worker = Some(held);
                match outcome {
                    Outcome::Completed => Ok(Completion::Completed),
                    Outcome::Ignored(reason) => Ok(Completion::Ignored { reason }),
                    Outcome::Failed(None) => Err(Failed::without_message()),
                    Outcome::Failed(Some(message)) => Err(message.into()),
                }
            }
            // The next case gets another process.
            None => {
                let end = held.process.wait().map_err(failed)?;
                Err(format!("its process ended: {end}").into())
            }
        }
    })
}
