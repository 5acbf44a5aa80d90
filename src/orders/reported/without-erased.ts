import type { Ctx } from '#kit/postgres'
import { findErased, type PlatformOrder, type Subject } from '#platform'
import type { FoundOrder } from '../order.ts'

/**
 * The reports without the people who were erased: the platform may still have them, and sends what it sent before. What an order came to
 * stays.
 */
export async function withoutErased(
  ctx: Ctx,
  reported: PlatformOrder[],
  known: ReadonlyMap<string, FoundOrder>
): Promise<PlatformOrder[]> {
  // A known order has its customer: nothing need be asked.
  const subjects = reported
    .filter(({ id }) => !known.has(id) || known.get(id)!.memberId === null)
    .flatMap(({ id, customerId }): Subject[] => [
      `order:${id}`,
      ...(customerId === null ? [] : [`customer:${customerId}` as const])
    ])
  const erased = await findErased(ctx, subjects)
  const isErased = ({ id, customerId }: PlatformOrder) =>
    known.get(id)?.isErased ||
    erased.has(`order:${id}`) ||
    (customerId !== null && erased.has(`customer:${customerId}`))
  return reported.map((order) => (isErased(order) ? withoutPerson(order) : order))
}

function withoutPerson(order: PlatformOrder): PlatformOrder {
  const { details } = order
  return {
    ...order,
    email: null,
    countryCode: null,
    province: null,
    tags: [],
    withheld: order.withheld?.filter((field) => field !== 'email' && field !== 'countryCode'),
    ...(details && { details: { ...details, customerName: null, customer: null, attributes: [] } })
  }
}
