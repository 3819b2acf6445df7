//! Compiles a tree to code: functions, and what statements and expressions share.

use std::sync::Arc;

use num_bigint::BigInt;
use rustc_hash::FxHashMap;

use super::op::{Capture, Code, Loading, Name, Op};
use super::program::{Constant, Program};
use super::resolve_names::{Resolved, Scope};
use crate::error::{Error, ErrorKind, Position, Problem};
use crate::library::Methods;
use crate::syntax::{Ast, FunctionDef, FunctionId, Ident, Literal, Param, Statement, Symbol};

/// The maximum size of the code of one function, without its inner functions.
const MOST_OPS: usize = 1 << 26;

/// What the functions of a program share.
struct Shared<'a> {
    ast: &'a Ast,
    resolved: &'a Resolved,
    constants: Vec<Constant>,
    strings: FxHashMap<Vec<u8>, u32>,
    ints: FxHashMap<i64, u32>,
    names: Vec<Arc<str>>,
    name_indexes: FxHashMap<Symbol, u32>,
    too_large: bool,
}

/// The code of a function that is being compiled.
pub(super) struct Compiler<'a, 's> {
    shared: &'s mut Shared<'a>,
    ops: Vec<Op>,
    positions: Vec<(u32, Position)>,
    /// The place of the next instruction, if it is known.
    pending: Position,
    pub(super) loops: Vec<Loop>,
    argument_names: Vec<Vec<u32>>,
    pub(super) loads: Vec<Loading>,
    functions: Vec<Draft>,
}

pub(super) struct Loop {
    pub(super) head: usize,
    /// Jumps to after the loop.
    pub(super) breaks: Vec<usize>,
}

/// Code without the parts that the whole program shares, which are only known at the end.
struct Draft {
    function: FunctionId,
    name: Arc<str>,
    position: Position,
    params: usize,
    defaults: usize,
    captures: Vec<Capture>,
    ops: Vec<Op>,
    positions: Vec<(u32, Position)>,
    argument_names: Vec<Vec<u32>>,
    loads: Vec<Loading>,
    functions: Vec<Draft>,
}

pub(super) fn program(ast: &Ast, resolved: &Resolved, position: Position) -> Result<Program, Error> {
    let mut shared = Shared {
        ast,
        resolved,
        constants: Vec::new(),
        strings: FxHashMap::default(),
        ints: FxHashMap::default(),
        names: Vec::new(),
        name_indexes: FxHashMap::default(),
        too_large: false,
    };
    let draft = draft(&mut shared, 0, "<toplevel>".into(), position, &ast.statements);
    if shared.too_large {
        let problem = Problem::new("the program is too large", position);
        return Err(Error::source(ErrorKind::Limit, vec![problem]));
    }
    let names = shared.names.into_iter().map(|text| Name { methods: Methods::named(&text), text }).collect();
    let globals = resolved.globals.iter().map(|symbol| Arc::clone(ast.name(*symbol))).collect();
    let code = finish(draft, ast, resolved, &names, &globals);
    let predeclared = resolved.predeclared.iter().map(|symbol| Arc::clone(ast.name(*symbol))).collect();
    Ok(Program { code, constants: shared.constants, predeclared })
}

fn draft(
    shared: &mut Shared<'_>,
    function: FunctionId,
    name: Arc<str>,
    position: Position,
    body: &[Statement],
) -> Draft {
    let mut compiler = Compiler {
        shared,
        ops: Vec::new(),
        positions: Vec::new(),
        pending: position,
        loops: Vec::new(),
        argument_names: Vec::new(),
        loads: Vec::new(),
        functions: Vec::new(),
    };
    compiler.statements(body);
    compiler.emit(Op::None);
    compiler.emit(Op::Return);
    let Compiler { ops, positions, argument_names, loads, functions, .. } = compiler;
    if ops.len() > MOST_OPS {
        shared.too_large = true;
    }
    Draft {
        function,
        name,
        position,
        params: 0,
        defaults: 0,
        captures: Vec::new(),
        ops,
        positions,
        argument_names,
        loads,
        functions,
    }
}

fn finish(
    draft: Draft,
    ast: &Ast,
    resolved: &Resolved,
    names: &Arc<[Name]>,
    globals: &Arc<[Arc<str>]>,
) -> Arc<Code> {
    let info = resolved.function(draft.function);
    let text = |id: &usize| Arc::clone(ast.name(resolved.binding_of(*id).name));
    let is_cell = |id: &usize| resolved.binding_of(*id).scope == Scope::Cell;
    let cells = info.locals.iter().enumerate().filter(|(_, id)| is_cell(id)).map(|(index, _)| index as u32);
    Arc::new(Code {
        name: draft.name,
        file: Arc::clone(&ast.file),
        position: draft.position,
        ops: draft.ops,
        positions: draft.positions,
        locals: info.locals.iter().map(text).collect(),
        free: info.free.iter().map(text).collect(),
        captures: draft.captures,
        cells: cells.collect(),
        params: draft.params,
        keyword_only: info.keyword_only,
        defaults: draft.defaults,
        has_args: info.has_args,
        has_kwargs: info.has_kwargs,
        argument_names: draft.argument_names,
        loads: draft.loads,
        functions: draft
            .functions
            .into_iter()
            .map(|inner| finish(inner, ast, resolved, names, globals))
            .collect(),
        names: Arc::clone(names),
        globals: Arc::clone(globals),
    })
}

impl Compiler<'_, '_> {
    /// Sets the place of the next instruction. An unknown place removes the one that was set.
    pub(super) fn at(&mut self, position: Position) {
        self.pending = position;
    }

    pub(super) fn emit(&mut self, op: Op) -> usize {
        let here = self.ops.len();
        let position = std::mem::take(&mut self.pending);
        if position.line != 0 {
            self.positions.push((here as u32, position));
        }
        self.ops.push(op);
        here
    }

    pub(super) fn here(&self) -> usize {
        self.ops.len()
    }

    pub(super) fn position_count(&self) -> usize {
        self.positions.len()
    }

    /// Makes emitted jumps point here.
    pub(super) fn land(&mut self, jumps: Vec<usize>) {
        let here = self.ops.len() as u32;
        for jump in jumps {
            if let Some(
                Op::Jump(target)
                | Op::JumpIf(target)
                | Op::JumpIfNot(target)
                | Op::JumpIfOrPop(target)
                | Op::JumpIfNotOrPop(target)
                | Op::Next(target),
            ) = self.ops.get_mut(jump)
            {
                *target = here;
            }
        }
    }

    pub(super) fn name(&self, symbol: Symbol) -> &Arc<str> {
        self.shared.ast.name(symbol)
    }

    pub(super) fn name_index(&mut self, symbol: Symbol) -> u32 {
        if let Some(index) = self.shared.name_indexes.get(&symbol) {
            return *index;
        }
        let index = self.shared.names.len() as u32;
        let text = Arc::clone(self.shared.ast.name(symbol));
        self.shared.names.push(text);
        self.shared.name_indexes.insert(symbol, index);
        index
    }

    fn add_constant(&mut self, constant: Constant) -> u32 {
        self.shared.constants.push(constant);
        self.shared.constants.len() as u32 - 1
    }

    pub(super) fn string(&mut self, text: &[u8]) -> u32 {
        if let Some(index) = self.shared.strings.get(text) {
            return *index;
        }
        let index = self.add_constant(Constant::String(text.to_vec()));
        self.shared.strings.insert(text.to_vec(), index);
        index
    }

    pub(super) fn literal(&mut self, literal: &Literal) {
        let index = match literal {
            Literal::String(text) => self.string(text),
            Literal::Int(value) => match self.shared.ints.get(value) {
                Some(index) => *index,
                None => {
                    let index = self.add_constant(Constant::Int(*value));
                    self.shared.ints.insert(*value, index);
                    index
                }
            },
            Literal::Big(value) => self.add_constant(Constant::Big(BigInt::clone(value))),
            Literal::Float(value) => self.add_constant(Constant::Float(*value)),
        };
        self.emit(Op::Constant(index));
    }

    /// The list of the names of a call's arguments; calls with the same names share one.
    pub(super) fn names_of_arguments(&mut self, names: Vec<u32>) -> u16 {
        if names.is_empty() {
            return 0;
        }
        let known = self.argument_names.iter().position(|known| *known == names);
        let index = known.unwrap_or_else(|| {
            self.argument_names.push(names);
            self.argument_names.len() - 1
        });
        u16::try_from(index).unwrap_or_else(|_| {
            self.shared.too_large = true;
            0
        })
    }

    /// Takes the top of the stack into a variable.
    pub(super) fn set(&mut self, ident: Ident) {
        let binding = self.shared.resolved.binding(ident);
        let op = match binding.scope {
            Scope::Cell => Op::SetCell(binding.index),
            Scope::Global => Op::SetGlobal(binding.index),
            _ => Op::SetLocal(binding.index),
        };
        self.emit(op);
    }

    pub(super) fn lookup(&mut self, ident: Ident) {
        let binding = self.shared.resolved.binding(ident);
        if binding.scope != Scope::Universal {
            self.at(ident.position);
        }
        let op = match binding.scope {
            Scope::Local | Scope::Undefined => Op::Local(binding.index),
            Scope::Cell => Op::LocalCell(binding.index),
            Scope::Free => Op::Free(binding.index),
            Scope::Global => Op::Global(binding.index),
            Scope::Predeclared => Op::Predeclared(binding.index),
            Scope::Universal => Op::Universal(binding.index),
        };
        self.emit(op);
    }

    pub(super) fn function(&mut self, function: &FunctionDef) {
        // Defaults may fail, so the place is recorded before them.
        self.at(function.position);
        let mut defaults = 0;
        let mut seen_star = false;
        let mut params = function.params.len();
        for param in &function.params {
            match param {
                Param::Default(_, _, value) => {
                    self.expr(value);
                    defaults += 1;
                }
                Param::Plain(_) if seen_star => {
                    self.emit(Op::Mandatory);
                    defaults += 1;
                }
                Param::Plain(_) => {}
                Param::Star(_, name) => {
                    seen_star = true;
                    if name.is_none() {
                        params -= 1;
                    }
                }
                Param::StarStar(..) => seen_star = true,
            }
        }
        let resolved = self.shared.resolved;
        let free = &resolved.function(function.id).free;
        let captures = free
            .iter()
            .map(|id| resolved.binding_of(*id))
            .map(|binding| match binding.scope {
                Scope::Free => Capture::Free(binding.index),
                _ => Capture::Local(binding.index),
            })
            .collect();
        let name = Arc::clone(self.name(function.name));
        let draft = draft(self.shared, function.id, name, function.position, &function.body);
        self.functions.push(Draft { params, defaults, captures, ..draft });
        self.emit(Op::MakeFunction(self.functions.len() as u32 - 1));
    }
}
