package com.example.shop.invoice;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.time.Clock;
import java.time.Instant;
import java.time.ZoneOffset;
import java.util.List;
import org.junit.jupiter.api.Test;

class InvoiceServiceTest {
    private final Clock clock = Clock.fixed(Instant.parse("2026-03-01T10:00:00Z"), ZoneOffset.UTC);
    private final InvoiceService service = new InvoiceService(new FakeRepository(), clock);

    @Test
    void isDueInTwoWeeks() {
        var invoice = service.create(7, List.of(new Line("A-1", 100, 2)));
        assertEquals("2026-03-15", invoice.dueOn().toString());
    }

    @Test
    void needsLines() {
        assertThrows(IllegalArgumentException.class, () -> service.create(7, List.of()));
    }
}
