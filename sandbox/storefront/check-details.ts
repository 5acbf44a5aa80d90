import { minorOf } from '#kit/money'
import { Refusal } from '#kit/refusal'
import type { Shop } from '../shop.ts'
import type { Details } from './cart.ts'
import { price } from './home.ts'

/** What the fields of the checkout are called on its page. */
export const LABELS: Record<keyof Details, string> = {
  country: 'Ship to',
  billing: 'Billing address',
  code: 'Discount code',
  gift_card: 'Gift card',
  credit: 'Store credit to use',
  delivery: 'Delivery schedule',
  note: 'Note'
}
/** What an order may refuse, in the order in which it is paid. */
const CHECKED = ['country', 'billing', 'code', 'gift_card', 'credit'] as const
const LONGEST_SHOWN = 40

/** Which details apply, what is wrong with the others, and the result of `tryOut` with those that apply. */
export type CheckedDetails<T> = { details: Details; problems: string[]; result: T }

/** Tries each detail with those before it that apply, so that all that is wrong is known at once. `creditMinor`: what the customer has. */
export async function checkDetails<T>(
  shop: Shop,
  given: Details,
  creditMinor: number | null,
  tryOut: (details: Details) => Promise<T>
): Promise<CheckedDetails<T>> {
  const problems: string[] = []
  let details: Details = Object.fromEntries(
    Object.entries(given).filter(([name]) => !CHECKED.some((checked) => checked === name))
  )
  let result: T | null = null
  for (const name of CHECKED) {
    const value = given[name]
    if (value === undefined) continue
    try {
      if (name === 'credit') refuseCreditBeyond(shop, value, creditMinor)
      result = await tryOut({ ...details, [name]: value })
      details = { ...details, [name]: value }
    } catch (err) {
      if (!(err instanceof Refusal)) throw err
      problems.push(`${LABELS[name]} “${value.slice(0, LONGEST_SHOWN)}”: ${err.details[0]?.message ?? err.message}`)
    }
  }
  return { details, problems, result: result ?? (await tryOut(details)) }
}

function refuseCreditBeyond(shop: Shop, given: string, creditMinor: number | null): void {
  if (creditMinor !== null && minorOf(given, shop.currency, 'credit') > creditMinor) {
    throw new Refusal('conflict', creditMinor > 0 ? `you have ${price(creditMinor, shop.currency)}` : 'you have none')
  }
}
