import { defineFact } from '#kit/outbox'
import { about } from './member-event.ts'

/**
 * Something of a customer changed that is shown with their orders and contracts, and that no event reports: the name or the address of one
 * who is no member, or the number under which the platform has them, also by a merge.
 */
export const customerChanged = defineFact('customer.changed', (customer: { id: number }) => ({
  ...about(customer),
  data: {}
}))
