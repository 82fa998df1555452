//! Commands that are refused late, and replays that wait for their turn.

use super::*;
use crate::event::UserEvent;
use opencl3::error_codes::{
    CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
};
use record::REFUSED_COMMAND;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_copy_without_memory_is_done_again_once_there_is_some() {
    const BYTES: usize = 64 << 10;
    let _turn = turn();
    for device in with_driver() {
        let device = Device::of(Arc::new(with_profile(&device, |_| {})));
        let [from, to] = [7u8, 1].map(|value| {
            let memory = device.allocate(BYTES).unwrap();
            memory.write(&[value; BYTES]).unwrap();
            memory
        });
        let read = |memory: &BufferHandle| {
            let mut found = [0; BYTES];
            memory.read(&mut found).unwrap();
            found
        };
        for code in [CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES] {
            drop(device.allocate(1 << 20).unwrap());
            REFUSED_COMMAND.set(Some(code));
            to.zero().unwrap();
            assert_eq!((read(&to), device.memory_stats().idle), ([0; BYTES], 0), "{device}: what was idle is gone");
            drop(device.allocate(1 << 20).unwrap());
            REFUSED_COMMAND.set(Some(code));
            from.copy_into(&to).unwrap();
            assert_eq!((read(&to), device.memory_stats().idle), ([7; BYTES], 0), "{device}");
        }
        drop(device.allocate(1 << 20).unwrap());
        REFUSED_COMMAND.set(Some(CL_INVALID_MEM_OBJECT));
        assert!(matches!(to.zero(), Err(Error::Driver { .. })));
        assert!(device.memory_stats().idle > 0, "{device}: more memory is no help there");
    }
}

/// The copy is under way when the source cannot be told to wait for it: both memories are used until it is over.
#[test]
fn a_copy_between_devices_is_over_when_it_fails_late() {
    for device in with_driver() {
        let both = device.backend().share_context(&[device.backend(); 2]).unwrap();
        let [source, target] = <[Arc<dyn Backend>; 2]>::try_from(both).ok().unwrap().map(Device::of);
        let (from, to) = (source.allocate(4096).unwrap(), target.allocate(4096).unwrap());
        from.write(&[7; 4096]).unwrap();
        let (gate, is_open) = (UserEvent::new(), Arc::new(AtomicBool::new(false)));
        source.wait_for(&gate.event()).unwrap();
        let opens = is_open.clone();
        let thread = std::thread::spawn(move || {
            std::thread::sleep(Duration::from_millis(50));
            opens.store(true, Ordering::Release);
            gate.complete();
        });
        peer_copy::REFUSED_WAIT.set(Some(CL_INVALID_CONTEXT));
        let error = from.copy_across(&to, 4096).unwrap_err().to_string();
        peer_copy::REFUSED_WAIT.set(None);
        assert!(is_open.load(Ordering::Acquire), "{device}: it was waited for");
        assert!(error.contains("a copy between devices, which was made all the same, failed with"), "{error}");
        thread.join().unwrap();
        let mut found = [0; 4096];
        to.read(&mut found).unwrap();
        assert_eq!(found, [7; 4096], "{device}");
    }
}

/// As netcl's own replay of them: between the launches of a call that changes a model's states and the copies of their new
/// values comes no other such call.
#[test]
fn replays_by_the_driver_wait_for_the_models_turn() {
    use crate::recording::{Step, push};
    struct Changing(Arc<Mutex<()>>);
    impl Step for Changing {
        fn repeat(&mut self) -> Result<()> {
            unreachable!("the driver replays")
        }
        fn launches(&self) -> u64 {
            0
        }
        fn encode(&self, _: &mut dyn CommandBuffer) -> Result<bool> {
            Ok(true)
        }
        fn visit_memory(&self, _: &mut dyn FnMut(&BufferHandle)) {}
        fn turn(&self) -> Option<&Arc<Mutex<()>>> {
            Some(&self.0)
        }
    }
    for device in with_driver() {
        let backend =
            with_profile(&device, |profile| profile.quirks.retain(|quirk| quirk.avoid != Avoid::CommandBuffers));
        let device = Device::of(Arc::new(backend));
        let models = [(); 2].map(|()| Arc::<Mutex<()>>::default());
        // One model twice.
        let calls = [&models[1], &models[0], &models[1]];
        let work = || {
            calls.into_iter().for_each(|turn| push(Box::new(Changing(turn.clone()))));
            Ok(())
        };
        let mut recording = device.record(work).unwrap().0;
        if !recording.is_by_driver() {
            continue;
        }
        for model in &models {
            let turn = model.lock().unwrap();
            let (sender, receiver) = std::sync::mpsc::channel();
            std::thread::scope(|scope| {
                scope.spawn(|| sender.send(recording.replay()).unwrap());
                assert!(receiver.recv_timeout(Duration::from_millis(100)).is_err(), "{device}: it is another's turn");
                drop(turn);
                receiver.recv().unwrap().unwrap();
            });
        }
    }
}
