<?php

declare(strict_types=1);

namespace App\Http\Controllers;

use App\Http\Requests\StoreInvoice;
use App\Models\Invoice;
use Illuminate\Http\JsonResponse;
use Illuminate\Support\Facades\DB;

final class InvoiceController extends Controller
{
    public function index(): JsonResponse
    {
        $invoices = Invoice::query()
            ->with('customer')
            ->when(request('status'), fn ($query, $status) => $query->where('status', $status))
            ->latest('issued_on')
            ->paginate(50);

        return response()->json($invoices);
    }

    public function store(StoreInvoice $request): JsonResponse
    {
        $invoice = DB::transaction(function () use ($request) {
            $invoice = Invoice::create($request->safe()->only(['customer_id', 'due_on']));
            foreach ($request->validated('lines') as $position => $line) {
                $invoice->lines()->create([...$line, 'position' => $position]);
            }

            return $invoice;
        });

        return response()->json($invoice->load('lines'), 201);
    }
}
