//! The operations of the table as methods of tensors.
//!
//! Written from the tables in `kernels/src/ops` by `NETCL_BLESS=1 cargo test -p netcl-kernels`; do not edit.

use super::arguments::{argument, called, methods, parameter};

methods! {
    // Arithmetic
    #[doc(alias("elementwise_binary", "bias_add"))]
    "`x + other`" add(other: operand);
    "`x - other`" sub(other: operand);
    "`x * other`, elementwise" mul(other: operand);
    "`x / other`; integers round toward zero, and a division by zero gives zero" div(other: operand);
    "the remainder of `x / other` rounded toward zero; it has the sign of `x`" rem(other: operand);
    "`x ^ exponent` of floats; NaN where `x` is negative and the exponent is not whole" pow(exponent: operand);
    "the larger of the two; NaN if either is NaN" maximum(other: operand);
    "the smaller of the two; NaN if either is NaN" minimum(other: operand);
    "the angle of the point `(other, x)` in radians, in `[-pi, pi]`" atan2(other: operand);
    "`-x`" neg();
    "`|x|`" abs();
    "-1, 0 or 1; NaN of NaN" sign();
    "`e^x`" exp();
    "`2^x`" exp2();
    "natural logarithm; NaN below zero" log();
    "logarithm to base 2; NaN below zero" log2();
    "`log(1 + x)`, exact near zero" log1p();
    "`e^x - 1`, exact near zero" expm1();
    "square root; NaN below zero" sqrt();
    "`1 / sqrt(x)`" rsqrt();
    "`x * x`" square();
    "`1 / x`" recip();
    "sine of radians" sin();
    "cosine of radians" cos();
    "tangent of radians" tan();
    "the error function, `2/sqrt(pi) * integral of e^(-t^2) from 0 to x`" erf();
    "the nearest whole number toward -inf; its gradient is zero" floor();
    "the nearest whole number toward +inf; its gradient is zero" ceil();
    "the nearest whole number, halves to even; its gradient is zero" round();
    "`min(max(x, min), max)`; NaN stays NaN. Bounds that are numbers have no gradient but where `grad` asks for it, nor has `x` where it equals one" clamp(min: operand, max: operand);
    "`x + weight * (other - x)` of floats" lerp(other: operand, weight: operand);
    "whether `x == other`, as bool; false if either is NaN" eq(other: operand);
    "whether `x != other`, as bool; true if either is NaN" ne(other: operand);
    "whether `x < other`, as bool; false if either is NaN" lt(other: operand);
    "whether `x <= other`, as bool; false if either is NaN" le(other: operand);
    "whether `x > other`, as bool; false if either is NaN" gt(other: operand);
    "whether `x >= other`, as bool; false if either is NaN" ge(other: operand);
    "`x & other`: logical of bools, bitwise of integers" and(other: operand);
    "`x | other`: logical of bools, bitwise of integers" or(other: operand);
    "`x ^ other`: logical of bools, bitwise of integers" xor(other: operand);
    "`x << other`, bits of integers; the distance is taken modulo the width, as in OpenCL C" shl(other: operand);
    "`x >> other`, bits of integers, signed ones keep their sign; the distance is taken modulo the width" shr(other: operand);
    "`!x`: logical of bools, bitwise of integers" not();
    "whether `x` is NaN, as bool" is_nan();
    "whether `x` is neither infinite nor NaN, as bool" is_finite();
    "`then` where the bool tensor is true, else `otherwise`; all three broadcast. What is not chosen has no gradient, even where its derivative is infinite or NaN (PyTorch's `where` gives NaN there)" select(then: operand, otherwise: operand);
    "the same values as another element type; float to integer truncates toward zero and saturates" cast(dtype: dtype);
    // Elementary functions
    "the whole number next to `x` toward zero; its gradient is zero" trunc();
    "`x - trunc(x)`, with the sign of `x`" fract();
    "logarithm to base 10; NaN below zero" log10();
    "the cube root, also of negative numbers" cbrt();
    "hyperbolic sine" sinh();
    "hyperbolic cosine" cosh();
    "the angle in `[-pi/2, pi/2]` whose sine is `x`; NaN beyond `[-1, 1]`" asin();
    "the angle in `[0, pi]` whose cosine is `x`; NaN beyond `[-1, 1]`" acos();
    "the angle in `[-pi/2, pi/2]` whose tangent is `x`" atan();
    "inverse hyperbolic sine" asinh();
    "inverse hyperbolic cosine; NaN below 1" acosh();
    "inverse hyperbolic tangent; NaN beyond `[-1, 1]`" atanh();
    "radians as degrees" to_degrees();
    "degrees as radians" to_radians();
    "`sqrt(x^2 + other^2)`, whose squares do not overflow; its gradient at `(0, 0)` is zero" hypot(other: operand);
    "`|x|` with the sign that `other` is written with; NaN counts as positive" copysign(other: operand);
    "`log(e^x + e^other)`, without overflow" logaddexp(other: operand);
    "`x * log(other)`, and 0 where `x` is 0 and `other` is not NaN, with the gradient `log(other)` in `x` if that is finite" xlogy(other: operand);
    "`log(x / (1 - x))`, the inverse of `sigmoid`; NaN beyond `[0, 1]`" logit();
    "`sin(pi x) / (pi x)`, and 1 at 0" sinc();
    "the remainder of `x / other` that is not negative, of integers too" rem_euclid(other: operand);
    "the quotient that leaves `rem_euclid`, of integers too" div_euclid(other: operand);
    "`x - other * floor(x / other)`, which has the sign of `other` (Python's `%`), of integers too" remainder(other: operand);
    "`floor(x / other)` (Python's `//`), of integers too; its gradient is zero" floor_divide(other: operand);
    "whether `x` is infinite, as bool" is_infinite();
    "whether `x` is written with a minus, as -0 is, as bool; NaN counts as positive" is_sign_negative();
    "the opposite of `is_sign_negative`" is_sign_positive();
    // Activations
    "`max(x, 0)`; NaN stays NaN, the gradient at 0 is 0" relu();
    "`min(max(x, 0), 6)`" relu6();
    "`x` above zero, `slope * x` below" leaky_relu(slope: operand);
    "`x` above zero, `slope * x` below, the slope a tensor that broadcasts" prelu(slope: operand);
    "`x * Phi(x) = x/2 * (1 + erf(x / sqrt(2)))`, exact" gelu();
    "`x/2 * (1 + tanh(sqrt(2/pi) * (x + 0.044715 * x^3)))`, an approximation of `gelu`" gelu_tanh();
    "`x * sigmoid(x)`, also called swish" silu();
    "`1 / (1 + e^-x)`" sigmoid();
    "`log(sigmoid(x)) = min(x, 0) - log(1 + e^-|x|)`" log_sigmoid();
    "hyperbolic tangent" tanh();
    "`log(1 + e^x) = max(x, 0) + log(1 + e^-|x|)`" softplus();
    "`x` above zero, `alpha * (e^x - 1)` below" elu(alpha: number);
    "`x` above zero, `alpha * (e^(x/alpha) - 1)` below" celu(alpha: number);
    "`1.0507 * elu(x, 1.67326)`: keeps mean 0 and variance 1 (Klambauer et al. 2017)" selu();
    "`clamp(x/6 + 1/2, 0, 1)`" hard_sigmoid();
    "`x * hard_sigmoid(x)`" hard_swish();
    "`clamp(x, -1, 1)`" hard_tanh();
    "`x * tanh(softplus(x))`" mish();
    "`x / (1 + |x|)`" softsign();
    "`x` above `threshold`, else `value`" threshold(threshold: operand, value: operand);
    "`x` where `|x|` is above `lambda`, else 0" hard_shrink(lambda: operand);
    "`x` moved by `lambda` toward 0, and 0 where it would cross it" soft_shrink(lambda: operand);
    "`x - tanh(x)`" tanh_shrink();
    // Reductions
    #[doc(alias("reduce_sum"))]
    "the sum over `axes`; of u8 as i32, other integers wrap" sum(axes: integers);
    "`sum`, the axes kept with size 1" sum_keepdim(axes: integers);
    "the sum of all elements; of u8 as i32, other integers wrap" sum_all();
    "the mean of floats over `axes`; NaN over no elements" mean(axes: integers);
    "`mean`, the axes kept with size 1" mean_keepdim(axes: integers);
    "the mean of all elements" mean_all();
    "the product over `axes`; of u8 as i32, other integers wrap" prod(axes: integers);
    "the largest element over `axes`; NaN if there is one, -inf over no elements; of equal ones the first has the gradient" max(axes: integers);
    "`max`, the axes kept with size 1" max_keepdim(axes: integers);
    "the largest of all elements" max_all();
    "the smallest element over `axes`; NaN if there is one, +inf over no elements; of equal ones the first has the gradient" min(axes: integers);
    "`min`, the axes kept with size 1" min_keepdim(axes: integers);
    "the smallest of all elements" min_all();
    "`sum((x - mean)^2) / (n - correction)` over `axes`: correction 1 for a sample, 0 for a population" var(axes: integers, correction: integer);
    "`sqrt(var)`; where the variance is 0 the gradient is 0" std(axes: integers, correction: integer);
    "the first position of the largest element along `axis`, or of a NaN if there is one, as i32" argmax(axis: integer);
    "the first position of the smallest element along `axis`, or of a NaN if there is one, as i32" argmin(axis: integer);
    "`log(sum(e^x))` over `axes`, without overflow" logsumexp(axes: integers);
    "whether a bool tensor holds a `true` along `axes`" any(axes: integers);
    "whether a bool tensor holds `true` alone along `axes`" all(axes: integers);
    // Norms
    "`sum(|x|^p)^(1/p)` over `axes`, for `p` infinite the largest `|x|`; where it is 0 the gradient is 0" norm(axes: integers, p: number);
    "`x / max(norm(x), 1e-12)` of the vectors along `axis`, by their Euclidean norms" normalize(axis: integer);
    "the cosine of the angle between the vectors along `axis`, whose norms count as at least 1e-8" cosine_similarity(other: operand, axis: integer);
    // Running totals
    "the sum of the elements up to each along `axis`; of u8 as i32, other integers wrap" cumsum(axis: integer);
    "the product of the elements up to each along `axis`; of u8 as i32, other integers wrap" cumprod(axis: integer);
    "the largest element up to each along `axis`; NaN from the first one on; of equal ones the first has the gradient" cummax(axis: integer);
    "the smallest element up to each along `axis`; NaN from the first one on; of equal ones the first has the gradient" cummin(axis: integer);
    "`log(sum(e^x))` of the elements up to each along `axis`, without overflow" logcumsumexp(axis: integer);
    // Softmax
    "`e^x / sum(e^x)` along `axis`, without overflow" softmax(axis: integer);
    "`x - log(sum(e^x))` along `axis`, without overflow" log_softmax(axis: integer);
    // Shapes
    "the axes from `from` on as one: `[n, c, h, w]` from 1 gives `[n, c*h*w]`" flatten(from: integer);
    "the axes in another order: axis `k` of the result is axis `axes[k]` of `x`" permute(axes: integers);
    "two axes exchanged" transpose(first: integer, second: integer);
    "the last two axes exchanged: the transpose of a matrix" t();
    "`x` repeated to the shape `sizes`: missing leading axes and axes of size 1 stretch" broadcast_to(sizes: integers);
    "`x` without `axis`, which must have size 1" squeeze(axis: integer);
    "`x` with a new axis of size 1 at `axis`" unsqueeze(axis: integer);
    "the elements `start..start + length` along `axis`; in an annotated function `start` may be a `u32` or `i32` of each call, where what is out of range is zeros, without a gradient" narrow(axis: integer, start: integer, length: integer);
    "the elements at `position` along `axis`, which disappears; a number of each call as of `narrow`" get(axis: integer, position: integer);
    "the elements in reverse order along `axes`" flip(axes: integers);
    "`before` and `after` elements of `value` added around `axis`" pad(axis: integer, before: integer, after: integer, value: operand);
    "`x` and `others` one after the other along `axis`" concat(others: tensors, axis: integer);
    "`x` and `others`, all of one shape, along a new axis at `axis`" stack(others: tensors, axis: integer);
    // Rearranging
    "the elements `start`, `start + step`, ... before `end` along `axis`" slice(axis: integer, start: integer, end: integer, step: integer);
    "windows of `size` elements along `axis`, one every `step`, their elements on a new last axis: `[.., n, ..] -> [.., floor((n - size) / step) + 1, .., size]`" unfold(axis: integer, size: integer, step: integer);
    "the elements `x[.., i, .., i + offset, ..]` of axes `first` and `second`, on a new last axis" diagonal(offset: integer, first: integer, second: integer);
    "the sum of the main diagonal of each matrix `[.., m, n]`" trace();
    "axis `from` at place `to`, the others in their order" movedim(from: integer, to: integer);
    "the elements moved by `shift` places along `axis`, to higher positions if positive; those that leave one end enter at the other; a number of each call as of `narrow`; an axis whose size is a symbol has at least so many" roll(shift: integer, axis: integer);
    "`count` copies of `x` one after the other along `axis`" repeat(axis: integer, count: integer);
    "`counts` copies of `x` one after the other along each axis; of more counts than axes the first are for new ones" tile(counts: integers);
    "each element `count` times along `axis`, its copies side by side" repeat_interleave(axis: integer, count: integer);
    "`before` and `after` elements around `axis` as in a mirror at its first and last element, which are not repeated" pad_reflect(axis: integer, before: integer, after: integer);
    "`before` copies of the first element and `after` of the last around `axis`" pad_replicate(axis: integer, before: integer, after: integer);
    "the last `before` elements before `axis`, and its first `after` behind it" pad_circular(axis: integer, before: integer, after: integer);
    "`x[i] * other[j]`: `[m]`, `[n] -> [m, n]`" outer(other: operand);
    "the sum of `x[i] * other[i]`: `[n]`, `[n] -> []`" dot(other: operand);
    // Indexing
    "rows by number: `x [r, rest..]`, `indices [i..]` (u32 or i32), `-> [i.., rest..]`; a number out of range gives zeros and no gradient" gather(indices: operand);
    "the elements at `indices [i]` along `axis`, whose size becomes `i`; as `gather` otherwise" index_select(axis: integer, indices: operand);
    "of each row of `indices [n, l]` (u32 or i32) the rows `x [r, d]` that it names as one: their `\"sum\"`, `\"mean\"` or `\"max\"`, as `mode` says; `-> [n, d]`, a number out of range being a row of zeros" embedding_bag(indices: operand, mode: text);
    "`[..]` numbers (u32 or i32) as `[.., classes]` f32 rows: 1 at the number, else 0; a number out of range gives a row of zeros" one_hot(classes: integer);
    "`value` where the bool `mask` is true, else `x`" masked_fill(mask: operand, value: operand);
    "`x [.., m, n]` with zeros above diagonal `diagonal` (0 is the main one, positive is right of it)" tril(diagonal: integer);
    "`x [.., m, n]` with zeros below diagonal `diagonal` (0 is the main one, positive is right of it)" triu(diagonal: integer);
    // Positions along an axis
    "the elements `x[.., indices[.., i, ..], ..]` along `axis`, of indices (u32 or i32) with the other axes of `x`: PyTorch's `gather`; a number out of range gives zero and no gradient" take_along_axis(indices: operand, axis: integer);
    "`x` with each element of `source` added at position `indices[.., i, ..]` along `axis`, indices (u32 or i32) with the other axes of `x`; what is out of range is left out" scatter_add(axis: integer, indices: operand, source: operand);
    "`x` with the parts of `source` along `axis` added at positions `indices [i]` (u32 or i32); what is out of range is left out" index_add(axis: integer, indices: operand, source: operand);
    // Order and search
    "the elements along `axis` in order, equal ones as they stood: the smallest first, or the largest if `descending`; NaN is larger than any number" sort(axis: integer, descending: truth);
    "the positions along `axis` of the elements of `sort`, as i32" argsort(axis: integer, descending: truth);
    "the `k` largest elements along `axis`, the largest first; NaN is larger than any number" topk(k: integer, axis: integer);
    "the positions along `axis` of the elements of `topk`, as i32" topk_indices(k: integer, axis: integer);
    "the `k`th smallest element along `axis`, counted from 1; NaN is larger than any number" kthvalue(k: integer, axis: integer);
    "the middle element along `axis`, of an even number the smaller one of two; NaN if there is one" median(axis: integer);
    "what the part `q` of the floats along `axis` is below: between two of them in proportion; NaN if there is one" quantile(q: number, axis: integer);
    "where `values` go into `sorted [.., n]` and leave it in order, as i32: before elements that are equal, behind them if `right`. `sorted [n]` takes values of any shape, `sorted [.., n]` values `[.., m]`" searchsorted(values: operand, right: truth);
    "the number of the bucket that each element is in, as i32: how many of the sorted `boundaries [n]` are smaller, or no larger if `right`" bucketize(boundaries: operand, right: truth);
    "how many of all the floats are in each of `bins` equal parts of `min..max`, `max` in the last, as i32 `[bins]`" histogram(bins: integer, min: number, max: number);
    "how often each of the numbers below `bins` is among all elements (u32 or i32), as i32 `[bins]`" bincount(bins: integer);
    // Products
    #[doc(alias("build_matmul_kernel"))]
    "the matrix product `[.., m, k] x [.., k, n] -> [.., m, n]` of floats; leading axes broadcast" matmul(other: operand);
    "`x . weight + bias`: `x [.., inputs]`, `weight [inputs, outputs]`, `bias [outputs]`" linear(weight: operand, bias: operand);
    // Sums of products
    "the sum of products that `equation` says: letters for the axes of `x` and `others`, then of the result, as in `\"bij,bjk->bik\"`; letters that the result lacks are summed over, `...` are axes without letters, which broadcast, and without `->` the result has the letters that stand once, by the alphabet" einsum(equation: text, others: tensors);
    // Linear algebra
    "the lower triangular `l` with `l . l^T = (a + a^T) / 2`, `a [.., n, n]`; of a matrix that is not positive definite all is NaN" cholesky();
    "`x` of `a . x = b`, of `a [.., n, n]` with the lower triangle alone or, if `upper`, the upper one, and `b [.., n, m]`; leading axes broadcast. Zeros on the diagonal divide" solve_triangular(b: operand, upper: truth);
    "`x` of `a . x = b`, `a [.., n, n]`, `b [.., n, m]` or `[n]`; leading axes broadcast. Of a singular matrix it is NaN" solve(b: operand);
    "the inverse of `a [.., n, n]`; of a singular matrix it is NaN" inv();
    "the determinant of `a [.., n, n]`; its gradient is NaN where it is 0" det();
    "the logarithm of `|det|` of `a [.., n, n]`, without overflow: -inf of a singular matrix" logabsdet();
    "the sign of `det` of `a [.., n, n]`: -1, 0 or 1" det_sign();
    "the `x` with the least `|a . x - b|`, of `a [.., m, n]` that is no wider than high and has independent columns, and `b [.., m, k]`; leading axes broadcast" lstsq(b: operand);
    "`q` of `qr`" qr_q();
    "`r` of `qr`" qr_r();
    "the eigenvalues of `(a + a^T) / 2`, `a [.., n, n]`, the smallest first: `[.., n]`" eigvalsh();
    "the vectors of `eigh`" eigh_vectors();
    "`u` of `svd`" svd_u();
    "the singular values of `a [.., m, n]`, the largest first: `[.., min(m, n)]`" svdvals();
    "`vh` of `svd`" svd_vh();
    "`a . a . ..`, `power` times, `a [.., n, n]`; of a negative `power` the same of the inverse, and of 0 the identity" matrix_power(power: integer);
    "the vector product of three elements along `axis`; other axes broadcast" cross(other: operand, axis: integer);
    "Kronecker's product: `other` times each element of `x`, side by side along every axis" kron(other: operand);
    "the sign of `det` of `a [.., n, n]`, and the logarithm of `|det|`" slogdet() = det_sign, logabsdet;
    "`q [.., m, k]` with orthonormal columns and the upper triangular `r [.., k, n]`, `k = min(m, n)`, whose product is `a [.., m, n]`. It has a gradient where the first `k` columns are independent" qr() = qr_q, qr_r;
    "the eigenvalues `[.., n]` of `(a + a^T) / 2`, `a [.., n, n]`, the smallest first, and vectors of length 1 as the columns of `[.., n, n]`, of each of which the largest element is positive. The gradient of vectors is NaN or infinite where eigenvalues are equal" eigh() = eigvalsh, eigh_vectors;
    "`u [.., m, k]`, the singular values `[.., k]`, the largest first, and `vh [.., k, n]`, `k = min(m, n)`, with `a = u . diag(s) . vh`; the largest element of each column of `u` is positive. The gradient of `u` and `vh` is NaN or infinite where singular values are equal, or 0" svd() = svd_u, svdvals, svd_vh;
    // Fourier transforms
    "the discrete Fourier transform along `axis`, `y[k] = sum of x[j] e^(-2 pi i j k / n)`, of complex numbers: their real and imaginary parts are a last axis of 2, which `axis` counts. `n` is a number that is known, the cheapest have no prime factor beyond 13" fft(axis: integer);
    "the inverse of `fft` along `axis`: `x[j] = sum of y[k] e^(2 pi i j k / n) / n`" ifft(axis: integer);
    "the frequencies `0..=n/2` of the `fft` along `axis` of real numbers, which are all that differ: `[.., n, ..] -> [.., floor(n/2) + 1, .., 2]`" rfft(axis: integer);
    "the `n` real numbers along `axis` whose `rfft` is `x`, `[.., floor(n/2) + 1, .., 2] -> [.., n, ..]`; imaginary parts that such a transform has not, of the first frequency and of `n/2`, count as 0" irfft(n: integer, axis: integer);
    "the `fft` along both axes of `x [.., m, n, 2]`" fft2();
    "the inverse of `fft2`" ifft2();
    "the `rfft` along the last axis of `x [.., m, n]`, and the `fft` along the other: `-> [.., m, floor(n/2) + 1, 2]`" rfft2();
    "the image `[.., m, n]` whose `rfft2` is `x [.., m, floor(n/2) + 1, 2]`" irfft2(n: integer);
    "the frequencies along `axis` in rising order, from `-floor(n/2)` on: moved by `floor(n/2)` places, as `roll` does" fftshift(axis: integer);
    "the inverse of `fftshift`" ifftshift(axis: integer);
    "the product of complex numbers, whose parts are a last axis of 2" complex_mul(other: operand);
    // Convolution and pooling
    "cross-correlation of `x [n, c, h, w]` with `weight [o, c/groups, kh, kw]`; stride, padding and dilation are one integer or `[height, width]`; `-> [n, o, oh, ow]`, `oh = floor((h + 2 padding - dilation (kh - 1) - 1) / stride) + 1`" conv2d(weight: operand, stride: integers, padding: integers, dilation: integers, groups: integer);
    "the largest element of each window of `x [n, c, h, w]`; padding counts as -inf, NaN wins; sizes as in `conv2d`" max_pool2d(kernel: integers, stride: integers, padding: integers, dilation: integers);
    "the mean of each window of `x [n, c, h, w]`; padding counts as zeros; sizes as in `conv2d`" avg_pool2d(kernel: integers, stride: integers, padding: integers);
    // Convolution and pooling along one axis
    "cross-correlation of `x [n, c, l]` with `weight [o, c/groups, k]`: `-> [n, o, ol]`, sizes as in `conv2d`" conv1d(weight: operand, stride: integer, padding: integer, dilation: integer, groups: integer);
    "the largest element of each window of `x [n, c, l]`; padding counts as -inf, NaN wins; sizes as in `conv2d`" max_pool1d(kernel: integer, stride: integer, padding: integer, dilation: integer);
    "the mean of each window of `x [n, c, l]`; padding counts as zeros; sizes as in `conv2d`" avg_pool1d(kernel: integer, stride: integer, padding: integer);
    // Convolution over volumes
    "cross-correlation of `x [n, c, d, h, w]` with `weight [o, c/groups, kd, kh, kw]`; stride, padding and dilation are one integer or `[depth, height, width]`; `-> [n, o, od, oh, ow]`, sizes as in `conv2d`" conv3d(weight: operand, stride: integers, padding: integers, dilation: integers, groups: integer);
    // Transposed convolution
    "`conv_transpose2d` of `x [n, c, l]` with `weight [c, o/groups, k]`: `-> [n, o, ol]`" conv_transpose1d(weight: operand, stride: integer, padding: integer, output_padding: integer, dilation: integer, groups: integer);
    "what `conv2d` of the same weight has as its gradient: `x [n, c, h, w]`, `weight [c, o/groups, kh, kw]`; numbers are one integer or `[height, width]`; `-> [n, o, oh, ow]`, `oh = (h - 1) stride - 2 padding + dilation (kh - 1) + output_padding + 1`" conv_transpose2d(weight: operand, stride: integers, padding: integers, output_padding: integers, dilation: integers, groups: integer);
    // Images in other sizes
    "the means of `size` areas of `x [n, c, h, w]`, which is one integer or `[height, width]`: area `i` is from `floor(i h / height)` to `ceil((i + 1) h / height)`; `-> [n, c, height, width]`" adaptive_avg_pool2d(size: integers);
    "channels as pixels: `x [n, c factor^2, h, w] -> [n, c, h factor, w factor]`" pixel_shuffle(factor: integer);
    "pixels as channels: `x [n, c, h factor, w factor] -> [n, c factor^2, h, w]`" pixel_unshuffle(factor: integer);
    // Upsampling
    "each pixel of `x [n, c, h, w]` as a block of `scale` pixels, which is one integer or `[height, width]`: `-> [n, c, h * scale, w * scale]`" upsample_nearest2d(scale: integers);
    "as `upsample_nearest2d`, but between the centres of neighbouring pixels as a straight line, and level beyond those of the first and the last (PyTorch's `align_corners=False`)" upsample_bilinear2d(scale: integers);
    "as `upsample_bilinear2d`, but along a smooth curve through four pixels" upsample_bicubic2d(scale: integers);
    // Images at places
    "the pixels of `x [n, c, h, w]` at the places `grid [n, oh, ow, 2]`, each `(x, y)` from -1 to 1 across the image: `-> [n, c, oh, ow]`. `mode` is `\"bilinear\"` or `\"nearest\"`; outside there are `\"zeros\"`, or the pixels of the `\"border\"`, as `padding` says; with `align_corners` -1 and 1 are the centres of the outermost pixels, else their outer edges" grid_sample(grid: operand, mode: text, padding: text, align_corners: truth);
    // Attention
    "`softmax(q . k^T / sqrt(d)) . v` (Vaswani et al. 2017): `q [.., t, d]`, `k [.., s, d]`, `v [.., s, e]`, `-> [.., t, e]`; if `causal`, position `i` sees positions `0..=i`" scaled_dot_product_attention(k: operand, v: operand, causal: truth);
    // Losses
    "the mean over rows of `log(sum(e^x)) - x[label]`, logits `[.., classes]`, labels `[..]` (u32 or i32); a label out of range gives NaN" cross_entropy(labels: operand);
    "`cross_entropy` over the rows whose label is not `ignored`; NaN if there are none" cross_entropy_ignoring(labels: operand, ignored: integer);
    "the mean over rows of `-x[label]`, log-probabilities `[.., classes]`, labels `[..]` (u32 or i32); a label out of range gives NaN" nll_loss(labels: operand);
    "the mean of `(x - target)^2`, both of one shape" mse_loss(target: operand);
    "the mean of `|x - target|`, both of one shape" l1_loss(target: operand);
    "the mean of `d^2/2` where `d = |x - target|` is below `delta`, else of `delta * (d - delta/2)`" huber_loss(target: operand, delta: operand);
    "`huber_loss(beta) / beta`; `l1_loss` for a `beta` of 0" smooth_l1_loss(target: operand, beta: number);
    "the mean of `softplus(x) - x * target`: binary cross-entropy of `sigmoid(x)`, both of one shape" bce_with_logits(target: operand);
    "the mean of `-target * log(x) - (1 - target) * log(1 - x)`: binary cross-entropy of probabilities, both of one shape; logarithms count as at least -100; gradient `(x - target) / max((1 - x) x, 1e-12)` in `x`" bce_loss(target: operand);
    "the mean of `target * (log(target) - x)`: Kullback-Leibler divergence of log-probabilities `x` from the probabilities `target`, both of one shape" kl_div(target: operand);
    "the mean of `e^x - target * x`: Poisson-distributed counts whose expectation is `e^x`, both of one shape" poisson_nll_loss(target: operand);
}
