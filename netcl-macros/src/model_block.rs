//! The `impl` block of a model: what it learns of its struct and of what it names, and what is generated for its functions.

use crate::ast::{ModelImpl, Unit};
use crate::chain::{self, Gathered, ItemKind, Need};
use crate::diag::{Diag, with_errors};
use crate::expand::meant::CallingBody;
use crate::lower::{self, Sizes};
use crate::payload::{self, Table};
use crate::{dump, expand, fallback, functions, guard, messages as m, module, only, parse, rounds, scan};
use netcl_kernels::layers::Mode;
use proc_macro2::{Span, TokenStream};
use quote::{ToTokens, quote};
use syn::ItemImpl;
use syn::spanned::Spanned;

/// The `impl` block of a model.
pub(crate) fn round(gathered: &Gathered, item: ItemImpl) -> TokenStream {
    let diag = Diag::new();
    let Some(path) = parse::model::model_path(&diag, &item) else {
        let stays = item.trait_.is_some()
            || parse::model::computed_size(&item).is_some()
            || parse::model::given_type(&item).is_some();
        return with_errors(diag, || if stays { fallback::implementation(&item) } else { TokenStream::new() });
    };
    // Judged again in the last round, because its errors are this block's.
    diag.dismiss();
    // A further block learns of the struct from the first one, which may stand in another module.
    let further = parse::model::block_name(&item).is_some();
    let of = Need { kind: if further { ItemKind::Nested } else { ItemKind::Table }, path };
    let given = gathered.get(of.kind, &of.path);
    let table = given.and_then(if further { payload::table_of } else { payload::read_table });
    let (item, twice) = match given.filter(|_| further).and_then(payload::read_nested) {
        Some(main) => parse::stray::without_twice(item, &main),
        None => (item, Diag::new()),
    };
    with_errors(twice, || rounds::round(&ImplBlock { item, further, of, table }, gathered))
}

/// A model's block.
struct ImplBlock {
    item: ItemImpl,
    /// Whether it is not the one that stands for the model.
    further: bool,
    /// Where it learns of the struct, and what it has learnt.
    of: Need,
    table: Option<Table>,
}

impl ImplBlock {
    /// What names mean in the block, those of the first one among them where this is another.
    fn unit(&self, diag: &Diag, gathered: &Gathered) -> Option<(Unit, ModelImpl)> {
        let table = self.table.clone()?;
        let (mut unit, block) = payload::unit(diag, gathered, table, &self.item);
        let main = || gathered.get(self.of.kind, &self.of.path).and_then(payload::read_nested).map(Box::new);
        unit.main = self.further.then(main);
        Some((unit, block))
    }

    /// What other models learn of the block that stands for this one.
    fn export(&self, gathered: &Gathered, failed: bool, open: &[&syn::Ident]) -> Option<TokenStream> {
        let model = &self.table.as_ref().filter(|_| !self.further)?.model;
        let payload = payload::nested(gathered, &self.item, failed, open);
        Some(match failed && self.may_be_further() {
            true => chain::export_behind(&model.name, &payload),
            false => chain::export(&model.name, &model.vis, &payload),
        })
    }

    /// Whether this may be another block than the first, which has left out its name: it calls functions that it does not have.
    fn may_be_further(&self) -> bool {
        let fields = self.table.iter().flat_map(|table| &table.model.fields);
        !self.further && scan::calls_others(&self.item, &fields.map(|field| parse::name(&field.name)).collect())
    }
}

impl rounds::Item for ImplBlock {
    fn driver(&self) -> (&'static str, TokenStream) {
        ("model_impl", self.item.to_token_stream())
    }

    fn place(&self) -> Span {
        self.item.self_ty.span()
    }

    fn missing(&self, gathered: &Gathered) -> Vec<Need> {
        if gathered.get(self.of.kind, &self.of.path).is_none() {
            return vec![self.of.clone()];
        }
        let Some(Table { model, constants, .. }) = &self.table else { return Vec::new() };
        let models = || model.fields.iter().flat_map(|field| field.kind.models());
        let nested = models().map(|nested| &nested.path);
        // The struct's tokens come by a macro: rustc would tell of it where there is no such model.
        let nested = nested.map(|path| Need { kind: ItemKind::Nested, path: parse::at(path, self.place()) });
        let types = parse::model::type_names(&model.generics);
        let given = models().flat_map(|nested| module::needs(&nested.ty, &types));
        let given = given.chain(module::defaults(&model.generics));
        let given = given.map(|need| Need { path: parse::at(&need.path, self.place()), ..need });
        // What a function of a parameter's type is, each use of the model says.
        let own = parse::model::type_names(&self.item.generics);
        let is_own =
            |path: &syn::Path| path.segments.first().is_some_and(|first| own.contains(&parse::name(&first.ident)));
        let functions = scan::helper_paths(&self.item).into_iter().filter(|path| !is_own(path));
        let functions = functions.map(|path| Need { kind: ItemKind::Function, path });
        let sizes = Sizes::of(model, &parse::model::impl_sizes(&self.item, constants)).names();
        let constants = scan::constant_paths(&self.item, &sizes).into_iter().filter(|path| !is_own(path));
        let constants = constants.map(|path| Need { kind: ItemKind::Constant, path });
        chain::left(gathered, nested.chain(given).chain(constants).chain(scan::structs_of(&self.item)).chain(functions))
    }

    fn unless(&self) -> TokenStream {
        fallback::unless_block(&self.item)
    }

    fn mistakes(&self, diag: &Diag, gathered: &Gathered, needs: &[Need]) {
        if self.table.as_ref().is_some_and(|table| table.failed) {
            return;
        }
        let Some((mut unit, block)) = self.unit(diag, gathered) else { return };
        unit.broken.extend(needs.iter().map(|need| parse::text(&need.path)));
        block.unsound.iter().for_each(|function| lower::mistakes(diag, &unit, function));
        for function in &block.functions {
            lower::lower(diag, &unit, function, function.mode.unwrap_or(Mode::Inference));
        }
    }

    fn expand(&self, diag: &Diag, gathered: &Gathered) -> Option<TokenStream> {
        let failed = self.table.as_ref().is_some_and(|table| table.failed);
        if !failed {
            // Parameters that no model can have are the struct's mistake first.
            parse::model::model_path(diag, &self.item);
        }
        if failed {
            return None;
        }
        let (unit, block) = self.unit(diag, gathered)?;
        let compiled = functions::all(diag, &unit, &block);
        // Of models among its fields rustc says what is missing, too.
        let fields = unit.model.iter().flat_map(|model| &model.fields);
        let is_alone = !self.further && fields.flat_map(|field| field.kind.models()).next().is_none();
        let is_whole = block.unfit.is_empty() && block.unsound.is_empty();
        if is_alone && is_whole && compiled.len() < block.functions.len() {
            guard::or_unsaid(diag, gathered, self.place());
        }
        if diag.count() > 0 || compiled.len() < block.functions.len() || !block.unfit.is_empty() {
            return None;
        }
        let open = block.functions.iter().zip(&compiled).filter(|(_, compiled)| compiled.is_open());
        let open: Vec<syn::Ident> = open.map(|(function, _)| function.name.clone()).collect();
        if let Some(first) = open.first().filter(|_| self.further) {
            diag.report(first.span(), &m::FURTHER_OPEN, &[first]);
            return None;
        }
        let [functions, about] = expand::functions::implementation(&unit, &block, compiled);
        dump::tokens(&unit.name(), "impl", &quote!(#functions #about));
        let export = self.export(gathered, false, &open.iter().collect::<Vec<_>>());
        let once = only::once(block.name.as_ref(), &block.self_ty, &quote!(#about #export));
        let meant = expand::meant::operations(&scan::operations_of(&self.item), CallingBody::Tensors);
        let in_doubt = expand::meant::rusts_own(parse::compiled::in_doubt(&self.item));
        Some(quote!(#functions #once #meant #in_doubt))
    }

    fn stub(&self, gathered: &Gathered) -> TokenStream {
        let export = self.export(gathered, true, &[]);
        if self.may_be_further() {
            let rest = fallback::block(&self.item, None);
            return quote!(#rest #export);
        }
        fallback::block(&self.item, Some(export.unwrap_or_default()))
    }
}
