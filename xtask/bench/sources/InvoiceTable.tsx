import { useMemo, useState } from 'react';
import { format } from '../lib/money';
import type { Invoice } from '../api';

interface Props {
  invoices: Invoice[];
  onOpen(id: string): void;
}

type Column = 'number' | 'due' | 'total';

export function InvoiceTable({ invoices, onOpen }: Props) {
  const [sort, setSort] = useState<{ by: Column; down: boolean }>({ by: 'due', down: true });
  const rows = useMemo(() => {
    const key = (invoice: Invoice) => (sort.by === 'total' ? invoice.total.cents : invoice[sort.by]);
    const sorted = [...invoices].sort((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
    return sort.down ? sorted.reverse() : sorted;
  }, [invoices, sort]);

  const header = (by: Column, title: string) => (
    <th aria-sort={sort.by === by ? (sort.down ? 'descending' : 'ascending') : 'none'}>
      <button onClick={() => setSort({ by, down: sort.by === by ? !sort.down : true })}>{title}</button>
    </th>
  );

  if (rows.length === 0) {
    return <p className="empty">No invoices yet.</p>;
  }
  return (
    <table>
      <thead>
        <tr>
          {header('number', 'Number')}
          {header('due', 'Due')}
          {header('total', 'Total')}
        </tr>
      </thead>
      <tbody>
        {rows.map((invoice) => (
          <tr key={invoice.id} onClick={() => onOpen(invoice.id)} className={invoice.paid ? 'paid' : ''}>
            <td>{invoice.number}</td>
            <td>{new Date(invoice.due).toLocaleDateString()}</td>
            <td>{format(invoice.total)}</td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}
