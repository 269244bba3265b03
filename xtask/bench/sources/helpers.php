<?php

function money(int $cents, string $currency = 'EUR'): string
{
    $format = new NumberFormatter('de_DE', NumberFormatter::CURRENCY);

    return $format->formatCurrency($cents / 100, $currency);
}

function slug(string $text): string
{
    $text = preg_replace('/[^a-z0-9]+/', '-', strtolower(trim($text)));

    return trim($text ?? '', '-');
}
