//! Commands that are refused late, and replays that wait for their turn.

use super::*;
use crate::event::UserEvent;
use opencl3::error_codes::{
    CL_INVALID_CONTEXT, CL_INVALID_MEM_OBJECT, CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES,
};
use record::REFUSED_COMMAND;
use std::sync::atomic::{AtomicBool, Ordering};

#[test]
fn a_copy_without_memory_says_that_memory_may_help() {
    const BYTES: usize = 64 << 10;
    for device in with_driver() {
        let device = Device::of(Arc::new(with_profile(&device, |_| {})));
        let [from, to] = [7u8, 1].map(|value| {
            let memory = device.allocate(BYTES).unwrap();
            memory.write(&[value; BYTES]).unwrap();
            memory
        });
        let read = |memory: &Buffer| {
            let mut found = [0; BYTES];
            memory.read(&mut found).unwrap();
            found
        };
        for code in [CL_MEM_OBJECT_ALLOCATION_FAILURE, CL_OUT_OF_RESOURCES] {
            for (command, result) in [
                (&(|| to.zero(BYTES)) as &dyn Fn() -> Result<()>, [0; BYTES]),
                (&|| from.copy_to(&to, BYTES), [7; BYTES]),
            ] {
                REFUSED_COMMAND.set(Some(code));
                let error = command().unwrap_err();
                assert!(error.may_want_memory(), "{error}");
                command().unwrap();
                assert_eq!(read(&to), result, "{device} goes on");
            }
        }
        REFUSED_COMMAND.set(Some(CL_INVALID_MEM_OBJECT));
        let error = to.zero(BYTES).unwrap_err();
        assert!(matches!(error, Error::Driver { .. }) && !error.may_want_memory(), "{device}: {error}");
    }
}

/// The copy is under way when the source cannot be told to wait for it: both memories are used until it is over.
#[test]
fn a_copy_between_devices_is_over_when_it_fails_late() {
    for device in with_driver() {
        let both = device.share_context(&[device.backend(); 2]).unwrap();
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
        let error = target.copy_from(source.backend(), from.memory(), to.memory(), 4096).unwrap_err().to_string();
        peer_copy::REFUSED_WAIT.set(None);
        assert!(is_open.load(Ordering::Acquire), "{device}: it was waited for");
        assert!(error.contains("a copy between devices, which was made all the same, failed with"), "{error}");
        thread.join().unwrap();
        let mut found = [0; 4096];
        to.read(&mut found).unwrap();
        assert_eq!(found, [7; 4096], "{device}");
    }
}
