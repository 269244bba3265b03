import asyncio
import os
import time
from collections.abc import AsyncIterator

import httpx


class ApiError(Exception):
    def __init__(self, status: int, body: str) -> None:
        super().__init__(f"{status}: {body[:200]}")
        self.status = status


class Client:
    """Talks to the invoice service, and tries again when it is busy."""

    def __init__(self, base: str | None = None, retries: int = 3) -> None:
        self.base = base or os.environ.get("INVOICE_URL", "http://localhost:8080")
        self.retries = retries
        self.http = httpx.AsyncClient(base_url=self.base, timeout=10)

    async def get(self, path: str, **params) -> dict:
        for attempt in range(self.retries + 1):
            reply = await self.http.get(path, params=params)
            if reply.status_code in (429, 503) and attempt < self.retries:
                await asyncio.sleep(float(reply.headers.get("retry-after", 2**attempt)))
                continue
            if reply.is_error:
                raise ApiError(reply.status_code, reply.text)
            return reply.json()
        raise ApiError(503, "gave up")

    async def invoices(self, since: float = 0) -> AsyncIterator[dict]:
        cursor = None
        while True:
            page = await self.get("/invoices", since=since, cursor=cursor)
            for invoice in page["items"]:
                yield invoice
            cursor = page.get("next")
            if not cursor:
                return


async def main() -> None:
    started = time.monotonic()
    count = 0
    async for _ in Client().invoices():
        count += 1
    print(f"{count} invoices in {time.monotonic() - started:.1f} s")


if __name__ == "__main__":
    asyncio.run(main())
