from decimal import Decimal

import pytest

from shop.pricing import Line, Order


@pytest.fixture
def order():
    return Order(customer=7)


@pytest.mark.parametrize(
    ("price", "quantity", "discount", "total"),
    [("1.00", 1, 0, "1.00"), ("1.25", 3, 10, "3.38"), ("0.05", 1, 50, "0.02"), ("9.99", 0, 0, "0.00")],
)
def test_line_total(price, quantity, discount, total):
    assert Line("A-1", Decimal(price), quantity, discount).total() == Decimal(total)


def test_lines_of_the_same_price_are_one(order):
    order.add(Line("A-1", Decimal("2.00")))
    order.add(Line("A-1", Decimal("2.00"), 4))
    assert [line.quantity for line in order.lines] == [5]


def test_an_empty_order_costs_nothing(order):
    assert order.total() == 0
