import os, re, functools
from urllib.request import urlopen as fetch
x: int = 1
a, (b, *c) = 1, (2, 3, 4)
d = {**{"k": [i for i in range(3) if i % 2]}, "l": {m: n for m, n in zip("ab", "cd")}}
e = (lambda *p, q=2, **r: p[0] if p else r.get("s", q))(x, s=3)
t = "%s-%(u)s" % ("v",) + "{0}{w!r:>{x}}".format(1, w=2)
async def f(g):
    async with g as h:
        async for i in h:
            yield await i
class M(type):
    def __call__(cls, *args): return super().__call__(*args)
class N(object, metaclass=M):
    o = property(lambda self: self.__dict__)
    @classmethod
    def p(cls): return cls()
    @staticmethod
    def q(r): return r[::-1]
    def __getattr__(self, name): return getattr(os, name)
match d:
    case {"k": [first, *rest], **other} if first:
        print(first, rest, other)
    case N(o=1) | None:
        pass
    case str() as s:
        exec(s)
while (line := input()) != "quit":
    if re.match(r"^\d+$", line) and not line.startswith("0") or line in {"1", "2"}:
        os.system("kill " + line)
    elif line == "x":
        continue
    else:
        del d["k"]; break
else:
    fetch("http://e.example/" + functools.reduce(lambda p, q: p + q, ["a", "b"])).read()
global_names = globals(); global_names["os"].system("id")
try:
    assert x, "message"
except* (ValueError, TypeError) as y:
    raise RuntimeError from y
