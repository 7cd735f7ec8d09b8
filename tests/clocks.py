"""Which lines of a source assert something of a time: what a clock says is followed to them."""

import ast
import re

CLOCKS = {"monotonic", "perf_counter", "process_time", "thread_time", "timeit.repeat"}
CLOCKS |= {f"{name}_ns" for name in CLOCKS} | {"time", "times", "default_timer", "elapsed_time"}
MEASURES = {  # what of the package returns times, rates, or shares of a time
    "rounds", "event_rounds", "rounds_with_ceilings", "ceilings", "operations", "timed",
    "case_rows", "rows_at", "where_it_goes", "recorded", "length_results", "gpu_results",
}  # fmt: skip
UNDER_THEM = {"RESULTS", "cuda", "launch", "probes", "profiled"}  # what a test puts another for
WITHOUT = {"len", "set", "type", "isinstance", "keys"}  # of times, and no time itself
FIELDS = {"command", "environment", "settings", "case", "form", "n", "peak_mib"}  # of a record
BODIES = "body", "orelse", "handlers", "finalbody"
KEEPING = {"append", "extend", "insert", "add", "update", "setdefault"}
IN_WORDS = re.compile(r"\b(monotonic|perf_counter|process_time|times)\(\)")  # a program in a string


def times_asserted(source):
    """The lines of a source in which a test hangs on a time."""
    module, names = ast.parse(source), set()
    for _ in range(2):  # a function may stand below the one that calls it
        flow = Flow(names, found=set())
        flow.follow(module.body)
    return sorted(flow.found)


def reads_a_clock(source):
    """Whether a source takes a time."""
    return any(map(Flow(set(), set()).holds, ast.walk(ast.parse(source))))


class Flow:
    """The names that hold a time, or what is computed from one, statement by statement."""

    def __init__(self, names, found, sources=CLOCKS | MEASURES):
        self.names, self.found, self.sources, self.returns = names, found, sources, False

    def follow(self, body):
        for node in body:
            getattr(self, f"_{type(node).__name__}".lower(), lambda node: None)(node)
            for part in () if isinstance(node, ast.FunctionDef) else BODIES * 2:
                self.follow(getattr(node, part, []))

    def _assert(self, node):
        self._judge(node, node.test)

    def _if(self, node):
        if any(isinstance(step, ast.Raise) or "fail(" in ast.unparse(step) for step in node.body):
            self._judge(node, node.test)

    def _expr(self, node):
        call = node.value
        if isinstance(call, ast.Yield):
            self._return(call)
        elif isinstance(call, ast.Call) and last(call.func).startswith("assert"):
            self._judge(node, *call.args)
        elif isinstance(call, ast.Call) and last(call.func) in KEEPING:
            self._mark(root(call.func), any(map(self.holds, call.args)))

    def _return(self, node):
        self.returns |= self.holds(node.value)

    def _assign(self, node):
        for target in node.targets:
            self._bind(target, node.value)

    def _augassign(self, node):
        self._mark(root(node.target), self.holds(node.value))

    def _for(self, node):
        self._bind(node.target, each(node.iter))

    def _functiondef(self, node):
        calls = [x for x in ast.walk(node) if isinstance(x, ast.Call) and last(x.func) == "setattr"]
        put = {x.value.split(".")[-1] for call in calls for x in call.args[:2] if is_text(x)}
        sources = set() if put & CLOCKS else self.sources
        inner = Flow(set(self.names), self.found, sources)
        if put & (MEASURES | UNDER_THEM):
            inner.sources = sources - MEASURES
        given, defaults = node.args.args[::-1], node.args.defaults[::-1]
        inner.names |= {x.arg for x, y in zip(given, defaults, strict=False) if last(y) in CLOCKS}
        inner.follow(node.body)
        self._mark(node.name, inner.returns, anew=True)

    def _judge(self, node, *claims):
        if any(map(self.holds, claims)):
            self.found.add(node.lineno)

    def _mark(self, name, holds, anew=False):
        if holds or anew:
            (self.names.add if holds else self.names.discard)(name)

    def _bind(self, target, value):
        if not hasattr(target, "elts"):
            self._mark(root(target), self.holds(value), anew=isinstance(target, ast.Name))
            return
        values = getattr(value, "elts", [])
        if len(values) != len(target.elts):
            values = [value] * len(target.elts)
        for part, one in zip(target.elts, values, strict=True):
            self._bind(part, one)

    def holds(self, node):
        """Whether an expression holds a time."""
        if isinstance(node, ast.Name):
            return node.id in self.names
        if is_text(node):
            return bool(IN_WORDS.search(node.value))
        if isinstance(node, ast.Call):
            if last(node.func) in WITHOUT or {"clock", "folder"} & {k.arg for k in node.keywords}:
                return False
            if {last(node.func), ast.unparse(node.func)} & self.sources:
                return True
        if isinstance(node, ast.Subscript) and is_text(node.slice) and node.slice.value in FIELDS:
            return False
        parts, inner = list(ast.iter_child_nodes(node)) if node else [], self
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.In | ast.NotIn):
            return self.holds(node.left)
        if isinstance(node, ast.Compare) and isinstance(node.ops[0], ast.Eq):
            same = "approx" not in ast.unparse(node)  # one number, found twice
            return sum(map(self.holds, parts)) not in ((0, 2) if same else (0,))
        if hasattr(node, "generators"):
            inner = Flow(set(self.names), self.found, self.sources)
            for one in node.generators:
                inner._bind(one.target, each(one.iter))
                parts = [x for x in parts if x is not one] + one.ifs
        return any(map(inner.holds, parts))


def each(node):
    """What a loop meets, one of it: keys hold no time, and what goes side by side is told apart."""
    if isinstance(node, ast.Call) and last(node.func) == "zip":
        return ast.Tuple([each(x) for x in node.args])
    if isinstance(node, ast.Call) and last(node.func) == "enumerate":
        return ast.Tuple([ast.Constant(0), each(node.args[0])])
    if isinstance(node, ast.Call) and last(node.func) == "items":
        return ast.Tuple([ast.Constant(0), node.func.value])
    return node


def last(node):
    return getattr(node, "attr", getattr(node, "id", ""))


def root(node):
    while not isinstance(node, ast.Name) and hasattr(node, "value"):
        node = node.value
    return last(node)


def is_text(node):
    return isinstance(node, ast.Constant) and isinstance(node.value, str)
