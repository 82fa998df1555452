//! Whose driver it is, and for which chip it compiles.

use std::fmt;

/// Who makes the driver: that, more than the chip, decides what works. PoCL on an AMD processor is PoCL.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Vendor {
    /// AMD's drivers, for its GPUs.
    Amd,
    /// Apple's OpenCL framework.
    Apple,
    /// Arm's drivers for Mali.
    Arm,
    /// Imagination's drivers for PowerVR.
    Imagination,
    /// Intel's drivers, for processors, GPUs and FPGAs.
    Intel,
    /// llvmpipe, Mesa's driver for processors, under rusticl.
    Llvmpipe,
    /// Mesa: rusticl and clover, on GPUs.
    Mesa,
    /// NVIDIA's driver.
    Nvidia,
    /// Oclgrind, a simulator that checks.
    Oclgrind,
    /// The Portable Computing Language.
    Pocl,
    /// Qualcomm's drivers for Adreno.
    Qualcomm,
    /// Anyone else; also the host and the null device, which have no driver.
    Other,
}

impl Vendor {
    /// From what the platform says about itself, and the device's name.
    pub(crate) fn of(name: &str, vendor: &str, device: &str) -> Vendor {
        let text = format!("{name} {vendor}").to_lowercase();
        let words: Vec<&str> = text.split(|c: char| !c.is_ascii_alphanumeric()).collect();
        if words.contains(&"mesa") && device.starts_with("llvmpipe") {
            return Vendor::Llvmpipe;
        }
        // Those that run on other vendors' chips and may name them come first.
        const NAMES: [(&str, Vendor); 14] = [
            ("pocl", Vendor::Pocl),
            ("portable", Vendor::Pocl),
            ("oclgrind", Vendor::Oclgrind),
            ("rusticl", Vendor::Mesa),
            ("clover", Vendor::Mesa),
            ("mesa", Vendor::Mesa),
            ("nvidia", Vendor::Nvidia),
            ("amd", Vendor::Amd),
            ("advanced", Vendor::Amd),
            ("intel", Vendor::Intel),
            ("apple", Vendor::Apple),
            ("arm", Vendor::Arm),
            ("qualcomm", Vendor::Qualcomm),
            ("imagination", Vendor::Imagination),
        ];
        NAMES.iter().find(|(name, _)| words.contains(name)).map_or(Vendor::Other, |(_, vendor)| *vendor)
    }
}

impl fmt::Display for Vendor {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Vendor::Amd => "AMD",
            Vendor::Apple => "Apple",
            Vendor::Arm => "Arm",
            Vendor::Imagination => "Imagination",
            Vendor::Intel => "Intel",
            Vendor::Llvmpipe => "llvmpipe",
            Vendor::Mesa => "Mesa",
            Vendor::Nvidia => "NVIDIA",
            Vendor::Oclgrind => "Oclgrind",
            Vendor::Pocl => "PoCL",
            Vendor::Qualcomm => "Qualcomm",
            Vendor::Other => "other",
        })
    }
}

/// What the driver compiles for. Its text form (`sm_90`, `gfx1100`, `xe_12.55`, `x86_64`) names it in records that are
/// kept between runs.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Architecture {
    /// An NVIDIA GPU, by its compute capability.
    Nvidia {
        /// 9 of 9.0.
        major: u32,
        /// 0 of 9.0.
        minor: u32,
    },
    /// An AMD GPU, by its LLVM target (`gfx1100`, `gfx90a`).
    Amd(String),
    /// An Intel GPU, by its graphics IP version.
    Intel {
        /// 12 of 12.55.
        major: u32,
        /// 55 of 12.55.
        minor: u32,
    },
    /// A processor, by its instruction set (`x86_64`, `aarch64`).
    Cpu(String),
    /// Not known.
    Unknown,
}

impl Architecture {
    /// The processor that this runs on.
    pub(crate) fn this_processor() -> Architecture {
        Architecture::Cpu(std::env::consts::ARCH.to_owned())
    }

    /// An AMD GPU from its device's name, which some drivers follow with features: `gfx90a:sramecc+:xnack-`.
    #[doc(hidden)]
    pub fn amd(device: &str) -> Option<Architecture> {
        let name = device.split(':').next().unwrap_or_default().trim();
        let digits = name.strip_prefix("gfx")?;
        let valid = !digits.is_empty() && digits.chars().all(|c| c.is_ascii_hexdigit());
        valid.then(|| Architecture::Amd(name.to_owned()))
    }

    /// An Intel GPU from `CL_DEVICE_IP_VERSION_INTEL`: 10 bits major, 8 minor, 6 reserved, 8 revision.
    pub(crate) fn intel(ip_version: u32) -> Option<Architecture> {
        (ip_version != 0).then_some(Architecture::Intel { major: ip_version >> 22, minor: (ip_version >> 14) & 0xff })
    }
}

impl fmt::Display for Architecture {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Architecture::Nvidia { major, minor } => write!(f, "sm_{major}{minor}"),
            Architecture::Amd(name) | Architecture::Cpu(name) => f.write_str(name),
            Architecture::Intel { major, minor } => write!(f, "xe_{major}.{minor:02}"),
            Architecture::Unknown => f.write_str("unknown"),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn platforms_are_recognised() {
        for (name, vendor, device, expected) in [
            ("Portable Computing Language", "The pocl project", "a chip", Vendor::Pocl),
            ("Intel(R) OpenCL", "Intel(R) Corporation", "a chip", Vendor::Intel),
            ("Intel(R) OpenCL Graphics", "Intel(R) Corporation", "a chip", Vendor::Intel),
            ("NVIDIA CUDA", "NVIDIA Corporation", "a chip", Vendor::Nvidia),
            ("AMD Accelerated Parallel Processing", "Advanced Micro Devices, Inc.", "a chip", Vendor::Amd),
            ("Oclgrind", "University of Bristol", "a chip", Vendor::Oclgrind),
            ("rusticl", "Mesa/X.org", "a chip", Vendor::Mesa),
            ("rusticl", "Mesa/X.org", "llvmpipe (LLVM 15.0.6, 256 bits)", Vendor::Llvmpipe),
            ("Clover", "Mesa", "a chip", Vendor::Mesa),
            ("Apple", "Apple", "a chip", Vendor::Apple),
            ("ARM Platform", "ARM", "a chip", Vendor::Arm),
            ("QUALCOMM Snapdragon(TM)", "QUALCOMM", "a chip", Vendor::Qualcomm),
            ("PowerVR", "Imagination Technologies", "a chip", Vendor::Imagination),
            ("Charm", "Alarm Inc.", "a chip", Vendor::Other),
        ] {
            assert_eq!(Vendor::of(name, vendor, device), expected, "{name}, {device}");
        }
    }

    #[test]
    fn architectures_are_read_and_printed() {
        assert_eq!(Architecture::amd("gfx90a:sramecc+:xnack-").unwrap().to_string(), "gfx90a");
        assert_eq!(Architecture::amd("gfx1100").unwrap().to_string(), "gfx1100");
        assert_eq!(Architecture::amd("AMD Radeon Pro"), None);
        assert_eq!(Architecture::amd("gfx"), None);
        // The Arc A770 reports 12.55.8.
        assert_eq!(Architecture::intel((12 << 22) | (55 << 14) | 8).unwrap().to_string(), "xe_12.55");
        assert_eq!(Architecture::intel(0), None);
        assert_eq!(Architecture::Nvidia { major: 9, minor: 0 }.to_string(), "sm_90");
    }
}
