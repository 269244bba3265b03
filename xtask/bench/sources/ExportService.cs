using System.Globalization;
using System.Text;

namespace Shop.Billing;

public sealed class ExportService(IInvoiceStore store, TimeProvider time)
{
    public async Task<string> ToCsvAsync(DateOnly from, CancellationToken cancel = default)
    {
        var text = new StringBuilder("number;due;total\n");
        await foreach (var invoice in store.SinceAsync(from, cancel))
        {
            text.Append(CultureInfo.InvariantCulture, $"{invoice.Number};{invoice.Due:yyyy-MM-dd};{invoice.Total}\n");
        }
        return text.ToString();
    }

    public string FileName() => $"invoices-{time.GetUtcNow():yyyyMMdd}.csv";
}
