//! What is known to fail, on which device, and why. A case listed here that passes is a failure. And what is left out, because it is
//! chance whether it fails.

use netcl::DeviceProfile;

/// Sums of so many terms. What is behind the loop is left undone with it, so that the result is what was in its memory before.
const ENDS_LOOPS: &str = "llvmpipe ends loops after 65,535 rounds";

/// (part of the platform's or device's name, part of the case's name, reason).
const EXCEPTIONS: &[(&str, &str, &str)] = &[(
    "rusticl",
    "algorithms::random",
    "Mesa 22.3 keeps no signs of zeros: the magnitude of the logarithm of 1 is -0.0, and with it a normal number",
)];

/// The same of what is not run.
const LEFT_OUT: &[(&str, &str, &str)] = &[
    ("llvmpipe", "floats::long sums of sizes", ENDS_LOOPS),
    ("llvmpipe", "long sums::a product of", ENDS_LOOPS),
    ("llvmpipe", "long sums::by matmul_naive", ENDS_LOOPS),
    ("llvmpipe", "long sums::by matmul_tiled", ENDS_LOOPS),
    ("llvmpipe", "long sums::by matmul_vectorized", ENDS_LOOPS),
    ("llvmpipe", "long sums::by conv2d_naive", ENDS_LOOPS),
    // A matrix is a work-item's, with all rotations of its decompositions.
    ("llvmpipe", "linalg::33 by 33", ENDS_LOOPS),
    ("llvmpipe", "variants::matmul_mma, long sums of", ENDS_LOOPS),
    ("llvmpipe", "variants::matmul_mma in 4 parts, long sums of", ENDS_LOOPS),
    ("llvmpipe", "variants::matmul_mma, aligned 1x136x72x9000 of", ENDS_LOOPS),
];

/// Why `case` is expected to fail on the device, if it is.
pub(crate) fn reason(profile: &DeviceProfile, case: &str) -> Option<&'static str> {
    find(EXCEPTIONS, profile, case)
}

/// Why `case` is not run on the device, if it is not.
pub(crate) fn left_out(profile: &DeviceProfile, case: &str) -> Option<&'static str> {
    find(LEFT_OUT, profile, case)
}

fn find(table: &[(&str, &str, &'static str)], profile: &DeviceProfile, case: &str) -> Option<&'static str> {
    let on = |part: &str| profile.name.contains(part) || profile.platform.contains(part);
    table.iter().find(|(device, name, _)| on(device) && case.contains(name)).map(|(_, _, reason)| *reason)
}
