//! The system's allocator, Rust's default, with a count of allocated bytes. Rust has no garbage, so
//! they are the live heap. The cost of counting is below the spread between rounds.
use std::{
    alloc::{GlobalAlloc, Layout, System},
    sync::atomic::{AtomicUsize, Ordering::Relaxed},
};

/// Bytes asked for and not freed, without what the allocator adds to each.
pub struct LiveHeap {
    bytes: AtomicUsize,
}

impl LiveHeap {
    pub const fn new() -> Self {
        Self {
            bytes: AtomicUsize::new(0),
        }
    }

    pub fn bytes(&self) -> usize {
        self.bytes.load(Relaxed)
    }
}

// SAFETY: every call is passed on to the system's allocator as it came.
unsafe impl GlobalAlloc for LiveHeap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        self.bytes.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc(layout) }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        self.bytes.fetch_add(layout.size(), Relaxed);
        unsafe { System.alloc_zeroed(layout) }
    }

    unsafe fn realloc(&self, at: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        self.bytes
            .fetch_add(size.wrapping_sub(layout.size()), Relaxed);
        unsafe { System.realloc(at, layout, size) }
    }

    unsafe fn dealloc(&self, at: *mut u8, layout: Layout) {
        self.bytes.fetch_sub(layout.size(), Relaxed);
        unsafe { System.dealloc(at, layout) }
    }
}
