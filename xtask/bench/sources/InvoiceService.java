package com.example.shop.invoice;

import java.time.Clock;
import java.time.LocalDate;
import java.util.List;
import java.util.Optional;
import org.springframework.stereotype.Service;
import org.springframework.transaction.annotation.Transactional;

@Service
public class InvoiceService {
    private final InvoiceRepository invoices;
    private final Clock clock;

    public InvoiceService(InvoiceRepository invoices, Clock clock) {
        this.invoices = invoices;
        this.clock = clock;
    }

    @Transactional(readOnly = true)
    public Optional<Invoice> find(long id) {
        return invoices.findById(id);
    }

    @Transactional
    public Invoice create(long customer, List<Line> lines) {
        if (lines.isEmpty()) {
            throw new IllegalArgumentException("an invoice needs at least one line");
        }
        var today = LocalDate.now(clock);
        var invoice = new Invoice(customer, today, today.plusDays(14));
        lines.forEach(invoice::add);
        return invoices.save(invoice);
    }

    @Transactional(readOnly = true)
    public List<Invoice> overdue(int days) {
        return invoices.findByPaidFalseAndDueOnBefore(LocalDate.now(clock).minusDays(days));
    }
}
