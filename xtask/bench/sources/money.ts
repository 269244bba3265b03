export type Currency = 'EUR' | 'USD' | 'GBP';

export interface Money {
  readonly cents: number;
  readonly currency: Currency;
}

export const zero = (currency: Currency): Money => ({ cents: 0, currency });

export function add(left: Money, right: Money): Money {
  if (left.currency !== right.currency) {
    throw new TypeError(`cannot add ${right.currency} to ${left.currency}`);
  }
  return { cents: left.cents + right.cents, currency: left.currency };
}

export function format({ cents, currency }: Money, locale = 'de-DE'): string {
  return new Intl.NumberFormat(locale, { style: 'currency', currency }).format(cents / 100);
}
