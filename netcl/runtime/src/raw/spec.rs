//! What a raw kernel is made of.

use super::kernel::RawKernel;
use super::tuner::WorkGroupTuner;
use crate::device::Avoid;
use crate::device::{Device, DeviceProfile};
use crate::error::{Error, Result};
use netcl_hal::device::kernels::KernelSource;
use netcl_hal::opencl::{NOT_OPTIMIZED, ROUNDED_DIVISION};
use netcl_hal::program::blank;
use netcl_kernels::dtype::DType;
use netcl_kernels::emit::{bf16_from_float, storage_type};
use std::fmt::Display;

/// A kernel in OpenCL C: its parameters and body, or a whole source that has it.
///
/// ```
/// # use netcl::raw::KernelSpec;
/// let spec = KernelSpec::new("vec_add")
///     .dtype("REAL", netcl::DType::F32)
///     .parameters(["__global const REAL* a", "__global const REAL* b", "__global REAL* c", "uint n"])
///     .body("uint i = get_global_id(0); if (i < n) c[i] = a[i] + b[i];");
/// assert!(spec.to_source().contains("__kernel void vec_add("));
/// ```
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct KernelSpec {
    name: String,
    parameters: Vec<String>,
    /// Names of types of elements.
    types: Vec<(String, DType)>,
    defines: Vec<(String, String)>,
    preamble: String,
    text: Text,
    fp16: bool,
    fast_math: bool,
    /// Whether it is built as netcl's own kernels are.
    exact: bool,
    options: Vec<String>,
    tuner: WorkGroupTuner,
}

#[derive(Clone, Debug, PartialEq, Eq)]
enum Text {
    Body(String),
    Source(String),
}

impl KernelSpec {
    /// A kernel of this name, whose parameters and body are to be given.
    pub fn new(name: &str) -> KernelSpec {
        KernelSpec::with(name, Text::Body(String::new()))
    }

    /// The kernel `name` of a whole source.
    pub fn from_source(name: &str, source: &str) -> KernelSpec {
        KernelSpec::with(name, Text::Source(source.to_owned()))
    }

    fn with(name: &str, text: Text) -> KernelSpec {
        let (parameters, types, defines, options) = (Vec::new(), Vec::new(), Vec::new(), Vec::new());
        let (name, preamble, tuner) = (name.to_owned(), String::new(), WorkGroupTuner::default());
        let (fp16, fast_math, exact) = (false, false, false);
        KernelSpec { name, parameters, types, defines, preamble, text, fp16, fast_math, exact, options, tuner }
    }

    /// Adds parameters, as C declares them. A whole source has its own.
    #[must_use]
    pub fn parameters<'a>(mut self, parameters: impl IntoIterator<Item = &'a str>) -> KernelSpec {
        self.parameters.extend(parameters.into_iter().map(str::to_owned));
        self
    }

    /// The statements of the kernel, instead of what was given before.
    #[must_use]
    pub fn body(mut self, body: &str) -> KernelSpec {
        self.text = Text::Body(body.to_owned());
        self
    }

    /// Text before the kernel, after the macros: [`super::PRIMITIVE_PREAMBLE`], helper functions.
    #[must_use]
    pub fn preamble(mut self, text: &str) -> KernelSpec {
        if !self.preamble.is_empty() && !self.preamble.ends_with('\n') {
            self.preamble.push('\n');
        }
        self.preamble.push_str(text);
        self
    }

    /// `#define name value` before everything else.
    #[must_use]
    pub fn define(mut self, name: &str, value: impl Display) -> KernelSpec {
        self.defines.push((name.to_owned(), value.to_string()));
        self
    }

    /// Makes `name` the OpenCL type in which elements of `dtype` are stored, and defines `LOAD_name(p, i)` and
    /// `STORE_name(p, i, v)`, which convert f16 and bf16 from and to `float`. Where all types of a kernel are f16, or
    /// all are bf16, `LOAD` and `STORE` of [`super::PRIMITIVE_PREAMBLE`] do so, too (`NETCL_HALF` or `NETCL_BF16` is defined);
    /// beside other types they take elements as they are stored. `f64` enables `cl_khr_fp64`.
    #[must_use]
    pub fn dtype(mut self, name: &str, dtype: DType) -> KernelSpec {
        self.types.push((name.to_owned(), dtype));
        self
    }

    /// Enables arithmetic on `half` (`cl_khr_fp16`). Building then needs a device whose profile has
    /// [`crate::DeviceProfile::fp16`]; storing `half` needs neither.
    #[must_use]
    pub fn fp16(mut self) -> KernelSpec {
        self.fp16 = true;
        self
    }

    /// Lets the driver assume that there are no NaN and infinities, and reorder and approximate arithmetic
    /// (`-cl-fast-relaxed-math`).
    #[must_use]
    pub fn fast_math(mut self) -> KernelSpec {
        self.fast_math = true;
        self
    }

    /// Its numbers are the host's, as those of netcl's own kernels: it is built as they are.
    #[must_use]
    pub(super) fn exact(mut self) -> KernelSpec {
        self.exact = true;
        self
    }

    /// An option for `clBuildProgram`: `-cl-mad-enable`. OpenCL C 1.2 is asked for unless an option names another
    /// (`-cl-std=CL3.0`).
    ///
    /// `-Ifolder` is where files are that the text includes. A text with `#include` is built anew at each
    /// [`KernelSpec::build`] and is in no cache, because what it includes may have changed; so is one with an option that has
    /// a file read (`-include`).
    #[must_use]
    pub fn option(mut self, option: &str) -> KernelSpec {
        self.options.push(option.to_owned());
        self
    }

    /// Uses another rule for [`RawKernel::launch_over`] where nothing was measured.
    #[must_use]
    pub fn tuner(mut self, tuner: WorkGroupTuner) -> KernelSpec {
        self.tuner = tuner;
        self
    }

    /// The kernel's name.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text that is built.
    pub fn to_source(&self) -> String {
        let mut source = String::new();
        if self.fp16 {
            source.push_str("#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n");
        }
        if self.needs_double() {
            source.push_str("#pragma OPENCL EXTENSION cl_khr_fp64 : enable\n");
        }
        source.push_str(&element_macros(&self.types));
        for (name, value) in &self.defines {
            source.push_str(&format!("#define {name} {value}\n"));
        }
        if !self.preamble.is_empty() {
            source.push_str(self.preamble.trim_end_matches('\n'));
            source.push('\n');
        }
        match &self.text {
            Text::Source(text) => source.push_str(text),
            Text::Body(body) => {
                source.push_str(&format!("__kernel void {}({}) {{\n", self.name, self.parameters.join(", ")));
                source.push_str(body.trim_end_matches('\n'));
                source.push_str("\n}\n");
            }
        }
        source
    }

    fn needs_double(&self) -> bool {
        self.types.iter().any(|(_, dtype)| *dtype == DType::F64)
            || self.defines.iter().any(|(_, value)| value == "double")
    }

    /// The options that it is built with. Those from an expression ([`super::PrimitiveBuilder`]) are built with more:
    /// `-cl-fp32-correctly-rounded-divide-sqrt` on devices that have it ([`crate::DeviceProfile::rounded_division`]), and
    /// `-cl-opt-disable` on those whose drivers optimize wrongly ([`crate::Avoid::Optimizations`]).
    pub fn build_options(&self) -> String {
        let mut options = Vec::new();
        if !self.options.iter().any(|option| option.contains("-cl-std=")) {
            options.push("-cl-std=CL1.2");
        }
        options.push("-cl-kernel-arg-info");
        if self.fast_math {
            options.push("-cl-fast-relaxed-math");
        }
        options.extend(self.options.iter().map(String::as_str));
        options.join(" ")
    }

    fn build_options_on(&self, profile: &DeviceProfile) -> String {
        let mut options = self.build_options();
        for (wanted, option) in [
            (profile.rounded_division && !self.fast_math, ROUNDED_DIVISION),
            (profile.avoids(Avoid::Optimizations), NOT_OPTIMIZED),
        ] {
            if wanted && self.exact {
                options.push(' ');
                options.push_str(option);
            }
        }
        options
    }

    /// Builds it for a device, or takes what was built before, in this process or an earlier one.
    ///
    /// # Errors
    ///
    /// [`Error::Unsupported`] if the device runs no OpenCL C, or lacks the `half` or `double` arithmetic that the spec
    /// asks for; [`Error::Build`] with the driver's log and the numbered source; [`Error::Kernel`] if the name is no
    /// name, the source has no such kernel, or none at all, a NUL character is in the source or the options, or the options
    /// end where an argument is expected (`-I`); [those of every device](crate::Error#errors-of-every-device).
    pub fn build(&self, device: &Device) -> Result<RawKernel> {
        let is_name = |name: &str| {
            name.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
                && name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        };
        if !is_name(&self.name) {
            let problem = "that is not a name in C: letters, digits and `_`, no digit first".to_owned();
            return Err(Error::Kernel { kernel: self.name.clone(), problem });
        }
        if matches!(self.text, Text::Source(_)) && !self.parameters.is_empty() {
            let problem = "it has a whole source, which has its own parameters; leave out `parameters`".to_owned();
            return Err(Error::Kernel { kernel: self.name.clone(), problem });
        }
        let (source, options) = (self.to_source(), self.build_options_on(device.profile()));
        if let Some((what, _)) =
            [("source has", &source), ("options have", &options)].iter().find(|(_, text)| text.contains('\0'))
        {
            let problem = format!("the {what} a NUL character, where a driver's text ends; leave it out");
            return Err(Error::Kernel { kernel: self.name.clone(), problem });
        }
        if let Some(option) = unfinished(&options) {
            let problem = format!(
                "the options end with `{option}`, which takes an argument; write it behind `{option}` or leave `{option}` out"
            );
            return Err(Error::Kernel { kernel: self.name.clone(), problem });
        }
        let unsupported = |problem: &str| Error::Unsupported {
            function: self.name.clone(),
            device: device.to_string(),
            problem: problem.to_owned(),
        };
        let Some(compiler) = device.backend().kernels() else {
            return Err(unsupported(
                "OpenCL C runs on OpenCL devices alone; use `Device::select(\"cpu\")` or another OpenCL device, or write \
                 the kernel with `netcl::kernel!` or as an expression for `netcl::algorithms::map`, which run everywhere",
            ));
        };
        if self.fp16 && !device.profile().fp16 {
            return Err(unsupported(
                "its kernels cannot compute with `half`; store it and compute with `float` through `vload_half` and \
                 `vstore_half` (`KernelSpec::dtype` without `fp16`)",
            ));
        }
        if self.needs_double() && !device.profile().fp64 {
            return Err(unsupported("its kernels cannot use `double`; use f32"));
        }
        if !may_have_kernels(&source) {
            let problem = "the source has no kernel: write `__kernel void name(..) { .. }`".to_owned();
            return Err(Error::Kernel { kernel: self.name.clone(), problem });
        }
        let kernel = compiler.kernel(KernelSource::of(&self.name, &source, &options))?;
        RawKernel::new(device, &self.name, self.tuner, source, &options, kernel)
    }
}

/// The option that the options end with, if it takes an argument, which then is missing. Drivers are not asked: PoCL crashes.
fn unfinished(options: &str) -> Option<&str> {
    const WITH_ARGUMENT: [&str; 12] = [
        "-D",
        "-I",
        "-U",
        "-Xclang",
        "-idirafter",
        "-imacros",
        "-include",
        "-include-pch",
        "-iquote",
        "-isystem",
        "-mllvm",
        "-x",
    ];
    let last = options.split_ascii_whitespace().next_back()?.trim_matches(['"', '\'']);
    WITH_ARGUMENT.contains(&last).then_some(last)
}

/// Whether the source names a kernel outside of comments, or includes a file that may. Drivers are not asked about other
/// sources: PoCL gives names of kernels that are not there, or crashes.
fn may_have_kernels(source: &str) -> bool {
    let (text, mut at) = (source.as_bytes(), 0);
    while at < text.len() {
        if let Some(end) = blank(text, at) {
            at = end;
            continue;
        }
        let starts_name = text[at] == b'_' || text[at].is_ascii_alphabetic();
        let name = text[at..].iter().take_while(|byte| starts_name && (**byte == b'_' || byte.is_ascii_alphanumeric()));
        let end = at + name.count();
        if matches!(&text[at..end], b"__kernel" | b"kernel" | b"include") {
            return true;
        }
        at = end.max(at + 1); // past a name, or a sign that begins none
    }
    false
}

/// What stands for types of elements: their names, and how they are read and written.
fn element_macros(types: &[(String, DType)]) -> String {
    let mut text = String::new();
    let all = |wanted| !types.is_empty() && types.iter().all(|(_, dtype)| *dtype == wanted);
    if all(DType::F16) {
        text.push_str("#define NETCL_HALF 1\n");
    }
    if all(DType::BF16) {
        text.push_str("#define NETCL_BF16 1\n");
    }
    if types.iter().any(|(_, dtype)| *dtype == DType::BF16) {
        text.push_str(&bf16_from_float());
    }
    for (name, dtype) in types {
        let (load, store) = match dtype {
            DType::F16 => ("vload_half((i), (p))", "vstore_half((v), (i), (p))"),
            DType::BF16 => ("as_float((uint)(p)[i] << 16)", "((p)[i] = netcl_bf16_from_float(v))"),
            _ => ("((p)[i])", "((p)[i] = (v))"),
        };
        text.push_str(&format!("#define {name} {}\n", storage_type(*dtype)));
        text.push_str(&format!("#define LOAD_{name}(p, i) {load}\n#define STORE_{name}(p, i, v) {store}\n"));
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::{DeviceKind, Vendor};
    use netcl_hal::device::quirks;
    use netcl_kernels::plan::Target;

    #[test]
    fn the_source_is_put_together_in_order() {
        let spec = KernelSpec::new("f")
            .fp16()
            .dtype("REAL", DType::F16)
            .define("TILE", 16)
            .preamble("// one")
            .preamble("// two\n")
            .parameters(["__global REAL* x", "uint n"])
            .body("x[0] = n;");
        let expected = "#pragma OPENCL EXTENSION cl_khr_fp16 : enable\n#define NETCL_HALF 1\n#define REAL half\n\
                        #define LOAD_REAL(p, i) vload_half((i), (p))\n\
                        #define STORE_REAL(p, i, v) vstore_half((v), (i), (p))\n#define TILE 16\n// one\n// two\n__kernel void f(__global REAL* x, uint n) {\nx[0] = n;\n}\n";
        assert_eq!(spec.to_source(), expected);
    }

    #[test]
    fn options_name_the_language_once() {
        let spec = KernelSpec::new("f");
        assert_eq!(spec.build_options(), "-cl-std=CL1.2 -cl-kernel-arg-info");
        let spec = spec.option("-cl-std=CL3.0").fast_math();
        assert_eq!(spec.build_options(), "-cl-kernel-arg-info -cl-fast-relaxed-math -cl-std=CL3.0");
    }

    #[test]
    fn what_an_expression_computes_is_built_as_netcls_own_kernels() {
        let mut profile = DeviceProfile::unknown("device", DeviceKind::Gpu, Target::Gpu);
        let spec = KernelSpec::new("f").exact();
        assert_eq!(spec.build_options_on(&profile), spec.build_options());
        profile.rounded_division = true;
        assert!(spec.build_options_on(&profile).ends_with(" -cl-fp32-correctly-rounded-divide-sqrt"));
        for other in [KernelSpec::new("f"), spec.clone().fast_math()] {
            assert_eq!(other.build_options_on(&profile), other.build_options());
        }
        profile.quirks = quirks::of(Vendor::Oclgrind, "Oclgrind 21.10");
        assert!(spec.build_options_on(&profile).ends_with("-cl-opt-disable"));
        assert!(spec.fast_math().build_options_on(&profile).ends_with("-cl-fast-relaxed-math -cl-opt-disable"));
        let own = KernelSpec::new("f");
        assert_eq!(own.build_options_on(&profile), own.build_options());
    }

    #[test]
    fn kernels_are_looked_for_outside_of_comments() {
        for source in
            ["", " \n", "// __kernel", "/* kernel void f() */ int x;", "int kernels;", "/", "/* kernel", "é#_"]
        {
            assert!(!may_have_kernels(source), "{source}");
        }
        for source in
            ["__kernel void f() {}", "kernel\nvoid f() {}", "// none\n/**/kernel", "#include \"f.cl\"", "a/kernel"]
        {
            assert!(may_have_kernels(source), "{source}");
        }
    }

    #[test]
    fn what_cannot_be_built_is_an_error() {
        let host = Device::host();
        let text = KernelSpec::new("f").build(&host).err().unwrap().to_string();
        assert!(text.contains("OpenCL devices alone") && text.contains("netcl::kernel!"), "{text}");
        let text = KernelSpec::new("f g").build(&host).err().unwrap().to_string();
        assert!(text.contains("not a name in C"), "{text}");
        let text = KernelSpec::from_source("f", "").parameters(["int a"]).build(&host).err().unwrap().to_string();
        assert!(text.contains("leave out `parameters`"), "{text}");
        let text = KernelSpec::new("f").option("-D A\0").build(&host).err().unwrap().to_string();
        assert!(text.contains("the options have a NUL character"), "{text}");
        for (options, last) in
            [("-I", "-I"), ("-D", "-D"), ("-I ", "-I"), ("-Werror -I\t", "-I"), ("\"-include\"", "-include")]
        {
            let text = KernelSpec::new("f").option(options).build(&host).err().unwrap().to_string();
            assert!(text.contains(&format!("the options end with `{last}`, which takes an argument")), "{text}");
        }
        assert_eq!(unfinished("-cl-std=CL1.2 -I folder -D A -Ia -DB=1"), None);
        let text = KernelSpec::new("f").body("/*\0*/").build(&host).err().unwrap().to_string();
        assert!(text.contains("the source has a NUL character"), "{text}");
    }
}
