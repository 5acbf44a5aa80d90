import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { agreement, storefrontSetting } from '#storefront-settings'
import { MAX_NOTE_CHARACTERS, type NewActivity, recordActivities } from '#subscriptions'
import type { OrderLink } from './link-orders.ts'
import type { OrderState } from './read-orders.ts'

/** What the agreement widget of a theme sets on the cart, with what was agreed to as its value. The spec names none. */
const ATTRIBUTE = 'svc_agreement'
const NOT_AGREED = new Set(['', '0', 'false', 'no', 'off'])

/**
 * Keeps in the history of the contracts that an order began what its customer agreed to, once for each; later changes of the order's
 * attributes change nothing of it. Only while the storefront asks for it.
 */
export async function keepAgreements(ctx: Ctx, orders: { order: OrderState; links: OrderLink[] }[]): Promise<void> {
  const entries = orders.flatMap(({ order, links }) => {
    const said = agreedTo(order)
    return said === null ? [] : links.filter(({ part }) => part !== 'renewal').map((link) => entryOf(order, link, said))
  })
  if (entries.length === 0 || !(await storefrontSetting(ctx, agreement)).agreement_enabled) return
  await recordActivities(ctx, entries)
}

function agreedTo({ attributes }: OrderState): string | null {
  const value = attributes?.find(({ name }) => name === ATTRIBUTE)?.value.trim() ?? ''
  return NOT_AGREED.has(value.toLowerCase()) ? null : value
}

/** A note of the customer: a kind of its own would be unknown to nodes of before. */
function entryOf(order: OrderState, { subscriptionId }: OrderLink, said: string): NewActivity {
  const [orderId, agreedAt] = [publicId('ord', order.id), isoOf(order.processedAt)]
  return {
    subscriptionId,
    kind: 'note',
    actor: 'customer',
    text: `Agreed to the terms at the checkout of ${orderId} at ${agreedAt}`,
    notes: said.slice(0, MAX_NOTE_CHARACTERS),
    refs: { agreement: { order_id: orderId, attribute: ATTRIBUTE, agreed_at: agreedAt } },
    cause: `agreement:${orderId}:${publicId('sub', subscriptionId)}`
  }
}
