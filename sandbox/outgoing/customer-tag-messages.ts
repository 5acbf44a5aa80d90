import type { Shop } from '../shop.ts'
import type { Customer } from '../state/customers.ts'
import { customerTagsPayload } from './customer-payloads.ts'

/** What the shop sends when the tags of a customer become `tags`, whatever changes them: a message each of those added and removed. */
export function customerTagMessages(shop: Shop, customer: Customer, tags: string[], now: Temporal.Instant) {
  const added = tags.filter((tag) => !customer.tags.includes(tag))
  const removed = customer.tags.filter((tag) => !tags.includes(tag))
  return [
    ...(added.length > 0
      ? [{ topic: 'customer.tags_added' as const, payload: customerTagsPayload(shop, customer, added, now) }]
      : []),
    ...(removed.length > 0
      ? [{ topic: 'customer.tags_removed' as const, payload: customerTagsPayload(shop, customer, removed, now) }]
      : [])
  ]
}
