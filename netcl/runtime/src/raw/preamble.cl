// Macros for bodies of kernels; each may be defined before this text.
#ifndef LOAD
#ifdef NETCL_HALF
#define LOAD(p, i) vload_half((i), (p))
#define STORE(p, i, v) vstore_half((v), (i), (p))
#elif defined(NETCL_BF16)
#define LOAD(p, i) as_float((uint)(p)[i] << 16)
#define STORE(p, i, v) ((p)[i] = netcl_bf16_from_float(v))
#else
#define LOAD(p, i) ((p)[i])
#define STORE(p, i, v) ((p)[i] = (v))
#endif
#endif
#ifndef ADD
#define ADD(x, y) ((x) + (y))
#define SUB(x, y) ((x) - (y))
#define MUL(x, y) ((x) * (y))
#define DIV(x, y) ((x) / (y))
#define MIN(x, y) ((x) < (y) || (x) != (x) ? (x) : (y))
#define MAX(x, y) ((x) > (y) || (x) != (x) ? (x) : (y))
#define RELU(x) ((x) < 0 ? 0 : (x))
#endif
