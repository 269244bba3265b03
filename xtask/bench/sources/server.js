'use strict';

const express = require('express');
const { Pool } = require('pg');

const app = express();
const pool = new Pool({ connectionString: process.env.DATABASE_URL });

app.use(express.json({ limit: '100kb' }));

app.get('/health', (req, res) => res.json({ ok: true }));

app.get('/invoices/:id', async (req, res, next) => {
  try {
    const { rows } = await pool.query('select id, number, total_cents from invoices where id = $1', [req.params.id]);
    if (rows.length === 0) return res.status(404).json({ error: 'no such invoice' });
    res.json(rows[0]);
  } catch (error) {
    next(error);
  }
});

app.use((error, req, res, next) => {
  console.error(error);
  if (res.headersSent) return next(error);
  res.status(500).json({ error: 'internal error' });
});

if (require.main === module) {
  const port = Number(process.env.PORT ?? 8080);
  app.listen(port, () => console.log(`listening on ${port}`));
}

module.exports = app;
