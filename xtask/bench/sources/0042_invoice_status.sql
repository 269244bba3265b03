-- Invoices know their status.
BEGIN;

CREATE TYPE invoice_status AS ENUM ('draft', 'sent', 'paid', 'cancelled');

ALTER TABLE invoices ADD COLUMN status invoice_status NOT NULL DEFAULT 'draft';

UPDATE invoices
SET status = CASE
    WHEN paid_at IS NOT NULL THEN 'paid'::invoice_status
    WHEN sent_at IS NOT NULL THEN 'sent'::invoice_status
    ELSE 'draft'::invoice_status
END;

CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_open ON invoices (due_on) WHERE status = 'sent';

COMMENT ON COLUMN invoices.status IS 'kept by the application; paid needs paid_at';

COMMIT;
