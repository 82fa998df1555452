//! Texts that name a device.

use crate::device::profile::{DeviceKind, DeviceProfile};
use std::fmt;

/// What a selector may be.
pub const ACCEPTED: &str =
    "auto, gpu, cpu, accel, other, host, null, opencl:P, opencl:P:D or a part of a device's or platform's name";

/// A text that names a device, understood.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selector {
    /// A GPU, else an accelerator, else the host.
    Auto,
    /// The first OpenCL device of that kind.
    Kind(DeviceKind),
    /// The host.
    Host,
    /// A new null device.
    Null,
    /// By its numbers; without a device, the platform's first.
    OpenCl {
        /// The number of the platform.
        platform: usize,
        /// The number of the device in it.
        device: Option<usize>,
    },
    /// The first whose name or platform contains this; lower case.
    Named(String),
}

impl Selector {
    /// Understands a text; `None` if it is empty or `opencl:` is not followed by numbers.
    pub fn parse(text: &str) -> Option<Selector> {
        let text = text.trim().to_lowercase();
        Some(match text.as_str() {
            "" => return None,
            "auto" => Selector::Auto,
            "host" => Selector::Host,
            "null" => Selector::Null,
            "gpu" => Selector::Kind(DeviceKind::Gpu),
            "cpu" => Selector::Kind(DeviceKind::Cpu),
            "accel" | "accelerator" => Selector::Kind(DeviceKind::Accelerator),
            "other" => Selector::Kind(DeviceKind::Other),
            _ => match text.strip_prefix("opencl:") {
                None => Selector::Named(text),
                Some(numbers) => {
                    let (platform, device) = match numbers.split_once(':') {
                        Some((platform, device)) => (platform, Some(device.parse().ok()?)),
                        None => (numbers, None),
                    };
                    Selector::OpenCl { platform: platform.parse().ok()?, device }
                }
            },
        })
    }

    /// Whether an OpenCL device is what it names. `auto`, `host` and `null` name none.
    pub fn fits(&self, profile: &DeviceProfile) -> bool {
        match self {
            Selector::Auto | Selector::Host | Selector::Null => false,
            Selector::Kind(kind) => profile.kind == *kind,
            Selector::OpenCl { platform, device: Some(device) } => {
                profile.selector == format!("opencl:{platform}:{device}")
            }
            Selector::OpenCl { platform, device: None } => profile.selector.starts_with(&format!("opencl:{platform}:")),
            Selector::Named(part) => {
                profile.name.to_lowercase().contains(part) || profile.platform.to_lowercase().contains(part)
            }
        }
    }
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Selector::Auto => f.write_str("auto"),
            Selector::Host => f.write_str("host"),
            Selector::Null => f.write_str("null"),
            Selector::Kind(kind) => write!(f, "{kind}"),
            Selector::OpenCl { platform, device: None } => write!(f, "opencl:{platform}"),
            Selector::OpenCl { platform, device: Some(device) } => write!(f, "opencl:{platform}:{device}"),
            Selector::Named(part) => f.write_str(part),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use netcl_kernels::plan::Target;

    #[test]
    fn texts_are_understood() {
        let opencl = |platform, device| Some(Selector::OpenCl { platform, device });
        for (text, expected) in [
            ("auto", Some(Selector::Auto)),
            (" GPU\n", Some(Selector::Kind(DeviceKind::Gpu))),
            ("cpu", Some(Selector::Kind(DeviceKind::Cpu))),
            ("accel", Some(Selector::Kind(DeviceKind::Accelerator))),
            ("Accelerator", Some(Selector::Kind(DeviceKind::Accelerator))),
            ("other", Some(Selector::Kind(DeviceKind::Other))),
            ("host", Some(Selector::Host)),
            ("null", Some(Selector::Null)),
            ("opencl:1", opencl(1, None)),
            ("OpenCL:0:12", opencl(0, Some(12))),
            ("Iris Xe", Some(Selector::Named("iris xe".into()))),
            ("opencl", Some(Selector::Named("opencl".into()))),
            ("", None),
            ("  ", None),
            ("opencl:", None),
            ("opencl:a", None),
            ("opencl:0:", None),
            ("opencl:0:0:0", None),
            ("opencl:-1", None),
        ] {
            assert_eq!(Selector::parse(text), expected, "{text:?}");
            if let Some(selector) = expected {
                assert_eq!(Selector::parse(&selector.to_string()), Some(selector), "printed and read again");
            }
        }
    }

    #[test]
    fn numbers_are_not_compared_as_text() {
        let mut profile = DeviceProfile::unknown("Tesla T4", DeviceKind::Gpu, Target::Gpu);
        profile.selector = "opencl:1:10".into();
        profile.platform = "NVIDIA CUDA".into();
        let fits = |text| Selector::parse(text).unwrap().fits(&profile);
        assert!(fits("opencl:1") && fits("opencl:1:10") && fits("opencl:01:010"));
        assert!(!fits("opencl:1:1") && !fits("opencl:10") && !fits("opencl:0:10"));
        assert!(fits("tesla") && fits("T4") && fits("cuda") && fits("gpu"));
        assert!(!fits("V100") && !fits("cpu") && !fits("host") && !fits("auto"));
    }
}
