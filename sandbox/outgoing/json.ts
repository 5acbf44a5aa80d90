import { decimalOf } from '#kit/money'
import { shopInstant, shopInstantOrNull } from '../wire/time.ts'

// JSON.rawJSON is newer than the type library's JSON.
declare global {
  interface JSON {
    rawJSON(text: string): { rawJSON: string }
  }
}

/** An id as a JSON number with all its digits, even above 2^53, as the platform sends it. */
export function number(id: string): unknown
export function number(id: string | null): unknown
export function number(id: string | null) {
  return id === null ? null : JSON.rawJSON(id)
}

/** Formats gids, amounts and times for the payloads of one shop. */
export function formsOf(shop: { profile: string; timezone: string }) {
  return {
    gid: (type: string, id: string) => `gid://${shop.profile}/${type}/${id}`,
    gidOrNull: (type: string, id: string | null) => (id === null ? null : `gid://${shop.profile}/${type}/${id}`),
    at: (instant: Temporal.Instant) => shopInstant(instant, shop.timezone),
    atOrNull: (instant: Temporal.Instant | null) => shopInstantOrNull(instant, shop.timezone)
  }
}

export function moneySet(amountMinor: number, currency: string) {
  const money = { amount: decimalOf(amountMinor, currency), currency_code: currency }
  return { shop_money: money, presentment_money: money }
}
