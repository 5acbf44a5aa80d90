import type { AccountContract, MatchedOffer } from '../../../sdk/src/storefront-answers.ts'
import { day, duration, money, priceEach } from './format.ts'

type Words<Key extends string> = { say: (key: Key, values?: Record<string, string>) => string; language: string }

/** What a contract costs now: `€19.00 / month`, and what it costs without its offer. */
export function currentPrice({ say, language }: Words<'instead'>, contract: AccountContract): string {
  const { currency, interval_name: unit, interval_count: count, price, price_with_offer: reduced } = contract
  const amount = (text: string) => money(language, text, currency)
  return reduced
    ? say('instead', { new: priceEach(language, amount(reduced), unit, count), old: amount(price) })
    : priceEach(language, amount(price), unit, count)
}

/** What an offer leads to, line by line; nothing for one without a preview. */
export function consequences(
  { say, language }: Words<'instead' | 'for' | 'payment' | 'credit'>,
  { type, preview }: MatchedOffer
): string[] {
  if (!preview) return []
  const { currency, interval_name: unit, interval_count: count, cycles, credit_amount: credit } = preview
  if (type === 'add_store_credits') return [say('credit', { amount: money(language, credit, currency) })]
  const each = (price: string) => priceEach(language, money(language, price, currency), unit, count)
  const next = preview.next_billing_date && say('payment', { date: day(language, preview.next_billing_date) })
  if (type === 'change_frequency') return [each(preview.price_with_offer), ...(next ? [next] : [])]
  return [
    say('instead', { new: each(preview.price_with_offer), old: money(language, preview.price, currency) }),
    ...(cycles === null ? [] : [say('for', { duration: duration(language, unit, cycles * count) })])
  ]
}
