#!/usr/bin/env python3
import argparse
import csv
import json
import logging
import sys
from pathlib import Path

log = logging.getLogger("import")


def read(path: Path):
    with path.open(newline="", encoding="utf-8") as source:
        for number, row in enumerate(csv.DictReader(source), start=2):
            try:
                yield {
                    "id": int(row["id"]),
                    "customer": row["customer"].strip(),
                    "cents": round(float(row["total"].replace(",", ".")) * 100),
                }
            except (KeyError, ValueError) as error:
                log.warning("%s:%d: %s", path, number, error)


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("files", nargs="+", type=Path)
    parser.add_argument("--out", type=Path, default=Path("build/orders.json"))
    parser.add_argument("-v", "--verbose", action="store_true")
    args = parser.parse_args()
    logging.basicConfig(level=logging.DEBUG if args.verbose else logging.INFO)
    orders = {}
    for path in args.files:
        for order in read(path):
            if order["id"] in orders and orders[order["id"]] != order:
                log.warning("order %d differs between files", order["id"])
            orders[order["id"]] = order
    args.out.parent.mkdir(parents=True, exist_ok=True)
    args.out.write_text(json.dumps(sorted(orders.values(), key=lambda o: o["id"]), indent=2))
    log.info("%d orders written to %s", len(orders), args.out)
    return 0


if __name__ == "__main__":
    sys.exit(main())
