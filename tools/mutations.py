"""Small changes to Python source, each of which a good test ought to notice."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

OTHER_COMPARISON: dict[type[ast.cmpop], tuple[type[ast.cmpop], ...]] = {
    ast.Lt: (ast.LtE,),
    ast.LtE: (ast.Lt,),
    ast.Gt: (ast.GtE,),
    ast.GtE: (ast.Gt,),
    ast.Eq: (ast.NotEq,),
    ast.NotEq: (ast.Eq,),
    ast.Is: (ast.IsNot,),
    ast.IsNot: (ast.Is,),
    ast.In: (ast.NotIn,),
    ast.NotIn: (ast.In,),
}
OTHER_OPERATION: dict[type[ast.operator], type[ast.operator]] = {
    ast.Add: ast.Sub,
    ast.Sub: ast.Add,
    ast.Mult: ast.Div,
    ast.Div: ast.Mult,
    ast.FloorDiv: ast.Mult,
    ast.Mod: ast.FloorDiv,
    ast.Pow: ast.Mult,
    ast.MatMult: ast.Mult,
    ast.BitAnd: ast.BitOr,
    ast.BitOr: ast.BitAnd,
    ast.BitXor: ast.BitOr,
    ast.LShift: ast.RShift,
    ast.RShift: ast.LShift,
}
PAIRS = (
    ("minimum", "maximum"),
    ("min", "max"),
    ("any", "all"),
    ("zeros", "ones"),
    ("zeros_like", "ones_like"),
    ("argmin", "argmax"),
    ("left", "right"),
    ("worst", "best"),
)
OTHER_NAME = dict(PAIRS) | {there: here for here, there in PAIRS}
SYMMETRIC = {
    "minimum",
    "maximum",
    "min",
    "max",
    "array_equal",
    "hypot",
    "clip",
    "logical_and",
    "logical_or",
    "isinstance",
}


@dataclass(frozen=True, slots=True)
class Mutation:
    """One change: ``holder.field`` (or its element) becomes something else."""

    line: int
    before: str
    after: str
    holder: ast.AST
    field: str
    index: int | None
    new: ast.AST

    def apply(self) -> None:
        """Change the tree in place."""
        if self.index is None:
            setattr(self.holder, self.field, self.new)
        else:
            getattr(self.holder, self.field)[self.index] = self.new


def mutations_of(tree: ast.Module) -> Iterator[Mutation]:
    """Yield the mutations of a module in the order of its lines."""
    yield from sorted(_inside(tree), key=lambda mutation: mutation.line)


def _inside(node: ast.AST) -> Iterator[Mutation]:
    for field, value in ast.iter_fields(node):
        if field in ("annotation", "returns", "decorator_list", "bases") or _is_for_readers_only(node, field):
            continue
        for index, child in enumerate(value) if isinstance(value, list) else [(None, value)]:
            if not isinstance(child, ast.AST) or _is_for_readers_only(child, ""):
                continue
            for new in _replacements(child):
                new = ast.fix_missing_locations(ast.copy_location(new, child))
                yield Mutation(_line(child, node), _shown(child), _shown(new), node, field, index, new)
            if not isinstance(child, ast.Raise):  # the words of a message may be any
                yield from _inside(child)


def _is_for_readers_only(node: ast.AST, field: str) -> bool:
    """Whether nothing of this is carried out, or only what type checkers and `import *` see."""
    if field == "":
        names = [ast.unparse(target) for target in node.targets] if isinstance(node, ast.Assign) else []
        is_text = isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant)
        return is_text or names == ["__all__"] or isinstance(node, ast.Import | ast.ImportFrom)
    return field == "body" and isinstance(node, ast.If) and ast.unparse(node.test) == "TYPE_CHECKING"


def _replacements(node: ast.AST) -> Iterator[ast.AST]:
    match node:
        case ast.Compare(left=left, ops=ops, comparators=comparators):
            for i, op in enumerate(ops):
                for other in OTHER_COMPARISON[type(op)]:
                    yield ast.Compare(left, [*ops[:i], other(), *ops[i + 1 :]], comparators)
        case ast.BinOp(left=left, op=op, right=right) if not _is_text(left):
            yield ast.BinOp(left, OTHER_OPERATION[type(op)](), right)
        case ast.AugAssign(target=target, op=op, value=value):
            yield ast.AugAssign(target, OTHER_OPERATION[type(op)](), value)
            yield ast.Pass()
        case ast.UnaryOp(operand=operand):
            yield operand
        case ast.BoolOp(op=op, values=values):
            yield ast.BoolOp(ast.Or() if isinstance(op, ast.And) else ast.And(), values)
        case ast.Constant(value=bool() as value):
            yield ast.Constant(not value)
        case ast.Constant(value=int() | float() as number):
            yield ast.Constant(number + 1)
            yield ast.Constant(number - 1)
        case ast.Constant(value=str() as text) if text in OTHER_NAME:
            yield ast.Constant(OTHER_NAME[text])
        case ast.Name(id=name) if name in OTHER_NAME and isinstance(node.ctx, ast.Load):
            yield ast.Name(OTHER_NAME[name], node.ctx)
        case ast.Attribute(value=value, attr=name, ctx=ast.Load()) if name in OTHER_NAME:
            yield ast.Attribute(value, OTHER_NAME[name], node.ctx)
        case ast.Call():
            yield from _calls_instead_of(node)
        case ast.If(body=body, orelse=orelse) | ast.IfExp(body=body, orelse=orelse):
            yield type(node)(ast.UnaryOp(ast.Not(), node.test), body, orelse)
        case ast.While(test=test, body=body, orelse=orelse):
            yield ast.While(ast.UnaryOp(ast.Not(), test), body, orelse)
        case ast.comprehension(ifs=[_, *_] as ifs):
            yield ast.comprehension(node.target, node.iter, ifs[1:], node.is_async)
        case ast.Expr(value=ast.Call()) | ast.Raise():
            yield ast.Pass()
        case ast.Assign(targets=[ast.Subscript() | ast.Attribute()]):
            yield ast.Pass()
        case ast.Break():
            yield ast.Continue()
        case ast.Continue():
            yield ast.Break()


def _calls_instead_of(call: ast.Call) -> Iterator[ast.Call]:
    """Yield the call with its first two arguments swapped, and without each of its options."""
    name = call.func.attr if isinstance(call.func, ast.Attribute) else getattr(call.func, "id", "")
    starred = any(isinstance(argument, ast.Starred) for argument in call.args)
    if len(call.args) >= 2 and not starred and name not in SYMMETRIC:
        first, second, *others = call.args
        yield ast.Call(call.func, [second, first, *others], call.keywords)
    for i in range(len(call.keywords)):
        yield ast.Call(call.func, call.args, call.keywords[:i] + call.keywords[i + 1 :])


def _is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _line(node: ast.AST, parent: ast.AST) -> int:
    found = getattr(node, "lineno", None) or getattr(parent, "lineno", None)
    return found if isinstance(found, int) else next(n.lineno for n in ast.walk(node) if hasattr(n, "lineno"))


def _shown(node: ast.AST) -> str:
    """One line of code; of a block, its head."""
    if isinstance(node, ast.comprehension):
        return ast.unparse(ast.ListComp(ast.Constant(...), [node]))[1:-1]
    return ast.unparse(node).split("\n", 1)[0]
