WITH open AS (
    SELECT i.id, i.customer_id, i.due_on, sum(l.price_cents * l.quantity) AS cents
    FROM invoices i
    JOIN invoice_lines l ON l.invoice_id = i.id
    WHERE i.status = 'sent'
    GROUP BY i.id
)
SELECT c.name, count(*) AS invoices, sum(o.cents) / 100.0 AS total, min(o.due_on) AS oldest
FROM open o
JOIN customers c ON c.id = o.customer_id
WHERE o.due_on < current_date
GROUP BY c.id
HAVING sum(o.cents) > 10000
ORDER BY total DESC
LIMIT 100;
