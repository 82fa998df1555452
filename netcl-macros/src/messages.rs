//! What this crate says about mistakes: one named message each, with a hint that says what to write instead.
//!
//! Each has a case under `tests/messages/ui`. (Shapes and types are judged by `netcl-kernels`, in its own words.)

use std::fmt::Display;

/// A message with gaps (`{}`) that are filled in order, the text's before the hint's.
pub(crate) struct Message {
    /// What it is called here: others may have its text.
    pub(crate) name: &'static str,
    /// Starts lower case, names the user's words, no trailing dot.
    pub(crate) text: &'static str,
    /// What to write instead.
    pub(crate) hint: &'static str,
}

impl Message {
    /// The text with `values` in the gaps.
    pub(crate) fn fill(&self, values: &[&dyn Display]) -> String {
        let mut values = values.iter();
        let mut filled = String::new();
        for (position, part) in [self.text, self.hint].into_iter().filter(|part| !part.is_empty()).enumerate() {
            if position == 1 {
                filled.push_str("\nhint: ");
            }
            let mut pieces = part.split("{}");
            filled.push_str(pieces.next().unwrap_or_default());
            for piece in pieces {
                if let Some(value) = values.next() {
                    filled.push_str(&value.to_string());
                }
                filled.push_str(piece);
            }
        }
        filled
    }

    /// Whether an error is this one, text and hint, with something in the gaps.
    pub(crate) fn fits(&self, error: &str) -> bool {
        let (text, hint) = error.split_once("\nhint: ").unwrap_or((error, ""));
        fits(text, self.text) && fits(hint, self.hint)
    }
}

/// Whether `line` is `text` with something in its gaps.
fn fits(line: &str, text: &str) -> bool {
    let mut rest = line;
    let parts: Vec<&str> = text.split("{}").collect();
    let Some((last, inner)) = parts.split_last() else { return false };
    for (position, part) in inner.iter().enumerate() {
        match rest.find(part) {
            Some(at) if position > 0 || at == 0 => rest = &rest[at + part.len()..],
            _ => return false,
        }
    }
    if inner.is_empty() { rest == *last } else { rest.ends_with(last) }
}

/// What to do with an attribute that is given twice and has a list.
pub(crate) const JOINED: &str = "join them in one attribute";

/// What to do with one that says one thing.
pub(crate) const ONE_OF_THEM: &str = "leave one of them out";

macro_rules! messages {
    ($($(#[$doc:meta])* $name:ident = $text:literal, $hint:literal;)*) => {
        $($(#[$doc])* pub(crate) const $name: Message =
            Message { name: stringify!($name), text: $text, hint: $hint };)*
        /// Every message with its name, for the test that looks for a UI case of each.
        #[cfg(test)]
        pub(crate) const ALL: &[(&str, Message)] = &[$((stringify!($name), $name)),*];
    };
}

messages! {
    // Items
    NOT_A_MODEL_ITEM = "`#[netcl::model]` belongs on a struct, an enum, a type alias or an `impl` block, found {}", "{}";
    ITEM_ATTRIBUTE = "`#[{}]` does not belong on a function of a model", "leave it out: the block's functions are compiled with it";
    BLOCK_ATTRIBUTE = "`#[{}]` below `#[netcl::model]` would be lost: the block is compiled", "write it above `#[netcl::model]`, where it sees the block first, or on the functions that it is for";
    ORDINARY_ATTRIBUTE = "`#[{}]` has no effect on `{}`, which is ordinary Rust: {}", "{}";
    STRAY_ATTRIBUTE = "`#[{}]` does not belong here", "it stands {}";
    INSIDE_ATTRIBUTE = "`#[{}]` would be lost: what stands here is compiled", "leave it out: inside of functions there are levels of lints, such as `#[allow(..)]`, and documentation";
    SIZE_WITHOUT_CONST = "`{}` is a size, and lacks its `const`", "write `const {}: usize`";
    BLOCK_PARAMETER = "`{}` is declared nowhere", "the block declares the parameters of its model: write `{}`";
    NO_VARIANTS = "the enum `{}` has no variants", "write those that it may be: `enum {} { Relu, Gelu(Linear) }`";
    VARIANT_TWICE = "the enum `{}` has a variant `{}` already", "give one of the two another name";
    DEFAULT_TWICE = "an enum of layers starts as one variant, and `{}` is marked with `#[default]` already", "remove this `#[default]`";
    DEFAULT_FORM = "`#[default]` takes no arguments", "write `#[default]`: the variant below it is the one that is meant";
    VARIANT_NUMBER = "the variant `{}` of an enum of layers has no number", "leave `= ..` out: models are asked `model.variant(\"act\")?`, which gives the variant's name";
    VARIANT_ATTRIBUTE = "`{}` has {}, and an attribute above a variant is for its only part", "{}";
    VARIANT_KEY = "`variant = {}` says which variant an enum of layers is, and `{}` is none", "it belongs above a field whose type is an enum with `#[netcl::model]`: `#[layer(variant = Gelu)] act: Act`; a list has one for each: `variant = [Relu, Gelu]`";
    VARIANT_NAME = "a field is one variant, by its name, found `{}`", "write `{}`";
    UNKNOWN_VARIANT = "`{}` has no variant `{}`{}", "it has {}";
    VARIANT_PARTS = "the pattern `{}` does not name the parts of `{}`", "write `{}`, with names of your own, `_` or `..`";
    ENUM_FIELD = "`{}` is an enum, which has no field `{}`", "take it apart: `match self { {} }`";
    NO_ARGUMENTS = "`#[netcl::{}]` takes no arguments", "write `#[netcl::{}]`";
    MODEL_ARGUMENTS = "`#[netcl::model]` takes one argument, on a further `impl` block: that block's name, found `{}`", "write `#[netcl::model(block = {})] impl {} { .. }`, and `#[netcl::model]` on the first block and on the struct";
    LAYER_NAME = "`{}` is a layer of netcl's, and a field of that type would be the layer", "choose another name, such as `My{}`";
    MODEL_TWICE = "`#[{}]` stands above this already", "remove this one";
    NO_NAMED_FIELDS = "a model needs named fields, found {}", "write `struct {} { {} }`";
    GENERIC_MODEL = "a model cannot have the parameter `{}`", "{}";
    BLOCK_TYPE = "`{}` is one type, and a block is for all that its model may have", "write a parameter in its place: `impl<{}> Block<{}> { .. }`; which type it is, each use of the model says";
    TYPE_ARGUMENT = "`{}` does not stand for the parameter `{}` of `{}`", "{}";
    TYPE_KEYS = "`{}::{}` takes no keys, and `{}`, which is of that type, has the key `{}`", "call the field, which has its keys: `self.{}.{}(x)`";
    TYPE_HAS_NO_FUNCTION = "there is no function `{}`{}", "its type has, with `#[netcl::function]`: {}";
    TYPE_FUNCTION = "`{}`, which is `{}` here, has no function `{}`{}", "{}";
    FUNCTIONS_FORM = "`#[netcl::function]` on an `impl` block is for functions of scalars of one type of your own, found `{}`", "write `impl Softsign { fn forward(x: f32) -> f32 { x / (1.0 + x.abs()) } }`, and no name of a layer or of a type that every program knows, such as `Tensor` and `Vec`; the `impl` may be of a trait";
    KEY_LIST_LENGTH = "`{}` is a list of {} values, and `{}` has {} layers", "write a value for each layer, or one without brackets for all";
    KEY_LIST_OPEN = "`{}` is a list, and how many layers there are, `{}`, is known where the model is used", "write the length as a number: `{}`";
    SLOT_KEY = "no layer has the key `{}`{}", "of the keys above a field of a type parameter each layer takes those that it has";
    SLOT_SHARED = "which tensors `{}` has is not known here, so that it shares none", "leave `shared` out, or write the layer in place of `{}`";
    TRAIT_IMPL = "`#[netcl::model]` compiles inherent functions, not trait implementations", "move the functions to `impl {} { .. }` and call them from the trait's";
    BLOCK_SIZE = "`{}` is computed, and a block is for every size", "write `{}` there; what follows from it stands in the functions' types: `Tensor<f32, N, {}>`";
    NOT_A_TYPE_NAME = "expected the name of a model", "write `impl Mlp { .. }`";
    NAMED_TYPE = "`#[netcl::model]` on a type compiles a generic model for its numbers, found `{}`", "{}";
    OPEN_CHOICE = "`{}` is compiled for numbers and types that each use of the model gives, and chooses by an enum or an element type", "choose by a `bool` or a `usize` there";
    FURTHER_OPEN = "`{}` is compiled for numbers and types that each use of the model gives, and stands in a further block, which no use sees", "move it to the model's first block";
    FUNCTION_FORM = "`{}` functions cannot be compiled", "write `fn {}(..) -> Tensor<..>`";
    DUPLICATE_FUNCTION = "there is a function `{}` already{}", "choose another name";
    GENERATED_NAME = "a function `{}` is generated {}", "choose another name";
    FUNCTION_VARIADIC = "a compiled function has a fixed number of arguments, found `...`", "leave it out; several tensors of one type are an array, `xs: &[Tensor<f32, N>; 3]`";
    FUNCTION_LIFETIME = "a compiled function has no lifetimes, found `{}`", "leave it out: write `{}`";
    FUNCTION_PARAMETER = "a compiled function cannot have the parameter `{}`", "write the type itself, such as `f32`; a model's function and a kernel are compiled for each of a list: `#[types({} = [f32, f16])]`";
    TYPES_BOUND = "`{}` needs no bound: `#[types]` lists its types", "leave the bound out: write `{}` alone";
    GENERIC_FUNCTION = "a compiled function cannot have generic parameters", "sizes such as `N` need no declaration: use them in the argument types; a number that none of these tells is a constant, `#[netcl::constant] const TAPS: usize = 4;`";
    MODE = "`#[mode]` says `training` or `inference`{}", "write `#[mode(training)]` for dropped elements and a batch's own statistics in every form of the function, `#[mode(inference)]` for none of it in its gradients";
    MATMUL_PRECISION = "`#[matmul_precision]` says `highest`, `high` or `medium`{}", "write `#[matmul_precision(high)]` for products of `f32` by matrix units with 16 bits of mantissa, `#[matmul_precision(medium)]` for 8; without it they are computed in `f32`";
    PRECISION = "`#[precision]` says `bf16`, `f16` or `f32`{}", "write `#[precision(bf16)]`, or `#[precision(f16)]`, for activations that are stored so, with parameters and their gradients in `f32`; `#[matmul_precision(..)]` is of products of `f32` alone";
    MISSING_BODY = "`{}` has no body", "write `{ .. }` in place of `;`";
    SELF_BY_VALUE = "a compiled function reads the model, found `{}`", "write `&self`{}";
    ORDINARY_RUST = "`{}` {}, as ordinary Rust does, and functions of this block are compiled to kernels", "put it into a plain `{} { .. }`{}";
    FUNCTION_NOT_PLAIN = "`#[netcl::function]` belongs on a function of numbers, such as `fn gelu(x: f32) -> f32`, or of tensors", "{}";
    FUNCTION_TYPE = "a function of numbers or of tensors takes and gives no `{}`", "{}";
    FUNCTION_RECEIVER = "a `#[netcl::function]` has no `self`", "move it out of the `impl` block, and pass what it reads as arguments";
    CONSTANT_FORM = "`#[netcl::constant]` belongs on a `const` of an integer, a float, a bool or a list of these whose value netcl can compute{}", "{}";
    DYNAMIC_OUTSIDE = "`#[netcl::dynamic]` belongs on a function of tensors that have their sizes, or on one inside a `#[netcl::model] impl` block", "give its tensors their sizes, `x: &Tensor<f32, N, 8>`; other functions are ordinary Rust already: leave it out";

    // Fields
    FIELD_SIZE = "the size `{}` of a field is known nowhere: in arguments a name of one letter is what a call brings, and a field is there before any call", "write a number, the name of a `#[netcl::constant]` of more than one letter, or a parameter of the model, `struct Name<const {}: usize>`; what has another size in each call is an argument and a result of the function";
    UNKNOWN_LAYER = "there is no layer `{}`{}", "layers are {}; a field that is another model takes no configuration";
    LAYER_ELSEWHERE = "there is no layer `{}`", "{}";
    MODEL_CONFIGURED = "there is no layer `{}`, and a model takes no configuration", "leave `#[layer(..)]` out: a model's sizes stand in its type, {}";
    DUPLICATE_FIELD = "`{}` is a field already{}", "choose another name";
    PATH_SIZE = "the value of `{}` is not known here", "write `{ {} }`, with `#[netcl::constant]` above that `const`";
    NEGATIVE_SIZE = "a model's sizes are whole numbers from 0 on, found `{}`", "write a number from 0 on";
    OWN_SIZE = "the value of `{}` is not known here", "what belongs to the model is there after its struct: move the `const` above it, with `#[netcl::constant]`, and write `{ {} }`";
    COMPUTED_SIZE = "the size `{}` is computed from a parameter, which Rust does not do in the type of a field", "give the model a parameter for it, `const INNER: usize`: then the field is `{}: {}<INNER>`";
    DERIVED = "a model cannot derive `{}`", "{}";
    UNKNOWN_KEY = "`{}` has no key `{}`{}", "its keys are {}";
    UNKNOWN_ATTRIBUTE = "a field has no attribute `{}`; did you mean `{}`?", "write `#[{}]`; its attributes are {}";
    FUNCTION_ATTRIBUTE = "a function of a model has no attribute `{}`; did you mean `{}`?", "write `#[{}]`; its attributes are {}";
    GRADIENTS_FORM = "`#[gradients]` lists arguments of a loss", "write `#[gradients(x)]`, or `#[gradients(x, y)]`";
    GRADIENTS_PLACE = "`#[gradients]` belongs on a loss of a model, which is compiled with its gradients", "inside of a body `grad(&value, x)` gives the derivative of a number; a kernel or a function has `vjp`";
    GRADIENTS_OF = "`{}` is no loss of a model: gradients are of a function with `&self` whose result, or the first of several, is `Tensor<f32>`", "of several results put the loss first; reduce one that has axes, as with `.sum_all()`, or return `grad(&value, {})` of a number in its body";
    GRADIENTS_IN = "`{}` has no gradient: it is {}", "{}";
    GRADIENTS_UNKNOWN = "`{}` has no argument `{}`{}", "its arguments are {}; parameters have gradients without being named";
    GRADIENTS_INDEPENDENT = "`{}` does not depend on `{}` in a way that has a derivative", "leave it out of `#[gradients(..)]`: what is computed of `x.detach()`, of comparisons or of rounded numbers has none";
    MODE_ALONE = "there is no attribute `{}`", "write `#[mode({})]`";
    KERNEL_ATTRIBUTE = "a kernel has no attribute `{}`; did you mean `{}`?", "write `#[{}]`; its attributes are {}";
    KERNEL_TEST = "a kernel has no attribute `{}`", "leave it out: a test is a function of ordinary Rust, which calls the kernel";
    INDEX_ATTRIBUTE = "`#[{}]` belongs on a kernel in SIMT form, with `#[launch(..)]`", "leave it out: of a kernel in index form the gradient and the OpenCL C are generated";
    SELF_FIELD = "a `{}` that holds itself has no end", "{}";
    FIELD_ATTRIBUTE_LAYER = "a field of a model has no attribute `{}`", "the keys of every layer stand in an attribute of one name: write `#[layer{}]`";
    FIELD_ATTRIBUTE = "a field of a model has no attribute `{}`", "leave it out: its attributes are {}, and those that lints and documentation have";
    INIT_ATTRIBUTE = "a field of a model has no attribute `{}`", "a {} has it as a key: write `#[{}({})]`; numbers that are known later are given to the model once it is made: `model.set_tensor(\"{}.weight\", &numbers)?`";
    PARAMETER_WHOLE = "a parameter cannot be of `{}`: an optimizer steps floats of `f32`", "write `{}`; what no optimizer changes is a state, `#[state(init = {})]`";
    PARAMETER_TYPE = "a parameter cannot be of `{}`: an optimizer steps floats of `f32`", "write `Tensor<f32, ..>` and convert it where it is used, `self.w.cast({})`; what no optimizer changes is a `#[state(init = ..)]`";
    DUPLICATE_KEY = "`{}` is given twice", "remove one of them";
    STARTS_NOTHING = "`{}` has no {} here that `{}` could start", "leave `{}` out{}";
    ATTRIBUTE_FORM = "{}", "write `#[{}({})]`";
    DUPLICATE_ATTRIBUTE = "`#[{}]` is given twice", "{}";
    PARAMETER_STATE = "`{}` is marked with `#[parameter]` and with `#[state]`", "leave one of them out: `#[parameter]` for what an optimizer changes, `#[state]` for what a function assigns";
    MISSING_COUNT = "a `Vec` of {} needs its length", "write `#[layer({})]`";
    PRESENCE = "whether the field is there follows from numbers that the compiler knows, found `{}`", "write a parameter of the struct, which is 0 where it is not, or a comparison of sizes: `present = STRIDE > 1`";
    MISSING_PRESENT = "nothing says whether `{}` is there", "what always is there needs no `Option`: write `{}`; of another one the keys say when it is, as `present = STRIDE > 1`: a comparison of the model's numbers, or a parameter that is 0 where it is not there";
    PRESENT_WITHOUT_OPTION = "a field of type `{}` is always there", "write `Option<..>` around its type, or leave `present` out";
    SHARED = "`{}` shares its tensors with {}", "write the name of a layer of this struct that stands in a field of its own, and has a tensor of the same name, or a matrix of the same sizes the other way round";
    SHARED_IN_MODEL = "`{}` shares tensors with layers of this struct, and `{}` is a model", "leave the layer out and compute with the other's: `self.{}.forward(h)` is that layer itself; where it is an `Embedding`, a product with its table is `h.matmul(self.{}.weight.t())`";
    SHARED_START = "`{}` starts nothing of `{}`: what it would start is `{}`'s", "leave `{}` out, or write it above `{}`";
    SHARED_SELF = "`{}` names a field of the struct by `self`, which is not there yet", "write `{}`";
    SHARED_TENSOR = "`{}` is shared as a whole, with the tensors that both have", "write `{}`";
    COUNT_WITHOUT_VEC = "`count` belongs to a `Vec` field", "write `Vec<{}>`, or remove `count`";
    ARRAY_LENGTH = "an array or `Vec` of layers has from 1 to {} elements, found `{}`", "write `{}`";
    NUMBER_NEEDED = "`{}` is compiled for numbers, and that of `{}` is not known", "a `const` is known with `#[netcl::constant]` above it, and stands in braces where a model's sizes do: `Block<{ {} }>`";
    DIVIDED_UNKNOWN = "the value of `{}`, of which the size `{}` is made, is not known here{}", "a size that a parameter of the model divides is made of its parameters, {}, and of `const`s with `#[netcl::constant]` above them";
    COUNT_UNKNOWN = "how many elements `{}` makes is not known while compiling", "each is a field of its own: write a number, or the name of a `#[netcl::constant]` or of a `const` parameter of the model; as many as only the program knows are `netcl::nn::Layers`";
    UNKNOWN_FIELD_ATTRIBUTE_USE = "`#[{}]` does not fit a field of type `{}`", "{}";
    NUMBER_TRAINED = "`#[{}]` does not fit a field of type `{}`", "it is a tensor, here one of a single number: write `Tensor<f32>`";
    NUMBER_AND_TENSOR = "`{}` is marked with `#[constant]` and with `#[{}]`", "leave one of them out: `#[constant]` is for a number that stays, `#[{}]` for a `Tensor<{}>`";
    FROZEN_FORM = "`#[frozen]` takes no arguments", "write `#[frozen]`, or leave it out for what is trained";
    GROUP_FORM = "`#[group(..)]` takes the name of one group", "write `#[group({})]`; {}";
    GROUP_STATE = "a state is not stepped by optimizers, in a group or not", "leave `#[group(..)]` out";
    GROUP_SHARED = "`{}` has nothing that is stepped for it alone: its tensors are those of `{}`", "leave `#[group(..)]` out, or write it above `{}`";
    GROUP_EMPTY = "there is nothing in `{}` that optimizers step, in a group or not", "leave `#[group(..)]` out";
    GROUP_FROZEN = "what is `#[frozen]` is not stepped by optimizers, in a group or not", "leave `#[group(..)]` out, or `#[frozen]`";
    GROUP_FIELD = "`{}` is a field of this struct, and a group of that name could not be told from it", "write `#[group({})]`";
    FROZEN_STATE = "a state is not trained, frozen or not", "leave `#[frozen]` out";
    MISSING_FIELD_ATTRIBUTE = "the compiler does not know what `{}` is", "write `#[parameter(init = 0.0)]` above a tensor, `#[constant(1.0)]` above a number";
    INIT_WORD = "`{}` takes a number, `uniform(bound)`, `normal(std)`, or a word such as `kaiming_normal`, found `{}`", "{}write `{} = {}`";
    KEY_WORD = "`{}` takes a number, found `{}`", "{}";
    NO_KEY = "`{}` has no key `{}`", "{}";
    ACTIVATION_KEY = "`{}` has no key `{}`", "an activation is called on what the layer gives: `self.{}.forward(x).{}()`";
    LAYER_IS_OPERATION = "`{}` is an operation here, not a layer", "leave the field out, and call it on a tensor: `x.{}`";
    INIT_GAIN = "`{}` takes one gain, a number that is not negative, found `{}`", "write `{} = {}(1.0)`, or `{} = {}` for the usual gain, {}";
    PARAMETER_INIT = "`{}` takes a number, `uniform(bound)`, `normal(std)`, or a word such as `kaiming_normal`, found `{}`", "write `{} = 0.0`, `{} = uniform(0.1)` or `{} = normal(0.02)`; what follows from the tensor's shape is `xavier_uniform`, `xavier_normal`, `kaiming_uniform` or `kaiming_normal`, with a gain `kaiming_normal(1.0)`";
    INIT_TYPE = "`{}` of elements of `{}` takes {}, found `{}`", "write `{} = {}`";
    CONSTANT_VALUE = "`#[constant(..)]` takes one value of the field's type, `{}`, found {}", "write `#[constant({})]`";
    FIELD_TYPE = "a field of a model cannot be of type `{}`", "{}";
    RESERVED_NAME = "`{}` is netcl's own name", "choose another";

    // Types
    NOT_A_TENSOR_TYPE = "expected a tensor type, found `{}`", "write `{}`";
    RENAMED_TENSOR = "the compiler does not know `{}`", "it knows tensors by their own name: write `Tensor`";
    MISSING_DTYPE = "`Tensor` needs its element type first", "write `{}`";
    UNKNOWN_DTYPE = "`{}` is no element type{}", "element types are bool, u8, i32, u32, i64, f16, bf16, f32 and f64";
    LIST_FOR_VALUE = "one value belongs here, and `{}` is a list of {}", "write one of its values, such as `{}`, or the name of a `#[netcl::constant]` that has one";
    BAD_DIMENSION = "`{}` is no dimension", "{}";
    LARGE_DIMENSION = "the dimension `{}` has more than 64 bits", "a tensor has up to 72057594037927936 elements: write a smaller number";
    MANY_AXES = "a tensor of {} axes has too many", "a tensor has up to {} axes: join some";
    LARGE_TENSOR = "a tensor of {} elements is too large", "a tensor has up to {} elements: write smaller sizes";
    ZERO_DIMENSION = "a dimension must be at least 1, found {}", "{}";
    NO_AXES = "`{}` has no axes, so that nothing tells `{}`", "write `{}`";
    UNBOUND_DIMENSION = "dimension `{}` is not bound by any argument", "{}";
    ARGUMENT_TYPE = "an argument of a compiled function cannot be of type `{}`", "{}";
    ARGUMENT_BY_VALUE = "tensors are borrowed", "write `&{}`";
    SIMT_BY_VALUE = "a tensor is read, written or both", "what is read is `&{}`, a result `&mut {}`, and what is changed in place `mut {}: {}`";
    STRUCT_BY_VALUE = "a struct of tensors is borrowed", "write `&{}`";
    ARGUMENT_MUT = "an argument cannot be `mut`", "write `{}`, and in the body `let mut {} = {};`";
    ARGUMENT_LIST = "how many tensors there are is known only at run time", "its length is part of the type: write `{}[{}; 3]`; as many as a call brings are one tensor, `&{}`, which a loop goes over, `for k in 0..{} { .. x.get(0, k) .. }`, and the caller stacks a `Vec`: `xs[0].stack(&xs[1..].iter().collect::<Vec<_>>(), 0)`";
    TENSORS_FORM = "`#[netcl::tensors]` belongs on a struct of tensors with names{}", "{}";
    TENSORS_ATTRIBUTE = "a struct of tensors has no attribute `{}`", "leave it out, or write `#[netcl::model]` in place of `#[netcl::tensors]`: layers, and what is trained, stand in a model";
    TENSORS_FIELD = "a field of a struct of tensors cannot be of type `{}`", "{}";
    NO_STRUCT = "nothing is known of the struct `{}`", "`#[netcl::tensors]` stands above it, and its fields are tensors with their sizes: `x: Tensor<f32, N, 8>`; a model is no argument, but a field; a kernel takes tensors and numbers alone";
    SIZED_STRUCT = "the sizes of a struct of tensors stand in it, found `{}`", "write `{}`: its sizes and the function's of one name are one size";
    PARTS_OF_PARAMETER = "`{}` has a number only where the block is used, and how many tensors there are is part of this type", "write one tensor, with an axis `{}` for them: in a body, `ys.stack(0)` makes it of a list, and `xs.get(0, k)` is one of them";
    PARTS_LENGTH = "an array of an argument or a result has from 1 to {} elements, a number that the compiler knows, found `{}`", "write the number, or the name of a `#[netcl::constant]`";
    ARGUMENT_PATTERN = "an argument needs a plain name, or a tuple of names", "write `x: &Tensor<..>` and take it apart in the body";
    DUPLICATE_ARGUMENT = "`{}` is an argument already", "choose another name";
    MISSING_RESULT = "`{}` returns nothing", "write `-> {}`";
    RESULT_FIELD = "`{}` returns a `{}`, whose field `{}` is of type `{}`: with numbers a struct is an argument, and what a function returns is tensors", "{}";
    RESULT_TYPE = "a compiled function returns tensors, found `{}`", "write `-> {}` or a tuple of such; the generated function returns a `Result`{}";

    // Bodies
    NO_SELF = "there is no `self` in `{}`", "{}";
    UNKNOWN_NAME = "there is no `{}` here{}", "names are arguments, `let`s and loop variables; sizes come from the argument types";
    UNKNOWN_LOWER_NAME = "there is no `{}` here", "names in small letters are arguments, `let`s and loop variables; a `#[netcl::constant]` is known by a name in capitals: `{}`";
    ASSIGN_UNKNOWN = "there is no `{}` here{}", "a new variable begins with `let`: write `let {} = ..;`, or `let mut {} = ..;` of one that is assigned again";
    NUMBER_ELSEWHERE = "there is no `{}` here", "write `{}`";
    FIELD_WITHOUT_SELF = "there is no `{}` here, but the model has a field of that name", "write `self.{}`";
    NAMED_ARGUMENT = "arguments have no names, found `{}`", "{}";
    TENSOR_LEFT_OUT = "`{}` has no `{}` here: its keys say `{} = {}`", "write `{} = {}` among them, or leave `{}` out";
    GROUP_AS_FIELD = "`{}` has no field `{}`: that is the name of a group", "only optimizers name groups, `.group(\"{}\", ..)`; the fields in it are {}";
    UNKNOWN_FIELD = "`{}` has no field `{}`{}", "its fields are {}";
    BOUND_TWICE = "identifier `{}` is bound more than once in the same {}", "give each a name of its own, or write `_` for what is not used";
    WHOLE_POWER = "`pow` of whole numbers takes an exponent from 0 on that is known while compiling, found {}", "multiply, `x * x`; of floats, converted with `as f32`, `powf` takes any exponent";
    POWER_OF_FRACTION = "`powi` takes a whole number, found `{}`", "write `powf({})`";
    LIST_LENGTHS = "the lists in a list have one length, found {} and {}", "write as many values in each, as in `[[1.0, 2.0], [3.0, 4.0]]`";
    LIST_KINDS = "the values of a list are of one type, found {} and {}", "a tuple has values of several types: `({})`, whose parts are `.0`, `.1` and so on";
    FIELD_TWICE = "`{}` is given its field `{}` twice", "leave one of them out";
    STRUCT_FIELDS = "`{}` is given without its field `{}`", "write each of its fields: {}";
    TUPLE_FIELD = "a tuple of {} has no field `{}`", "its last field is `.{}`";
    METHOD_WITHOUT_CALL = "`{}` is an operation, not a field", "call it: `.{}({})`";
    NO_FIELDS = "{} has no field `{}`", "operations are called: `x.relu()`; fields are those of the model, `self.hidden`, and tensors of its layers, `self.hidden.weight`";
    TYPE_AS_VALUE = "`{}` is a type, and no value", "{}";
    UNKNOWN_METHOD = "there is no operation `{}`{}", "operations are called as on a `netcl::Tensor`; a kernel is called by its name, with its tensors as arguments; a function of your own needs `#[netcl::function]`";
    ENUM_METHOD = "`{}` is called on an enum that is an argument, which has no functions here", "an enum of layers is a model: make it a field; any other chooses with `match`";
    NO_LAYER = "`{}` is {}, and has no `forward`", "{}";
    NO_STATE = "`{}` is {}: `set` is called on the path of a state of the model", "{}";
    SET_ARGUMENTS = "`{}.set` takes one value, found {}", "write the tensor or the number that the state becomes: `{}.set(..)`";
    ELSEWHERE = "there is no operation `{}`", "{}";
    ELSEWHERE_CALLED = "there is no function `{}` here", "{}";
    AXES_MISSING = "`{}` takes axes, found none", "write {}";
    KEEPDIM = "`{}` takes axes, and its name says whether they are kept with one element", "write `{}`";
    ARGUMENT_COUNT = "`{}` takes {} argument{} ({}), found {}", "{}";
    DIM_AXIS = "`dim` takes an axis of {}, from 0 to {}, found {}", "write `{}`";
    AXES_EXPECTED = "`{}` takes axes, found {}", "write {} for the {} of all elements";
    FIELD_CALLED = "`{}` is a {}, called by its function `forward`", "write `{}`";
    KERNEL_METHOD_OUTSIDE = "`{}` of `{}` is for ordinary Rust: in a body a kernel or a function is called by its name", "{}";
    KERNEL_CALLED = "`{}` is of whole tensors, and this body is of one element", "call it in a function of a model or a `#[netcl::function]` of tensors, where both are fused; what this body calls is a `#[netcl::function]` of numbers";
    KERNEL_UNCHECKED = "`{}` is `unsafe` to call: nobody checks what it reads and writes", "write `{}`, which promises that all of it is inside, or leave `unchecked` or `#[opencl(..)]` out where it is declared";
    KERNEL_INDEXED_GRADIENT = "the gradient of `{}` is in index form, and a body calls kernels in SIMT form whose gradients are too", "give the gradient a `#[launch(global = [N])]` and results as arguments, `dx: &mut Tensor<f32, N>`";
    TEXT = "{} is text, which no tensor holds", "{}";
    CHANGED_IN_PLACE = "there is no operation `{}`: none changes a tensor", "write `{}`";
    NAMED_AXIS = "axes are numbers, found the name \"{}\"", "write `{}`";
    VALUE_DROPPED = "this `;` drops the value", "remove this `;`: what a body gives is its last expression";
    UNKNOWN_SIZE_NAME = "`{}`, a single capital letter, is a size, and no argument's type names it{}", "a `#[netcl::constant]` has a longer name: call it `{}`; a size is named by an axis, as in `&Tensor<f32, {}>`";
    UNKNOWN_FUNCTION = "there is no function `{}`{}", "a function of your own needs `#[netcl::function]`";
    MODEL_HAS_NO_FUNCTION = "{} has no compiled function `{}`{}", "{}; {}";
    DYNAMIC_CALLED = "`{}` is left to run time by `#[netcl::dynamic]`: no compiled function can call it", "give its tensors their sizes, `x: &Tensor<f32, N, 8>` and `-> Tensor<f32, N, 8>`, or call both in ordinary Rust";
    GRAD_ARGUMENTS = "`grad` takes a number and what it is differentiated in, found {} argument{}", "write `grad(&loss, x)`, or `grad(&loss, (x, &self.scale))` for a tuple of derivatives";
    GRAD_EXCHANGED = "`grad` takes the value first, and then what it is differentiated in", "write `{}`";
    GRAD_VALUE = "`grad` differentiates a number, found {}", "{}";
    GRAD_IN = "`grad` has no derivative in {}", "{}";
    GRAD_UNNAMED = "`grad` differentiates in what has a name, found `{}`", "name it, and compute the value from that: `let h = {};`";
    GRAD_NUMBER = "`{}` is a number by which a loop computes, and the derivative in a number goes back through none", "take it as a tensor without axes, `{}: &Tensor<f32>`";
    GRAD_BEFORE_ROUND = "this value was computed before the round, and `{}` begins anew in each round of a loop: the value does not follow from it", "compute the value inside of the loop, from `{}` as it is there";
    GRAD_OF_ARGUMENT = "this value does not depend on `{}`: a function is compiled by itself, too, where `{}` is an argument like it", "compute the value from it in this function; a helper that is given both is a closure where it is called: `let d = |value, x| grad(value, x);`";
    GRAD_LAST_ROUND = "`{}` reads more of `{}` than that name: what the last round of the loop has computed from it, or what it starts as where there is no round", "name a tensor of its own behind the loop, `let own = {} * 1.0;`, and compute the value from that; or ask in the loop";
    GRAD_CARRIED = "`{}` reads what an earlier round has computed of `{}`, or reads it under another name, as what it starts as in the first round", "name a tensor of the round's own, `let own = {} * 1.0;`, and compute the value from that";
    GRAD_NOT_IN_ROUND = "this round computes the value of nothing that depends on `{}` in a way that has a derivative", "compute it from that in the round; what earlier rounds have computed from it, and what the loop begins with, counts behind the loop; what no round changes has a name of its own, `let a = s.a;` in front of the loop";
    GRAD_AROUND = "`{}` depends on `{}` by what earlier rounds of the loop have computed, too, and a derivative in a loop's body goes through one round", "leave earlier rounds out: compute the value from `h.detach()` of what the loop carries as `h`; or ask behind the loop";
    GRAD_INDEPENDENT = "this value does not depend on `{}` in a way that has a derivative", "leave it out, or compute the value from it: what is computed of `x.detach()`, of comparisons or of rounded numbers has none";
    LAYER_CALL = "`{}` is a layer: its only function is `forward`", "write `self.{}.forward(&x)`";
    LAYER_ARGUMENTS = "`{}` takes {} tensor{}, found {} argument{}", "write `self.{}.forward({})`{}";
    MODEL_PARAMETERS = "`{}` has {} parameter{}, of which a call by its path says the numbers", "write them, as in `{}(..)`";
    SELF_BOUND = "`self` is the model, and names no other value", "give it a name of its own, such as `h`";
    FUNCTION_WITHOUT_SELF = "`{}` has no `self`: it is a function of the type, and not of a value", "write `{}`";
    CALL_ARGUMENTS = "`{}` takes {} argument{}, found {}", "write {}";
    TYPE_LISTED = "`{}` takes `{}` of one of the types {}, found {}", "convert what is passed: write `x.cast({})`; or add `{}` to the list of the `#[types(..)]` above `{}`";
    CALL_ARGUMENT_SHAPE = "`{}` expects {} as `{}`, found {}", "{}";
    GATHER_AXIS = "`gather` takes rows by their numbers, and no axis", "along an axis write `{}`";
    RECURSION = "`{}` calls itself ({})", "a graph has no recursion: write a `for` over `0..N` with a number";
    NOT_CALLABLE = "only functions and methods by name can be called", "call `self.layer.forward(&x)`, `x.relu()`, `self.function(..)` or a `#[netcl::function]`";
    METHOD_WITHOUT_MODEL = "`{}` takes the model, which is not passed", "{}";
    NOT_A_FUNCTION = "`{}` is {}, not a function", "{}";
    LOOP_RANGE = "a loop runs over `0..4`, with numbers, or over `&self.layers`, found {}", "over an axis of a tensor: `for t in 0..T { h = h + x.get(1, t); }`";
    LOOP_NEGATIVE = "whether a loop over `{}` has rounds is known only at run time: nothing says that `{}` is not negative", "say so in the type of an argument: with `{ {} + 3 }` for the axis, `3..{} + 3` has `{}` rounds";
    LIST_METHOD = "a list has no `{}` here", "{}";
    SELECT_RECEIVER = "`select` is called on the condition, found {} elements", "write `{}`";
    RANGE_DOWN = "`{}` is empty: a range counts up", "{}";
    STEP_ZERO = "`step_by(0)` never goes on", "give a step of 1 or more";
    KERNEL_MAPPED = "`{}` of a range is a function in a kernel in index form", "write `{}`";
    KERNEL_ADAPTED = "`{}` of a range cannot be compiled in a kernel in index form", "{}";
    LOOP_ADAPTED = "`{}` of a range whose end is known only at run time cannot be compiled", "{}";
    LOOP_POSITION = "`{}[{}]` is another one in each round, and one body is compiled for all", "loop over {}, whose rounds are compiled one by one";
    LOOP_SYMBOL = "how often a loop over `{}` runs is known only at run time", "each round is compiled: write a number, here and in the argument's type; or make one round a function, which ordinary Rust calls in a loop";
    LOOP_CARRIED = "`{}` is {} before the first round of this loop and {} after a round", "{}";
    LOOP_STATE = "{} changes a state in a loop whose rounds are known only at run time", "{}";
    LOOP_PUSHED = "`{}` gets a second value in one round", "a round pushes one value into a list: have a list for each";
    LOOP_LIST = "`{}` holds values already, and a loop whose rounds are known only at run time is to push into it", "each such loop has a list of its own, `let mut ys = Vec::new();` above it";
    LOOP_LIST_READ = "`{}` is read in the loop that pushes into it, whose rounds are known only at run time", "one body is compiled for all rounds: carry what a round leaves for the next in a variable, `let mut last = ..;` above the loop and `last = ..;` in it; all values are there behind the loop, as `{}.stack(0)`";
    LOOP_SHORTENED = "`{}` changes `{}` in a loop whose rounds are known only at run time", "do it before the loop or behind it: one body is compiled for all rounds";
    LOOP_INNER_PUSH = "`{}` stands outside of two loops whose rounds are known only at run time, and the inner one pushes into it", "push into a list of the outer loop's body, and what it stacks into this one: `rows.push(row.stack(0));`";
    LOOP_CHANGED = "`{}` changes in a loop whose rounds are known only at run time, and is {}", "one body is compiled for all rounds: what it carries from round to round are tensors and numbers; for a first round of another kind, write it above the loop and begin with `1..T`";
    LOOP_STACK = "the axis of `{}` of what a loop has pushed is {}", "write `ys.stack(0)`, whose new axis has the rounds";
    EMPTY_STACK = "`{}` of a list without values has no shape", "push a value into it, or let a loop do so";
    MAKER_DEVICE = "`{}` takes no device in a body, which is compiled for every one", "write `{}`";
    JOINED_FIRST = "`{}` takes the tensors as one list", "write `{}`";
    MAKER = "`{}` takes other arguments", "write `Tensor::zeros([N, 16])`, `Tensor::ones([N, 16])`, `Tensor::full(0.5, [N, 16])` or `Tensor::arange(T)`, with the element type behind it if that is not `f32` (of `arange`: `u32`), or `Tensor::from([1.0, 2.0])`";
    PLAIN_ROUNDS = "how often this loop runs is known only at run time: `{}` is a plain `{}`", "each round is compiled: write a number or the name of a `#[netcl::constant]`; {}of up to 5 rounds some may be left out: `for i in 0..5 { if i < {} { .. } }`; for more make one round a function, which ordinary Rust calls in a loop";
    PLAIN_POSITION = "which element of {} is meant is known only at run time: `{}` is a plain `{}`", "{}go over all of them, with what goes in as `h`: `for (i, layer) in {}.iter().enumerate() { if i == {} { h = layer.forward(&h); } }`";
    LIST_LENGTH = "a list is as long as a number from 0 to {} says, found `{}`", "write the number, or the name of a `#[netcl::constant]`";
    LIST_TOO_LARGE = "a list of {} elements, those of lists in it counted, is too large", "lists and tuples have up to {} in all: each is written down";
    LOOP_UNCHANGED = "nothing in this loop changes `{}`, which it waits for", "count it up in the body: `{} += 1;`, where it is `let mut {}`";
    LOOP_TOO_LONG = "a loop of {} rounds is too long: each round is compiled, and there are {} at most", "use an operation on the whole tensor; or make one round a function, which ordinary Rust calls in a loop";
    LOOPS_TOO_LONG = "with this loop the function's loops have more than {} rounds together: each round is compiled", "use an operation on the whole tensor; or make what a round of the outer loop does a function, which ordinary Rust calls in a loop";
    FOLDS_TOO_LONG = "with this `fold` the function's short folds have more than {} rounds together: each round is compiled", "make one range longer than {} rounds, or as long as a size such as `N`: such a fold is one loop";
    CONDITION_TENSOR = "`if` on {} would need its value while compiling", "choose elementwise with `{}`{}";
    CONDITION_SYMBOL = "whether `{}` holds is known only at run time", "make it an argument, `many: bool`, and ask `if many { .. }`: each is compiled; over an axis there is `for t in 0..T`; in ordinary Rust, and in a `#[netcl::dynamic]` function of `&Tensor`s, sizes are numbers: `x.shape()[0] > 1`";
    CONDITION_ROUND = "whether `{}` holds differs from round to round, and one body is compiled for all", "choose elementwise: `({}).select(a, b)`; what the first round does alone stands before the loop, and a loop that is to end sooner runs over a shorter range";
    CONDITION_ASSIGN = "`=` assigns, and is no condition", "write `{}`";
    CONDITION_TYPE = "`if` takes a bool, found {}", "compare it with something, as in `{}`";
    MATCH_TENSOR = "`match` on {} would need its value while compiling", "it takes constants and plain `bool`, `usize` and enum arguments; elementwise choose with `condition.select(a, b)`";
    MATCH_VALUES = "`{}` has values of its own, which are known only at run time", "an enum chooses what is computed: let its variants have no values, and pass the number beside it, `slope: f32`";
    MATCH_PATTERN = "the pattern `{}` does not go with {}", "{}";
    MATCH_WITHOUT_ARM = "no arm of this `match` is for {}", "end with `_ => ..`";
    UNREACHABLE_CASE = "no value comes to this case of the pattern: `{}` takes it{}", "leave the case out, or write what it is meant for";
    OPTION_PATTERN = "the pattern `{}` is none of an `Option`", "an `Option` is `Some(x)`, with a name of your own for what is in it, or `None`";
    PATTERN_FIELDS = "`{}` has fields that this pattern does not name: {}", "name them, or end the pattern with `..`";
    CASES_BIND = "`{}` is not bound in `{}`, another case of the same pattern", "bind the same names in each case, or write a pattern of its own for each";
    UNREACHABLE_ARM = "no value comes to this arm: `{}` above takes it{}", "leave the arm out, or write what it is meant for";
    RETURNED = "what is returned here is {} for some elements and {} for others", "give values of one type: convert one with `as`";
    OPTION_METHOD = "an `Option` has no method `{}` here", "it has `is_some()`, `is_none()`, `unwrap_or(x)` and `map(|x| ..)`; or write `if let Some(x) = .. { .. }`";
    LET_ELSE = "what stands behind `else` goes on", "end it with `return ..;`, or in a loop with `continue;` or `break;`";
    OPTION_NONE = "`{}` of what is `None`", "write `if let Some(x) = .. { .. }`";
    WHILE_CONDITION = "`while` goes on as long as numbers and plain arguments say, found {}", "{}";
    IF_WITHOUT_ELSE = "`if` as a value needs an `else`", "write `if .. { a } else { b }`";
    BRANCHES = "the branches of this `if` give {} and {}", "give values of one type in both: convert one with `as`, or end both with `;`";
    JOIN = "`{}` is {} after one branch of this `if` and {} after the other", "assign values of one type in both: convert one with `as`";
    TOO_MANY_PATHS = "`{}` has more than {} ways through its `if`s: each is compiled on its own", "split it into several functions";
    TOO_MANY_VARIANTS = "`{}` has more than {} ways through its `if`s and the variants of its enums of layers: each is compiled on its own", "say above fields which variants they are: `#[layer(variant = Gelu)]`, or of a list `variant = [Relu, Gelu]`";
    WRITTEN_LIST = "the lists in this list have different lengths, or one has no elements", "a tensor has as many elements in each row: `Tensor::from([[1.0, 2.0], [3.0, 4.0]])`";
    LONG_LIST = "a list of {} elements is written here, and a tensor from a list has at most {}", "pass it as an argument, or keep it in a field: `#[state] table: Tensor<f32, 512>`, set by `model.set_tensor(\"table\", &values)?`";
    LIST_OF_TENSORS = "a tensor from a list is of single numbers, and here tensors with axes are listed", "join them: `Tensor::stack([a, b], 0)`, or `a.concat([b], 0)`";
    UNSUPPORTED = "{} cannot be compiled", "{}";
    OTHER_BRACKETS = "{} is not taken apart by `{}`", "write `{}`";
    REST_TWICE = "`..` stands for the rest once in a pattern", "leave one of them out, and name what stands between";
    PATTERN = "only names, and tuples, lists, structs and models of names, can be bound", "write `let y = ..` or `let (a, b) = ..`";
    LAYER_TAKEN = "a layer is not taken apart: its tensors are read by its name", "bind it, `layer`, and write `layer.{}`";
    NOT_A_TUPLE = "a tuple is taken apart here, found {}", "{}";
    LIST_TAKEN = "a list of {} cannot be taken apart into {} names", "write as many names as it has elements, `_` for those that are not used, or `rest @ ..` for all others";
    TUPLE_LENGTH = "a tuple of {} cannot be taken apart into {} names", "write as many names as it has parts, `_` for those that are not used";
    LET_WITHOUT_VALUE = "`let` needs a value", "write `let {} = ..;` where it gets its value";
    LIST_CHANGE = "`{}` changes the list and gives nothing", "write `{};` on a line of its own, and then `{}`";
    SET_GIVES_NOTHING = "`{}.set(..)` gives nothing", "write `{}`, and read `{}` behind it";
    LET_TYPE = "`{}` cannot be the type of a variable here", "types are `Tensor<f32, N, 64>`, `f32`, `i32`, `u32`, `bool`, `usize`, and tuples and arrays of these; or leave the type out";
    LET_VALUE = "`{}` is declared as `{}`, its value is {}", "change what stands behind `:`, or the value";
    LET_AXIS = "`{}` is declared with {} here, its value has {}{}", "write `{}`, or change what gives the value this size";
    ASSIGN_ELEMENT = "the elements of `{}` cannot be assigned", "{}";
    ASSIGN_ARGUMENT = "`{}` is an argument: its elements cannot be assigned", "{}";
    ASSIGN_IMMUTABLE = "`{}` is not `mut`", "write `let mut {} = ..`";
    ASSIGN_FIELD = "`{}` is a field, and not assigned", "{}";
    SET_PARAMETER = "`{}` is trained: an optimizer changes it", "write `#[state]` above a tensor that a function sets; the parameter is set in ordinary Rust: `model.set_tensor(\"{}\", &value)?`";
    SET_VALUE = "`{}` is {} {}, and is set to {}", "give it a tensor of its type and shape, or a number";
    ASSIGN_TARGET = "only a local variable can be assigned", "write `let mut y = ..` and `y = ..`";
    ASSIGN_BEHIND = "nothing is assigned behind a reference", "assign the variable itself: `h = h.relu();`, where it is `let mut h`";
    ASSIGN_TYPE = "`{}` changes from {} to {}", "a variable keeps its type: use another `let`";
    UNUSED_VALUE = "the value of this expression is not used", "operations give new tensors: write `{}`";
    OPERANDS = "`{}` is not defined for {} and {}", "{}";
    OPERAND = "`{}` is not defined for {}", "it takes tensors and numbers: name the parts of a tuple or a list, and call the `forward` of a layer";
    OPERATION_ARGUMENT = "`{}` cannot take {} as an argument", "{}";
    NUMBER_TYPE = "`{}` is no {} number", "write {}; or convert the other operand with `as {}`, and what comes of it back where that is wanted";
    SUFFIX = "`{}` takes numbers of the elements' type, {}, found one of {}", "{}";
    NUMBER_RANGE = "`{}` is no number of `{}`: these go {}", "write {}";
    WHOLE_WRAPPED = "`{}` of whole numbers that an `if` or an index chooses would be of {} here, which does not hold all that they may give", "write what they are: `7i32` counts below zero; the element of a constant list with `as i32`";
    WHOLE_QUOTIENT = "`{}` of whole numbers that an `if`, an index or a loop gives would be of floats here, and Rust rounds", "write what they are: `7i32` counts, `7.0` is a float; the element of a constant list with `as i32`";
    QUOTIENT = "`{}` divides whole numbers, {}", "for a fraction write `{}`: whole numbers are divided as in Rust, without what is left";
    CFG = "`#[{}]` is not decided yet when this is compiled", "write it above netcl's attribute, for the whole item; what has other fields is another struct, with `#[cfg(not(..))]` above its own attribute";
    CFG_ATTR = "`#[cfg_attr]` is not decided yet when this is compiled", "write what it adds in its place, `#[{}]`; what has other fields is another struct";
    CFG_FUNCTION = "`#[{}]` is not decided yet when this function is compiled", "write it above a block of its own: `#[cfg(..)] #[netcl::model(block = extra)] impl Net { .. }`";
    CFG_KERNEL = "`#[{}]` is not decided yet when this kernel is compiled", "write it above a `kernel!` of its own: `#[cfg(..)] netcl::kernel! { .. }`";
    CFG_INSIDE = "`#[{}]` inside of what is compiled is not decided yet", "write `if FAST { .. } else { .. }`, with a constant for either case above the item: `#[cfg(..)] #[netcl::constant] const FAST: bool = true;` and `#[cfg(not(..))] #[netcl::constant] const FAST: bool = false;`";
    PLAIN_IN_TENSOR = "`{}` is a plain `{}` and can only be used in conditions", "{}";
    PLAIN_OPERANDS = "`{}` is not defined for {} and {}", "{}";
    TOO_MANY_CALLS = "`{}` makes more than {} calls of other functions: each is compiled where it stands ({})", "keep the result of a call in a `let` where it is used twice, or call fewer levels of functions";
    TOO_DEEP = "this expression is nested too deeply{}", "name parts of it with `let`";
    RESULT_COUNT = "`{}` returns {}, its body gives {}", "{}";
    RESULTS_EXCHANGED = "`{}` returns a `{}` and a `{}`, and its body gives them the other way round", "{}";
    RESULT_SHAPE = "`{}` returns {}, its body gives {}{}", "change what stands behind `->`, or the last line of the body{}";
    RESULT_AXIS = "`{}` returns {} here, its body gives {}{}", "write `{}`, or change what gives the body this size";
    RESULT_ARRAY = "`{}` returns an array, whose tensors have one type, and its body gives {} and {}", "return a tuple, `-> {}`, with the parts of the body's value in parentheses";
    RESULT_STRUCT = "`{}` returns a `{}`, whose `{}` has {} here, its body gives {}{}", "the struct has one size in arguments and results: return another struct of tensors, or a tuple, `{}`";
    RESULT_AXES = "`{}` returns {}, its body gives {}: axis {} is {}{}", "write `{}`, or change what gives the body these sizes";
    RESULT_EMPTY = "`{}` returns {} along axis {}, its body gives 0{}", "a result has at least 1 element along each axis: let the body give some: `narrow` takes at least one, and `repeat` repeats at least once";
    RESULT_WAY = "`{}` returns {} here, its body gives {}{} where {}", "every way through the body gives the declared shape: change what this one gives";
    RESULT_DTYPE = "`{}` returns {} elements, its body gives {}", "{}, or change what stands behind `->`";
    NOT_A_NUMBER = "`{}` is no number that fits", "values are tensors, sizes, numbers as large as `i64` and `f64`, `true` and `false`; an element type is written `f16`";
    NO_TRUTH = "{} is no truth value", "write `true` or `false`, or a comparison such as `x != 0`";
    TOO_LARGE = "`{}` is no number of 64 bits", "whole numbers go from `i64::MIN` to `i64::MAX`; write a float, such as `1e20`, for larger ones";
    SHIFT_DISTANCE = "{} is shifted by 0 to {} bits, found {}", "{}";
    BITS_OF = "`{}` moves the bits of whole numbers, found {}", "a power of two is a factor: `x * 2.0`";
    NOT_OF_FLOATS = "`!` turns truths and the bits of whole numbers round, found {}", "compare them first, `!(x > 0.0)`, which is of truths, or convert them, `!({})`; `1.0 - x` turns 0 and 1 round";
    TRUTHS = "`{}` takes truths, found elements of {}", "compare them: write `{}`; bits are combined by `&`, `|` and `^`";
    SIZE_BITS = "`!` turns the bits of numbers of a type, and nothing says which `{}` is of", "write `!({} as i32)`";
    BITS_OF_FLOAT = "`{}` takes whole numbers, found a float", "leave the point out where a whole number is meant, or convert the float: `.. as i32`";
    LIST_COMPUTED = "a list is read at an index of the closure that is inside of it, found `{}`, which is computed", "choose by the number: `sum(0..{}, |k| if {} == k as i32 { .. } else { 0.0 })`";
    INDEX_OUTSIDE = "there is no element `{}` of {}: it has {}", "elements are counted from 0: {}";

    // Kernels
    KERNEL_ITEM = "`kernel!` takes functions", "write `pub fn name(x: &Tensor<f32, N>) -> Tensor<f32, N> { |n| .. }`";
    KERNEL_CONST = "`kernel!` takes functions, found a `const`", "move it above `kernel!`: {}";
    KERNEL_RECEIVER = "a kernel has no `self`", "pass tensors as arguments";
    KERNEL_BODY = "the body of an index-form kernel is one closure over the result's indices", "write `{}`{}{}";
    KERNEL_INDICES = "the result has {} ax{}, the closure {} ind{}", "write `|{}| ..`";
    KERNEL_INDEX_PATTERN = "an index is a plain name, without a type", "write `|{}|`";
    KERNEL_OWN_RESULT = "`{}` does not read its own result, whose elements are all computed at once", "what goes from element to element is carried by a `fold`: `fold(0..t + 1, 0.0, |h, k| 0.5 * h + x[k])`";
    KERNEL_UNUSED_INDEX = "index `{}` is never used: the result is the same along it", "read at it, or write `_{}` if that is meant";
    KERNEL_UNUSED_ARGUMENT = "argument `{}` is never used", "{}";
    KERNEL_RANK = "`{}` has {} ax{}, found {} ind{}", "{}";
    KERNEL_READ_TWICE = "{} is no argument: only whole tensors are read by indices", "write all indices in one pair of brackets: `x[n, c]`";
    KERNEL_INDEX_TYPE = "an index is an integer expression, found {}", "indices are those of the closure, sums of them with whole numbers, arguments of type `i32` or `u32`, and elements of integer tensors";
    KERNEL_INDEX_ELEMENTS = "an index is a whole number, found elements of {}", "{}";
    KERNEL_INDEX_WIDTH = "an index is an `i32` or a `u32`, found elements of {}", "convert them: write `{} as i32`";
    LIST_BOUNDS = "{} may be outside `{}`, which has {} elements", "a list is read by an index whose range is known to be inside: change the range, or the list";
    KERNEL_HIDDEN = "the index `{}` hides the tensor of that name", "give the index another name, such as `{}`, here and where the closure names it: `{}`";
    KERNEL_SIZES = "`{}` is no operation in a kernel: the shape of `{}` is {}", "sizes are called by their names: write `{}`";
    KERNEL_NOT_AFFINE = "an index is a sum of indices times numbers", "products of indices cannot be checked against the shape; read zeros outside: write `pad({})`";
    KERNEL_DIVIDED = "an index that may be negative is divided, or by what is no size", "`n / 2` and `n % C` of what is not negative can be checked against the shape; `(n - 1).rem_euclid(N)` goes round";
    KERNEL_CLAMPED = "`{}` in an index cannot be checked against the shape", "choose between two reads: write `{}`";
    KERNEL_INDEX_ARGUMENT = "where `{}` leads is known only at run time, and cannot be checked against the shape", "read zeros outside: write `pad({})`; or make the distance a number or a `#[netcl::constant]`";
    KERNEL_FACTOR = "the factor of an index is too large", "an index and its factors fit `i32`";
    KERNEL_EXCHANGED = "{} may be outside axis {} of `{}`, which has {} elements", "write `{}`";
    KERNEL_OUTSIDE = "`{}` is outside axis {} of `{}`, which has {} elements", "elements are counted from 0, and the last is at `{}`: write `{}`";
    KERNEL_BOUNDS = "{} may be outside axis {} of `{}`, which has {} elements", "{}";
    KERNEL_REDUCTION = "`{}` takes a range and a closure", "write `{}(0..C, |c| x[n, c])`";
    KERNEL_RANGE = "a range runs from a number to a size, found `{}`", "write `{}`";
    KERNEL_LOOP = "how often a loop over `{}` runs is known only at run time", "carry a value from round to round by `fold(0..C, 0.0, |sum, c| sum + x[n, c])`; a loop has as many rounds as a number says, each of which is compiled";
    FOLD = "`fold` takes a range, what it starts from, and a closure of that and the index", "write `fold(0..C, 0.0, |sum, c| sum + x[n, c])`; with an index of the result as the range's end, `fold(0..c + 1, ..)`, it is a recurrence along that axis";
    FOLD_EXCHANGED = "the closure of `fold` takes what is carried first, and then the index", "write `|{}, {}|`";
    FOLD_START = "a `fold` cannot start from {}", "start from numbers, elements, or a tuple or list of them";
    FOLD_CARRIED = "a `fold` starts from {}, and its closure gives {}", "what it starts from and what the closure gives are composed alike, of the same types: `fold(0..C, (0.0, 1.0), |(a, b), c| (a + x[n, c], b * x[n, c]))`";
    FOLD_RANGE = "the range `{}` of a `fold` is {} long, which is negative for small shapes", "write a range whose end is at least its start whatever the shapes are";
    KERNEL_RESULTS = "the results of a kernel are of one shape, found {} and {}", "write a kernel for each";
    OVERFLOWS = "`{}` overflows: `{}` has no such number", "`i64` has it: write `{}`";
    CAST_TRUTH = "cannot cast `{}` as `bool`", "compare it with zero: write `{}`";
    KERNEL_BY_ZERO = "`{}` divides by zero", "write a number from 1 on";
    KERNEL_RANGE_VARIES = "how long the range `{}` is, is known only at run time", "go over the whole axis and leave out what is not meant: write `{}`";
    KERNEL_POSITION = "`{}` over several ranges counts positions from 0", "start each range at 0, and end it at a size, or reduce along one of them, which gives the index itself";
    KERNEL_TENSOR_VALUE = "`{}` is a whole tensor", "read one element: `{}[{}]`";
    KERNEL_METHOD = "`{}` works on whole tensors, not on one element", "use functions of numbers: `max(a, b)`, `exp(x)`; reductions are `sum(0..C, |c| ..)`";
    KERNEL_TWO_VALUES = "`{}` takes two values, found {}", "it is called as {}";
    KERNEL_COMPILED = "`#[{}]` does not belong on a kernel, which `kernel!` compiles", "leave it out: functions of models call kernels as they are";
    KERNEL_NO_INDEX = "there is no index `{}` here", "{}";
    KERNEL_CLOSURE_INDICES = "`{}` goes over {} range{}, and its closure has {} ind{}", "{}";
    OF_TENSORS_ALONE = "`{}` is an operation of tensors, and Rust's numbers have no function of that name", "{}";
    PAD_TWICE = "`{}` is a number already: outside it is zero", "write `{}`";
    PAD_ARGUMENT = "`pad` takes one read, found {}", "outside it gives zero: write `{}`; {}";

    // SIMT-form kernels
    SIMT_RESULT = "a SIMT-form kernel writes its results to `&mut Tensor` arguments", "{}";
    SIMT_NO_RESULT = "`{}` has no result", "add an argument `y: &mut Tensor<f32, N>`; the call allocates and returns it";
    SIMT_ARGUMENT = "an argument of a SIMT-form kernel cannot be of type `{}`", "arguments are `&Tensor<..>`, `&mut Tensor<..>`, `f32`, `i32` and `u32`; a size is an axis of a `&Tensor<..>`: of a result whose size only a number says, such a tensor is taken and given back, `mut y: Tensor<u32, W, H>`";
    SIMT_LAUNCH = "a SIMT-form kernel needs `#[launch(global = [N], local = [64])]`", "`global` lists how many work-items run, along 1 to 3 dimensions; `local` how many of them form a group, in as many numbers";
    SIMT_UNCHECKED = "`unchecked` takes no value, found `{}`", "write `unchecked` alone, or leave it out";
    SIMT_LAUNCH_LIST = "`{}` takes a list, found `{}`", "write `{}`";
    SIMT_LAUNCH_AXES = "`global` lists {} sizes, and work-items run along 1 to 3 dimensions", "write `global = [{}]`, and take the last index apart with `/` and `%`";
    SIMT_LAUNCH_RANK = "`local` lists {}, `global` {}: a group has as many dimensions as all work-items", "write `local = [{}]`";
    SIMT_GLOBAL = "no work-item would run: this size is {}", "write how many work-items run along this dimension: an axis, such as `N`, or a number from 1 on";
    SIMT_LOCAL_ITEMS = "a work-group of {} has {} work-items, and may have 1024", "take less of an axis: write `local = [{}]`";
    SIMT_LOCAL_SIZE = "`{}` is no work-group size", "write a number from 1 to 1024";
    TOO_MANY_OPERATIONS = "with this call of `{}` the functions that the kernel calls make more than {} operations: each is compiled where it stands", "call it in a `for`, which is compiled once";
    SIMT_UNWRITTEN = "nothing is written to the result `{}`", "assign its elements, `{}[i] = ..;`, or remove the argument";
    SIMT_ARRAY_UNWRITTEN = "`{}` is read and never written", "assign its elements, `{}[{}] = ..;`, {}";
    SIMT_GRADIENT_SHAPE = "`{}` gives a gradient of `{}` as {}, but that is {}", "a gradient has the shape and the type of what it is of";
    SIMT_GRADIENT_TYPE = "`{}` takes `{}` of {}, but of `{}` it is {}", "the inputs are those of the kernel, and a cotangent has the type of the result that it is of";
    SIMT_GRADIENT_FORM = "`{}` {}; as the gradient of `{}` it {}: the inputs and a cotangent of each float result, and a gradient of each float input", "write `{}`";
    SIMT_OWN_GRADIENT = "`{}` is its own gradient", "write another kernel, which takes the inputs and a cotangent for each float result, and name it here: `#[gradient({}_gradient)]`";
    SIMT_GRADIENT = "`#[gradient(..)]` takes the name of a kernel", "it gets the inputs and a cotangent for each float result, and gives a gradient for each float input";
    SIMT_OPENCL = "`#[opencl]` holds the OpenCL C of a body as text", "write `#[opencl(\"uint i = get_global_id(0); if (i < N) y[i] = x[i];\")]`";
    SIMT_TYPE_UNTOLD = "no argument tells which type `{}` is", "take a tensor that is read, `x: &Tensor<{}, N>`, or leave its list out of `#[types(..)]`";
    SIMT_TYPE_LIST = "`#[types(..)]` takes lists of element types", "write `#[types(T = [f32, f16])]`";
    SIMT_TYPE_NAME = "`{}` is an element type, and stands for itself", "a name of your own stands for those of a list: write `#[types(T = [f32, f16])]`, and `&Tensor<T, N>` where it is meant";
    SIMT_TYPE_TWICE = "`{}` is listed twice", "each type of a `#[types(..)]` is compiled once: remove one of them";
    SIMT_SCALAR_TYPE = "`{}` would be {} for one choice and {} for another of `{}`: a scalar has one type", "declare it as `{}`, say, and convert it where it is used: `.. as {}`";
    SIMT_INDEX = "an index is a `u32`, found {}", "convert it: write `{}`";
    NO_VALUE = "expected a number, found nothing", "what a block gives is its last expression, without a `;` behind it";
    SIMT_VALUE = "expected a number, found {}", "read an element: `x[i]`; name the parts of a tuple: `let (a, b) = ..`";
    SIMT_TYPES = "`{}` takes values of one type, found {} and {}", "{}";
    SIMT_LANES = "`{}` takes vectors of one type, found {} and {}", "{}";
    SIMT_TRUTH = "`{}` takes numbers, found a bool and {}", "choose with `if`: write `{}`";
    SIMT_INPUT = "`{}` is an input and cannot be written", "results are `&mut` arguments: `{}: &mut Tensor<..>`";
    SIMT_WHOLE_RESULT = "`{}` is a whole tensor: its elements are assigned one by one", "write `{}[{}] = ..;`";
    SIMT_DIMENSION = "`{}` takes a dimension: 0, 1 or 2", "write `{}(0)`";
    SIMT_LAUNCH_DIMENSION = "the launch has {} dimension{}: `{}({})` is about one that it does not have", "give `#[launch(global = [..])]` a size for each dimension, as `[N, M]`, or use `{}({})`";
    SIMT_WIDTH = "there is no `{}`: vectors have 2, 4, 8 or 16 lanes", "there are {}";
    SIMT_ONE_LANE = "`{}` is one element, and the value has {} lanes", "{}";
    SIMT_NO_GROUP = "barriers, local arrays and sub-groups need a work-group size", "give the launch one: `#[launch({})]`";
    SIMT_RACE = "all work-items write to `{}`, each another value: which of them stays is chance", "{}";
    SIMT_LOCAL_RACE = "work-item {} reads `{}`, which work-item {} writes{} without a `barrier()` between: what is read is left to chance", "{}";
    SIMT_LOCAL_WRITTEN = "work-item {} writes `{}`, and work-item {} writes another value to `{}` without a `barrier()` between: which of them stays is chance", "{}";
    SIMT_LAST_VALUE = "a kernel in SIMT form gives what it writes: nobody gets the value of its last line", "{}";
    SIMT_LIST_INDEX = "`{}` has its value when the kernel runs, and a list such as `{}` is read by numbers that are known here", "run over it, `for value in {}`; or copy its values into an array of their type, such as `let mut a = private!([f32; {}]);`, which is read by any `u32`";
    SIMT_BELOW_ZERO = "there is no element `{}`: elements are counted from 0", "from the end it is `{}`";
    SIMT_ATOMIC_VALUE = "`{}` updates an element of {} with a value of its type, found {}", "write `{}`";
    SIMT_ATOMIC_TYPE = "`{}` updates elements of {}, and `{}` is of {}", "let what is updated be of one of these types, `{}`, and what it is updated with";
    SIMT_VECTOR = "`{}` takes a vector and a lane that it has", "make one with `x.load4(i)` or `splat4(value)`";
    SIMT_ARRAY_LANES = "`{}` is of tensors, and `{}` is an array", "read and write its elements one by one: `{}[i]`";
    SIMT_ATOMIC = "`{}` takes an element that is borrowed by `&mut`, and a value", "write `{}({}, {})`";
    SIMT_ARRAY = "an array is a `local!` or `private!` of numbers, as long as a number says", "write `let mut scratch = local!([f32; 64]);`";
    SIMT_ARRAY_NESTED = "an array has at most {} axes, found {}", "join some: the element of row `r` and column `c` of rows of 16 is `[r * 16 + c]`";
    SIMT_ARRAY_BYTES = "an array of {} bytes is too large: there are {} for a {}", "use a smaller one, or a tensor: an argument, or a result that this kernel writes and reads";
    SIMT_ARRAY_PLACE = "a macro call has no meaning here", "arrays are bound by `let`: `let mut scratch = local!([f32; 64]);`";
    SIMT_REDUCTION = "`{}` over a range is for kernels in index form", "it is a loop here: write `{}`";
    SIMT_USIZE = "an index is a `u32` here", "leave `as usize` out: write `{}`";
    SIMT_BRACKETS = "`{}` is one element: it has no elements of its own", "indices stand in one pair of brackets: write `{}`";
    OF_NUMBERS = "`{}` takes numbers, found {}", "{}";
    OF_TRUTHS = "`{}` takes truths, found {}", "compare it with something, such as `.. > 0.0`";
    CONDITION_LANES = "a condition is one truth, found {} of them", "choose lane by lane, `select(v > splat{}(0.0), v, splat{}(1.0))`, or look at one lane, `v.lane(0) > 0.0`";
    SIMT_ACROSS = "`{}` takes one number of 32 or 64 bits, found {}", "{}";
    SIMT_NO_ATOMIC = "there is no function `{}`", "atomic functions are {}{}";
    SIMT_PRIVATE_ATOMIC = "`{}` is of memory that several work-items write to, and `{}` is the item's own", "{}";
    SIMT_FLOATS = "`{}` is defined for floats, found {}", "convert what it is called on with `as f32`{}";
    SIMT_WHOLE_START = "`{}` starts as a whole number, and meets values of {}", "write `{}`";
    SIMT_UNUSED = "the value of this expression is not used", "assign it: `y[i] = ..;`";
    SIMT_LOOP = "a loop runs over a range or a list", "write `for i in 0..N`, `for i in (0..N).step_by(64)` or `for v in [a, b, c]`";
    SIMT_BACKWARDS = "a loop counts up, and `{}` is turned round", "turn the index round: write `{}`";
    SIMT_RETURN_BARRIER = "work-items that `return` here do not reach the barrier below", "leave this `if` out, and put what only the others do under `if {} { .. }`";
    SIMT_ENDLESS = "this loop never ends: {}", "{}";
    SIMT_IDS = "there is no {} here", "write `{}`";
    SIMT_STEP = "a step of 0 would go round for ever", "write a number from 1 on";
    SIMT_AXES = "`{}` has {} axes: elements of tensors of more than 4 are counted by one index", "write `{}[i]`, where `i` is the element's row-major position";
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Whether `line` is the message with something in its gaps.
    fn shows(line: &str, message: &Message) -> bool {
        line.strip_prefix("error: ").is_some_and(|line| fits(line, message.text))
    }

    #[test]
    fn a_message_is_the_whole_line() {
        let message = Message { name: "", text: "`{}` takes {}, found {}", hint: "" };
        assert!(shows("error: `a` takes one, found two", &message));
        for other in ["error: `a` takes one", "error: the `a` takes one, found two", "note: `a` takes one, found two"] {
            assert!(!shows(other, &message), "{other}");
        }
    }

    #[test]
    fn every_message_has_a_ui_case() {
        let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../tests/messages/ui");
        let mut texts = String::new();
        for folder in std::fs::read_dir(&root).expect("the UI cases").flatten() {
            for file in std::fs::read_dir(folder.path()).into_iter().flatten().flatten() {
                if file.path().extension().is_some_and(|extension| extension == "stderr") {
                    texts.push_str(&std::fs::read_to_string(file.path()).expect("a text"));
                }
            }
        }
        let missing: Vec<&str> = ALL
            .iter()
            .filter(|(_, message)| !texts.lines().any(|line| shows(line, message)))
            .map(|(name, _)| *name)
            .collect();
        assert!(missing.is_empty(), "no case under tests/messages/ui shows {missing:?}");
    }
}
