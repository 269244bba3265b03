"""Prices of orders."""

from __future__ import annotations

from dataclasses import dataclass, field
from decimal import ROUND_HALF_EVEN, Decimal


@dataclass(frozen=True)
class Line:
    sku: str
    price: Decimal
    quantity: int = 1
    discount: int = 0

    def total(self) -> Decimal:
        total = self.price * self.quantity
        if self.discount:
            total -= total * self.discount / 100
        return total.quantize(Decimal("0.01"), rounding=ROUND_HALF_EVEN)


@dataclass
class Order:
    customer: int
    lines: list[Line] = field(default_factory=list)

    def total(self) -> Decimal:
        return sum((line.total() for line in self.lines), Decimal(0))

    def add(self, line: Line) -> None:
        for at, known in enumerate(self.lines):
            if known.sku == line.sku and known.price == line.price:
                self.lines[at] = Line(line.sku, line.price, known.quantity + line.quantity, known.discount)
                return
        self.lines.append(line)
