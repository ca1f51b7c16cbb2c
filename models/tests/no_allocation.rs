//! Decoding one vector allocates nothing once the decoder is warm.
#![allow(unsafe_code)] // an allocator that counts
#![cfg(feature = "zoo")]
#![allow(clippy::unwrap_used)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;

use models::Zoo;
use models::architecture::Architecture;
use rand::SeedableRng;
use rand_chacha::ChaCha8Rng;

struct Counting;

thread_local! {
    /// Allocations of this thread: the test harness has threads of its own.
    static ALLOCATIONS: Cell<usize> = const { Cell::new(0) };
}

// SAFETY: everything is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for Counting {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        ALLOCATIONS.set(ALLOCATIONS.get() + 1);
        // SAFETY: the caller's promises are the system allocator's conditions.
        unsafe { System.alloc(layout) }
    }

    unsafe fn dealloc(&self, memory: *mut u8, layout: Layout) {
        // SAFETY: as above.
        unsafe { System.dealloc(memory, layout) }
    }
}

#[global_allocator]
static ALLOCATOR: Counting = Counting;

#[test]
fn a_warm_decoder_allocates_nothing() {
    let zoo = Zoo::shipped().unwrap();
    let mut tried = 0;
    for bundle in zoo.iter() {
        let Architecture::Sequential { .. } = bundle.card().architecture else {
            continue;
        };
        let decoder = bundle.decoder();
        let mut rng = ChaCha8Rng::seed_from_u64(1);
        let zs: Vec<Vec<f64>> = (0..20).map(|_| bundle.sample(&mut rng)).collect();
        let mut instance = vec![0.0; decoder.instance_len()];
        decoder.decode_into(&zs[0], &mut instance).unwrap();
        let before = ALLOCATIONS.get();
        for z in &zs {
            decoder.decode_into(z, &mut instance).unwrap();
        }
        assert_eq!(ALLOCATIONS.get(), before, "{}", bundle.name());
        tried += 1;
    }
    assert!(tried > 0);
    let before = ALLOCATIONS.get();
    drop(vec![1u8]);
    assert_eq!(ALLOCATIONS.get(), before + 1, "the count counts");
}
