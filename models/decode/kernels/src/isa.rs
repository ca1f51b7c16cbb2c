//! Which instructions the kernels are compiled for, and may use on this machine.

/// A set of instructions. [`Isa::detect`] is the only way to get one, so that what it
/// names is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Isa(Kind);

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    /// Plain Rust.
    #[cfg_attr(
        all(target_arch = "wasm32", target_feature = "simd128"),
        allow(dead_code)
    )]
    Portable,
    /// AVX2 and FMA.
    #[cfg(target_arch = "x86_64")]
    Avx2,
    /// simd128, which the module is compiled for as a whole.
    #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
    Wasm,
}

impl Isa {
    /// The best that this machine has.
    pub fn detect() -> Self {
        #[cfg(target_arch = "x86_64")]
        if std::arch::is_x86_feature_detected!("avx2") && std::arch::is_x86_feature_detected!("fma")
        {
            return Self(Kind::Avx2);
        }
        #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
        return Self(Kind::Wasm);
        #[cfg(not(all(target_arch = "wasm32", target_feature = "simd128")))]
        Self(Kind::Portable)
    }

    /// What every machine has.
    #[cfg(not(target_arch = "wasm32"))]
    pub fn portable() -> Self {
        Self(Kind::Portable)
    }

    pub(super) fn kind(self) -> Kind {
        self.0
    }
}

/// Runs the body of a kernel, written once with `$S` for the vector, as compiled for
/// the instructions of an [`Isa`].
macro_rules! dispatch {
    ($isa:expr, $kernel:ident($($argument:expr),* $(,)?)) => {
        match $isa.kind() {
            #[cfg(target_arch = "x86_64")]
            crate::isa::Kind::Avx2 => {
                // SAFETY: `Isa::detect` gives this kind only where AVX2 and FMA are.
                unsafe { avx2($($argument),*) }
            }
            #[cfg(all(target_arch = "wasm32", target_feature = "simd128"))]
            crate::isa::Kind::Wasm => {
                $kernel::<crate::simd::Wasm>($($argument),*)
            }
            crate::isa::Kind::Portable => {
                $kernel::<crate::simd::Portable>($($argument),*)
            }
        }
    };
}

pub(crate) use dispatch;
