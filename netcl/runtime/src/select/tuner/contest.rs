//! The measurement itself: who is right, who is hopeless, who is the fastest.

use super::options::TuneOptions;
use super::report::{Candidate, Outcome, fastest};
use super::search::Search;
use crate::select::bench::{Bench, Rejection, Runner};
use std::time::{Duration, Instant};

/// Samples of a candidate when it is first timed.
const QUICK: usize = 3;
/// Samples of one that seems faster than all before.
const CAREFUL: usize = 9;
/// Samples of those that are close together in the end: a tenth of a second of each, which tells differences of some percent
/// on a machine that others use too.
const FINAL: usize = 25;
/// More than so many times the best's time, seen twice, is hopeless: noise does not explain it.
const HOPELESS: f64 = 2.0;
const TWICE: usize = 2;
/// Quick medians within this factor of the best are compared carefully.
const CLOSE: f64 = 1.25;
/// How many are compared carefully.
const FINALISTS: usize = 5;
/// The compiler's own choice stays if it takes at most this many times the best's time: less is noise.
const SAME: f64 = 1.03;

/// After so many candidates in a row without a gain the search ends. It goes on with what is most like the fastest, and
/// that has about so many neighbours that differ in one tunable: none of them is faster.
const WITHOUT_GAIN: usize = 24;

/// What came out.
pub(super) struct Outcomes {
    /// In the order in which they were tried.
    pub(super) candidates: Vec<Candidate>,
    /// The position of the fastest among them; `None` if none was right.
    pub(super) best: Option<usize>,
}

/// A right candidate.
struct Contender {
    position: usize,
    runner: Box<dyn Runner>,
    /// Of one run, at the pace that the device had when the compiler's own choice was first timed.
    time: Duration,
}

/// Tries candidates until they, the time or the patience for candidates end; tells after each.
///
/// A device's pace changes from one second to the next, where it is shared or hot: what is compared is timed in turns.
pub(super) fn hold(
    search: &mut Search,
    bench: &mut dyn Bench,
    options: &TuneOptions<'_>,
    tell: &dyn Fn(&[Candidate]),
) -> Outcomes {
    let end = Instant::now().checked_add(options.budget);
    let in_time = || end.is_none_or(|end| Instant::now() < end);
    let mut candidates: Vec<Candidate> = Vec::new();
    // The best comes first.
    let mut contenders: Vec<Contender> = Vec::new();
    let mut gain = Gain { best: Duration::MAX, since: 0 };
    // The compiler's own choice is always tried: everything is compared with it.
    while candidates.is_empty() || (candidates.len() < options.candidates && gain.since < WITHOUT_GAIN && in_time()) {
        let Some(number) = search.next() else { break };
        let config = search.candidate(number).clone();
        let position = candidates.len();
        let (outcome, runner) = match bench.prepare(&config) {
            Ok(runner) => quick(runner, contenders.first_mut()),
            Err(rejection) => (rejection.into(), None),
        };
        if let Some(time) = outcome.time() {
            search.timed(number, time);
        }
        gain.note(outcome.time());
        if let (Outcome::Timed(time), Some(runner)) = (&outcome, runner) {
            contenders.push(Contender { position, runner, time: *time });
        }
        // What a candidate holds on the device is not needed once it is out.
        retain_close(&mut contenders);
        candidates.push(Candidate { config, outcome });
        tell(&candidates);
    }
    careful(&mut contenders, &mut candidates, &in_time);
    let time = |position: usize| candidates[position].outcome.time();
    let best = fastest(&candidates).map(|position| match (&candidates[0].outcome, time(position)) {
        (Outcome::Timed(default), Some(time)) if default.as_secs_f64() <= SAME * time.as_secs_f64() => 0,
        _ => position,
    });
    Outcomes { candidates, best }
}

/// How long ago anything became faster.
struct Gain {
    best: Duration,
    /// Candidates since.
    since: usize,
}

impl Gain {
    fn note(&mut self, time: Option<Duration>) {
        match time {
            // Less is noise, of which there is always some.
            Some(time) if time.mul_f64(SAME) <= self.best => (self.best, self.since) = (time, 0),
            _ => self.since += 1,
        }
    }
}

/// A first look, in turns with the best so far. Whoever seems faster than that is looked at carefully: all that come later
/// are compared with it, so a disturbed look here would drop those that are.
fn quick(mut runner: Box<dyn Runner>, mut best: Option<&mut Contender>) -> (Outcome, Option<Box<dyn Runner>>) {
    let (mut own, mut bests) = (Vec::with_capacity(CAREFUL), Vec::with_capacity(CAREFUL));
    let mut time = Duration::ZERO;
    for round in 1..=CAREFUL {
        match runner.time() {
            Ok(sample) => own.push(sample),
            Err(rejection) => return (rejection.into(), None),
        }
        time = median(&own);
        let Some(best) = best.as_deref_mut() else { if round < QUICK { continue } else { break } };
        // One that fails only now is found when all are compared carefully.
        bests.push(best.runner.time().unwrap_or(best.time));
        time = beside(&own, &bests, best.time);
        if round >= TWICE && time.as_secs_f64() > HOPELESS * best.time.as_secs_f64() {
            return (Outcome::Hopeless(time), None);
        }
        if round >= QUICK && time >= best.time {
            break;
        }
    }
    (Outcome::Timed(time), Some(runner))
}

/// What the samples say of something that ran in turns with another, of which `before` is known: by the middle one of the
/// rounds' ratios, since what disturbs the machine disturbs both halves of a round, or one of few.
fn beside(samples: &[Duration], others: &[Duration], before: Duration) -> Duration {
    let ratios = samples.iter().zip(others).map(|(own, other)| at_pace(*own, *other, before));
    median(&ratios.collect::<Vec<_>>())
}

/// What `time` would have been when something that took `now` beside it took `before`.
fn at_pace(time: Duration, now: Duration, before: Duration) -> Duration {
    time.mul_f64(before.as_secs_f64() / now.as_secs_f64().max(1e-9))
}

/// Drops those that will not be compared carefully.
fn retain_close(contenders: &mut Vec<Contender>) {
    contenders.sort_by_key(|contender| contender.time);
    let Some(best) = contenders.first().map(|best| best.time.as_secs_f64()) else { return };
    // The compiler's own choice stays: the report compares with it.
    let mut kept = 0;
    contenders.retain(|contender| {
        kept += 1;
        let close = kept <= FINALISTS && contender.time.as_secs_f64() <= CLOSE * best;
        close || contender.position == 0
    });
}

/// Takes turns between those that are close together, so that what disturbs the machine disturbs all.
fn careful(contenders: &mut [Contender], candidates: &mut [Candidate], in_time: &dyn Fn() -> bool) {
    let mut samples = vec![Vec::with_capacity(FINAL); contenders.len()];
    for round in 0..FINAL {
        // As many as of a quick look are worth a late end.
        if round >= QUICK && !in_time() {
            break;
        }
        for (contender, samples) in contenders.iter_mut().zip(&mut samples) {
            match contender.runner.time() {
                Ok(time) => samples.push(time),
                Err(rejection) => candidates[contender.position].outcome = rejection.into(),
            }
        }
    }
    // One pace for all, round by round: that of the first that did not fail.
    let timed = |contender: &Contender| matches!(candidates[contender.position].outcome, Outcome::Timed(_));
    let pace = contenders.iter().zip(&samples).find(|(contender, _)| timed(contender));
    let Some((before, now)) = pace.map(|(contender, samples)| (contender.time, samples.clone())) else { return };
    for (contender, samples) in contenders.iter().zip(&samples) {
        if let Outcome::Timed(time) = &mut candidates[contender.position].outcome {
            *time = beside(samples, &now, before);
        }
    }
}

impl From<Rejection> for Outcome {
    fn from(rejection: Rejection) -> Outcome {
        match rejection {
            Rejection::Fails(why) => Outcome::Failed(why),
            Rejection::Wrong(why) => Outcome::Wrong(why),
            Rejection::Unmeasured(why) => Outcome::Unmeasured(why),
        }
    }
}

/// The middle one; the lower of two. Zero of none.
pub(super) fn median(samples: &[Duration]) -> Duration {
    let mut ordered = samples.to_vec();
    ordered.sort();
    ordered.get(ordered.len().saturating_sub(1) / 2).copied().unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::select::testing::config;
    use netcl_kernels::variant::KernelConfig;
    use std::cell::RefCell;
    use std::collections::BTreeMap;
    use std::rc::Rc;

    /// Times by configuration, each a list that is gone through again and again; `Err` for those that are out.
    struct Fake {
        times: BTreeMap<String, Result<Vec<u64>, Rejection>>,
        /// How often each was timed.
        counts: Rc<RefCell<BTreeMap<String, usize>>>,
    }

    struct FakeRunner {
        name: String,
        times: Vec<u64>,
        counts: Rc<RefCell<BTreeMap<String, usize>>>,
    }

    impl Bench for Fake {
        fn prepare(&mut self, config: &KernelConfig) -> Result<Box<dyn Runner>, Rejection> {
            let name = config.to_string();
            let times = self.times[&name].clone()?;
            Ok(Box::new(FakeRunner { name, times, counts: self.counts.clone() }))
        }
    }

    impl Runner for FakeRunner {
        fn time(&mut self) -> Result<Duration, Rejection> {
            let mut counts = self.counts.borrow_mut();
            let count = counts.entry(self.name.clone()).or_default();
            *count += 1;
            let time = self.times[(*count - 1) % self.times.len()];
            // 0 stands for a launch that fails.
            if time == 0 { Err(Rejection::Fails("lost".into())) } else { Ok(Duration::from_micros(time)) }
        }
    }

    fn held(
        entries: &[(&str, Result<Vec<u64>, Rejection>)],
        options: &TuneOptions<'_>,
    ) -> (Outcomes, BTreeMap<String, usize>) {
        let all: Vec<KernelConfig> = entries.iter().map(|(text, _)| config(text)).collect();
        let times = entries.iter().map(|(text, result)| ((*text).to_owned(), result.clone())).collect();
        let counts = Rc::new(RefCell::default());
        let mut bench = Fake { times, counts: counts.clone() };
        let outcomes = hold(&mut Search::new(all, &[]), &mut bench, options, &|_| {});
        (outcomes, counts.take())
    }

    #[test]
    fn the_fastest_of_the_right_ones_wins() {
        let wrong = Rejection::Wrong("element 3 is 7, expected 8".into());
        let (outcomes, counts) = held(
            &[
                ("matmul_tiled TILE=8", Ok(vec![500])),
                ("matmul_tiled TILE=16", Ok(vec![100])),
                ("matmul_tiled TILE=32", Err(wrong.clone())),
                ("matmul_tiled TILE=64", Err(Rejection::Fails("no memory".into()))),
                ("matmul_tiled TILE=128", Ok(vec![90, 0])),
                ("matmul_tiled TILE=256", Ok(vec![1000])),
            ],
            &TuneOptions::default(),
        );
        let of = |tile: u32| {
            let found = outcomes.candidates.iter().find(|own| own.config.values.get("TILE") == tile);
            found.expect("it was tried").outcome.clone()
        };
        let best = &outcomes.candidates[outcomes.best.unwrap()];
        assert_eq!(best.config, config("matmul_tiled TILE=16"));
        assert_eq!(of(16), Outcome::Timed(Duration::from_micros(100)));
        assert_eq!(of(32), wrong.into());
        assert_eq!(of(64), Outcome::Failed("no memory".into()));
        assert_eq!(of(128), Outcome::Failed("lost".into()), "it fails at its second run");
        assert_eq!(of(256), Outcome::Hopeless(Duration::from_micros(1000)));
        assert_eq!(counts["matmul_tiled TILE=256"], TWICE, "it is not looked at again");
        assert!(!counts.contains_key("matmul_tiled TILE=32"), "what is wrong is not timed");
    }

    #[test]
    fn one_disturbed_sample_does_not_decide() {
        let (outcomes, _) = held(
            &[
                ("matmul_tiled TILE=8", Ok(vec![100])),
                // Right at first and in most rounds the faster one, but for outliers.
                ("matmul_tiled TILE=16", Ok(vec![80, 900, 80])),
            ],
            &TuneOptions::default(),
        );
        assert_eq!(outcomes.best, Some(1));
        assert_eq!(outcomes.candidates[1].outcome, Outcome::Timed(Duration::from_micros(80)));
    }

    #[test]
    fn a_disturbed_first_look_sends_nobody_away() {
        // The third is the fastest, but for the sample that it begins with; the second seems faster than it is at first.
        let (outcomes, _) = held(
            &[
                ("matmul_tiled TILE=8", Ok(vec![100])),
                ("matmul_tiled TILE=16", Ok(vec![20, 20, 130, 130, 130, 130, 130, 130, 130])),
                ("matmul_tiled TILE=32", Ok(vec![400, 60, 60, 60, 60, 60, 60, 60, 60])),
            ],
            &TuneOptions::default(),
        );
        assert_eq!(outcomes.best, Some(2));
    }

    #[test]
    fn the_default_stays_where_the_difference_is_noise() {
        let (outcomes, _) = held(
            &[("matmul_tiled TILE=8", Ok(vec![102])), ("matmul_tiled TILE=16", Ok(vec![100]))],
            &TuneOptions::default(),
        );
        assert_eq!(outcomes.best, Some(0));
        let (outcomes, _) = held(
            &[("matmul_tiled TILE=8", Ok(vec![110])), ("matmul_tiled TILE=16", Ok(vec![100]))],
            &TuneOptions::default(),
        );
        assert_eq!(outcomes.best, Some(1));
    }

    #[test]
    fn budgets_end_it_but_for_the_default() {
        let entries = [
            ("matmul_tiled TILE=8", Ok(vec![100])),
            ("matmul_tiled TILE=16", Ok(vec![50])),
            ("matmul_tiled TILE=32", Ok(vec![20])),
        ];
        let (outcomes, _) = held(&entries, &TuneOptions { candidates: 2, ..TuneOptions::default() });
        assert_eq!(outcomes.candidates.len(), 2);
        let (outcomes, _) = held(&entries, &TuneOptions { budget: Duration::ZERO, ..TuneOptions::default() });
        assert_eq!((outcomes.candidates.len(), outcomes.best), (1, Some(0)));
    }

    #[test]
    fn the_search_ends_where_nothing_becomes_faster() {
        let times = |at: u64| if at == 5 { 50 } else { 100 + at % 2 };
        let texts: Vec<String> = (0..100).map(|at| format!("matmul_tiled TILE={}", at + 1)).collect();
        let entries: Vec<(&str, Result<Vec<u64>, Rejection>)> =
            texts.iter().zip(0..).map(|(text, at)| (text.as_str(), Ok(vec![times(at)]))).collect();
        let options = TuneOptions { candidates: 100, ..TuneOptions::default() };
        let (outcomes, _) = held(&entries, &options);
        let best = outcomes.best.expect("they are right");
        assert_eq!(outcomes.candidates[best].config, config("matmul_tiled TILE=6"));
        assert_eq!(outcomes.candidates.len(), best + 1 + WITHOUT_GAIN);
    }

    #[test]
    fn where_nothing_is_right_nothing_wins() {
        let (outcomes, _) =
            held(&[("matmul_tiled TILE=8", Err(Rejection::Wrong("NaN".into())))], &TuneOptions::default());
        assert_eq!((outcomes.candidates.len(), outcomes.best), (1, None));
    }

    #[test]
    fn medians() {
        let of = |values: &[u64]| median(&values.iter().map(|&value| Duration::from_nanos(value)).collect::<Vec<_>>());
        assert_eq!([of(&[]), of(&[3]), of(&[9, 1]), of(&[5, 1, 9])].map(|time| time.as_nanos()), [0, 3, 1, 5]);
    }
}
