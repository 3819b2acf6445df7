//! Finds out which variable each name is: blocks, bindings and lookups.

use rustc_hash::FxHashMap;

use super::spell::nearest;
use crate::error::{Position, Problem};
use crate::fault::Fault;
use crate::library::universal;
use crate::syntax::{Ast, FunctionId, Ident, Symbol};

type BlockId = usize;
type BindingId = usize;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Scope {
    Undefined,
    Local,
    /// Local, and used by inner functions.
    Cell,
    /// A cell of an outer function.
    Free,
    Global,
    Predeclared,
    Universal,
}

#[derive(Debug, Clone, Copy)]
pub(super) struct Binding {
    pub(super) scope: Scope,
    pub(super) index: u32,
    pub(super) name: Symbol,
}

struct Block {
    parent: Option<BlockId>,
    function: Option<FunctionId>,
    bindings: FxHashMap<Symbol, BindingId>,
    children: Vec<BlockId>,
    /// Names that are used here but not known to be local, with the blocks that they are used in.
    uses: Vec<(Ident, BlockId)>,
}

/// What is known about a function.
#[derive(Debug, Default)]
pub(super) struct Info {
    pub(super) locals: Vec<BindingId>,
    pub(super) free: Vec<BindingId>,
    pub(super) keyword_only: usize,
    pub(super) has_args: bool,
    pub(super) has_kwargs: bool,
}

pub(super) struct Resolver<'a> {
    ast: &'a Ast,
    is_predeclared: &'a dyn Fn(&str) -> bool,
    blocks: Vec<Block>,
    here: BlockId,
    bindings: Vec<Binding>,
    globals: FxHashMap<Symbol, BindingId>,
    /// Names that are predeclared or universal.
    outer: FxHashMap<Symbol, BindingId>,
    pub(super) loops: usize,
    result: Resolved,
}

/// The meaning of the names of a file.
#[derive(Debug, Default)]
pub(super) struct Resolved {
    /// The variable of each occurrence of a name.
    idents: Vec<BindingId>,
    bindings: Vec<Binding>,
    functions: Vec<Info>,
    pub(super) globals: Vec<Symbol>,
    pub(super) predeclared: Vec<Symbol>,
    problems: Vec<Problem>,
}

impl Resolved {
    pub(super) fn binding(&self, ident: Ident) -> Binding {
        self.binding_of(self.idents[ident.id as usize])
    }

    pub(super) fn binding_of(&self, id: BindingId) -> Binding {
        self.bindings[id]
    }

    pub(super) fn function(&self, id: FunctionId) -> &Info {
        &self.functions[id as usize]
    }
}

const FILE: BlockId = 0;

/// Resolves all names of a file, or returns what is wrong with them.
pub(super) fn resolve(ast: &Ast, is_predeclared: &dyn Fn(&str) -> bool) -> Result<Resolved, Vec<Problem>> {
    let file = Block {
        parent: None,
        function: None,
        bindings: FxHashMap::default(),
        children: Vec::new(),
        uses: Vec::new(),
    };
    // Index zero represents names without a binding.
    let undefined = Binding { scope: Scope::Undefined, index: 0, name: 0 };
    let mut resolver = Resolver {
        ast,
        is_predeclared,
        blocks: vec![file],
        here: FILE,
        bindings: vec![undefined],
        globals: FxHashMap::default(),
        outer: FxHashMap::default(),
        loops: 0,
        result: Resolved {
            idents: vec![0; ast.idents as usize],
            functions: (0..ast.functions).map(|_| Info::default()).collect(),
            ..Resolved::default()
        },
    };
    resolver.statements(&ast.statements);
    resolver.resolve_local_uses();
    resolver.resolve_other_uses(FILE);
    let mut result = resolver.result;
    result.bindings = resolver.bindings;
    if result.problems.is_empty() { Ok(result) } else { Err(result.problems) }
}

impl Resolver<'_> {
    pub(super) fn error(&mut self, position: Position, message: impl Into<String>) {
        self.result.problems.push(Problem::new(message, position));
    }

    pub(super) fn text(&self, symbol: Symbol) -> &str {
        self.ast.name(symbol)
    }

    pub(super) fn info(&mut self, function: FunctionId) -> &mut Info {
        &mut self.result.functions[function as usize]
    }

    pub(super) fn push_block(&mut self, function: Option<FunctionId>) {
        let id = self.blocks.len();
        self.blocks.push(Block {
            parent: Some(self.here),
            function,
            bindings: FxHashMap::default(),
            children: Vec::new(),
            uses: Vec::new(),
        });
        self.blocks[self.here].children.push(id);
        self.here = id;
    }

    pub(super) fn pop_block(&mut self) {
        self.here = self.blocks[self.here].parent.unwrap_or(FILE);
    }

    /// The block of the outer function, or of the file.
    fn container(&self) -> BlockId {
        let mut block = self.here;
        while self.blocks[block].function.is_none() {
            match self.blocks[block].parent {
                Some(parent) => block = parent,
                None => break,
            }
        }
        block
    }

    pub(super) fn function_here(&self) -> Option<FunctionId> {
        self.blocks[self.container()].function
    }

    fn new_binding(&mut self, scope: Scope, index: usize, name: Symbol) -> BindingId {
        self.bindings.push(Binding { scope, index: index as u32, name });
        self.bindings.len() - 1
    }

    /// Binds a name: a global outside functions and comprehensions, otherwise a local one. Returns whether it
    /// was already bound.
    pub(super) fn bind(&mut self, ident: Ident) -> bool {
        if self.here != FILE {
            return self.bind_local(ident);
        }
        let known = self.blocks[FILE].bindings.get(&ident.name).or_else(|| self.globals.get(&ident.name));
        let (binding, was_bound) = match known {
            Some(known) => (*known, true),
            None => {
                let binding = self.new_binding(Scope::Global, self.result.globals.len(), ident.name);
                self.globals.insert(ident.name, binding);
                self.result.globals.push(ident.name);
                (binding, false)
            }
        };
        self.result.idents[ident.id as usize] = binding;
        was_bound
    }

    pub(super) fn bind_local(&mut self, ident: Ident) -> bool {
        let was_bound = self.blocks[self.here].bindings.contains_key(&ident.name);
        if !was_bound {
            let function = self.function_here().unwrap_or(0);
            let index = self.info(function).locals.len();
            let binding = self.new_binding(Scope::Local, index, ident.name);
            self.info(function).locals.push(binding);
            self.blocks[self.here].bindings.insert(ident.name, binding);
        }
        self.use_name(ident);
        was_bound
    }

    /// Records a use. Outside functions a name has the meaning it has at that point of the file.
    pub(super) fn use_name(&mut self, ident: Ident) {
        if self.here == FILE {
            self.use_of_file(ident, FILE);
        } else {
            let container = self.container();
            self.blocks[container].uses.push((ident, self.here));
        }
    }

    fn use_of_file(&mut self, ident: Ident, used_in: BlockId) -> BindingId {
        let name = ident.name;
        let known = self.blocks[FILE].bindings.get(&name).or_else(|| self.globals.get(&name));
        let binding = if let Some(known) = known.or_else(|| self.outer.get(&name)) {
            *known
        } else if (self.is_predeclared)(self.text(name)) {
            let binding = self.new_binding(Scope::Predeclared, self.result.predeclared.len(), name);
            self.result.predeclared.push(name);
            self.outer.insert(name, binding);
            binding
        } else if let Some(index) = universal(self.text(name)) {
            let binding = self.new_binding(Scope::Universal, index, name);
            self.outer.insert(name, binding);
            binding
        } else {
            let shown = self.text(name).to_owned();
            let nearest = self.nearest_name(&shown, used_in);
            let fault = Fault::Undefined { name: shown, nearest };
            self.result.problems.push(Problem::of(fault, ident.position));
            self.new_binding(Scope::Undefined, 0, name)
        };
        self.result.idents[ident.id as usize] = binding;
        binding
    }

    fn nearest_name(&self, name: &str, used_in: BlockId) -> Option<String> {
        let mut names: Vec<&str> = Vec::new();
        let mut block = Some(used_in);
        while let Some(id) = block {
            names.extend(self.blocks[id].bindings.keys().map(|symbol| self.text(*symbol)));
            block = self.blocks[id].parent;
        }
        names.extend(self.result.globals.iter().map(|symbol| self.text(*symbol)));
        names.sort_unstable();
        nearest(name, names).map(str::to_owned)
    }

    /// Resolves the uses of variables of the function that is being left.
    pub(super) fn resolve_local_uses(&mut self) {
        let container = self.container();
        let uses = std::mem::take(&mut self.blocks[container].uses);
        for (ident, block) in uses {
            match self.lookup_local(ident.name, block) {
                Some(binding) => self.result.idents[ident.id as usize] = binding,
                None => self.blocks[container].uses.push((ident, block)),
            }
        }
    }

    fn lookup_local(&self, name: Symbol, mut block: BlockId) -> Option<BindingId> {
        loop {
            let here = &self.blocks[block];
            if let Some(binding) = here.bindings.get(&name) {
                return Some(*binding);
            }
            if here.function.is_some() {
                return None;
            }
            block = here.parent?;
        }
    }

    fn resolve_other_uses(&mut self, block: BlockId) {
        for child in self.blocks[block].children.clone() {
            self.resolve_other_uses(child);
        }
        for (ident, used_in) in std::mem::take(&mut self.blocks[block].uses) {
            let binding = self.lookup(ident, used_in, used_in);
            self.result.idents[ident.id as usize] = binding;
        }
    }

    /// Looks a name up in a block and those around it. A variable of an outer function becomes a cell, and each
    /// function between captures it.
    fn lookup(&mut self, ident: Ident, used_in: BlockId, block: BlockId) -> BindingId {
        let Some(parent) = self.blocks[block].parent else { return self.use_of_file(ident, used_in) };
        if let Some(binding) = self.blocks[block].bindings.get(&ident.name) {
            return *binding;
        }
        let mut binding = self.lookup(ident, used_in, parent);
        if let Some(function) = self.blocks[block].function
            && self.bindings[binding].is_of_function()
        {
            if self.bindings[binding].scope == Scope::Local {
                self.bindings[binding].scope = Scope::Cell;
            }
            let index = self.info(function).free.len();
            self.info(function).free.push(binding);
            binding = self.new_binding(Scope::Free, index, ident.name);
        }
        self.blocks[block].bindings.insert(ident.name, binding);
        binding
    }
}
