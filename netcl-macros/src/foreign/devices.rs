//! What OpenCL and CUDA call what kernels in SIMT form have.

/// OpenCL's and CUDA's own functions. Nobody gives a function of scalars such a name: they are known to mean these.
pub(crate) const DEVICES: &[(&str, &str)] = &[
    ("get_global_id", "global_id(0)"),
    ("get_local_id", "local_id(0)"),
    ("get_group_id", "group_id(0)"),
    ("get_global_size", "global_size(0)"),
    ("get_local_size", "local_size(0)"),
    ("get_num_groups", "num_groups(0)"),
    ("work_group_barrier", "barrier()"),
    ("mem_fence", "barrier()"),
    ("threadgroup_barrier", "barrier()"),
    ("__syncthreads", "barrier()"),
    ("__threadfence_block", "barrier()"),
    ("atomic_inc", "atomic_add(&mut y[i], 1)"),
    ("atomicAdd", "atomic_add(&mut y[i], value)"),
    ("atomicMax", "atomic_max(&mut y[i], value)"),
    ("atomicMin", "atomic_min(&mut y[i], value)"),
    ("native_exp", "exp(x)"),
    ("native_log", "log(x)"),
    ("native_sqrt", "sqrt(x)"),
    ("native_rsqrt", "rsqrt(x)"),
    ("native_sin", "sin(x)"),
    ("native_cos", "cos(x)"),
    ("native_tanh", "tanh(x)"),
    ("__expf", "exp(x)"),
    ("expf", "exp(x)"),
    ("exp2f", "exp2(x)"),
    ("expm1f", "expm1(x)"),
    ("logf", "log(x)"),
    ("__logf", "log(x)"),
    ("log2f", "log2(x)"),
    ("log1pf", "log1p(x)"),
    ("sqrtf", "sqrt(x)"),
    ("rsqrtf", "rsqrt(x)"),
    ("sinf", "sin(x)"),
    ("cosf", "cos(x)"),
    ("tanf", "tan(x)"),
    ("tanhf", "tanh(x)"),
    ("erff", "erf(x)"),
    ("floorf", "floor(x)"),
    ("ceilf", "ceil(x)"),
    ("fabs", "abs(x)"),
    ("fabsf", "abs(x)"),
    ("fmax", "max(a, b)"),
    ("fmaxf", "max(a, b)"),
    ("fmin", "min(a, b)"),
    ("fminf", "min(a, b)"),
    ("fmod", "a % b"),
    ("fmodf", "a % b"),
    ("fma", "a.mul_add(b, c)"),
    ("fmaf", "a.mul_add(b, c)"),
    ("convert_float", "x as f32"),
    ("convert_int", "x as i32"),
    ("convert_uint", "x as u32"),
    ("vload4", "x.load4(4 * i)"),
    ("vstore4", "y.store4(4 * i, v)"),
    ("sub_group_reduce_add", "sub_group_add(x)"),
    ("sub_group_reduce_max", "sub_group_max(x)"),
    ("__shfl_xor_sync", "sub_group_shuffle_xor(x, 1)"),
];

/// CUDA's variables.
pub(crate) const VARIABLES: &[(&str, &str)] = &[
    ("threadIdx", "local_id(0)"),
    ("blockIdx", "group_id(0)"),
    ("blockDim", "local_size(0)"),
    ("gridDim", "num_groups(0)"),
];

/// What others call arrays of a work-group.
const ARRAYS: [(&str, &str); 3] = [("shared", "local"), ("__shared__", "local"), ("threadgroup", "local")];

/// What a kernel in SIMT form writes for a function of OpenCL or CUDA.
pub(crate) fn device(name: &str) -> Option<&'static str> {
    super::within(DEVICES, name)
}

/// The same of the arguments `a`, `b` and `c`, or `x` of one, where so many are given.
pub(crate) fn device_of(here: &str, args: &[String]) -> String {
    let place = |word: &str| match word {
        "x" | "a" | "0" => Some(0),
        "b" => Some(1),
        "c" => Some(2),
        _ => None,
    };
    let words = || here.split(|c: char| !c.is_alphanumeric() && c != '_').filter(|word| word.len() == 1);
    let letters = words().filter(|word| word.starts_with(char::is_alphabetic));
    if letters.map(place).any(|place| place.is_none_or(|place| place >= args.len())) {
        return here.to_string();
    }
    let mut filled = String::new();
    for word in here.split_inclusive(|c: char| !c.is_alphanumeric() && c != '_') {
        let (name, rest) = match word.char_indices().last() {
            Some((last, c)) if !c.is_alphanumeric() && c != '_' => word.split_at(last),
            _ => (word, ""),
        };
        filled.push_str(place(name).and_then(|place| args.get(place)).map_or(name, String::as_str));
        filled.push_str(rest);
    }
    filled
}

/// What a kernel in SIMT form writes for a variable of CUDA.
pub(crate) fn variable(name: &str) -> Option<&'static str> {
    super::within(VARIABLES, name)
}

/// The macro that makes an array which is called so elsewhere.
pub(crate) fn array(name: &str) -> Option<&'static str> {
    super::within(&ARRAYS, name)
}
