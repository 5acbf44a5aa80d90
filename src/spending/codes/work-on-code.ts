import type { Connector, PlatformFailure, PlatformOrder, PlatformResult } from '#platform'
import type { ClaimedCode } from './claimed-codes.ts'

/**
 * What a visit to the platform came to. `made`: the code is there. `refused`: it cannot be made. `closed`: it is taken no more. `rest`: a
 * call that makes it may still be under way. `unused`: it is off the platform, and no order has it. `used`: these orders have it.
 * `counted`: the platform says that it was used, and shows no order yet.
 */
export type CodeOutcome =
  | { step: 'made'; id: string }
  | { step: 'refused'; message: string }
  | { step: 'closed'; id: string | null }
  | { step: 'rest' }
  | { step: 'unused' }
  | { step: 'used'; orders: Map<string, PlatformOrder> }
  | { step: 'counted' }
  | { step: 'failed'; failure: PlatformFailure }

type Calls = { connector: Connector; currency: string; now: Temporal.Instant; endBy: number }

/** Makes a wanted code, takes one off the platform, or looks whether an order has used it. Writes nothing here. */
export async function workOnCode(calls: Calls, claimed: ClaimedCode): Promise<CodeOutcome> {
  if (claimed.status === 'pending') return make(calls, claimed)
  if (claimed.status === 'active') return { step: 'made', id: claimed.platformDiscountId! }
  if (!claimed.isClosed) return close(calls.connector, claimed)
  return check(calls.connector, claimed)
}

async function make(calls: Calls, claimed: ClaimedCode): Promise<CodeOutcome> {
  const { discounts } = calls.connector
  const { code, amountMinor, endsAt, customerId, wasSent, isDeleted } = claimed
  if (isDeleted) return { step: 'refused', message: 'The customer is deleted on the platform' }
  // One that is there already is ours: nobody else knows the code.
  const before = wasSent ? await discounts.findByCode(code) : null
  if (before && !before.ok) return failed(before)
  if (before?.value) return { step: 'made', id: before.value.id }
  const made = await discounts.createCode(
    { code, amountMinor, customerId, currency: calls.currency, startsAt: calls.now, endsAt, title: 'Store credit' },
    { endBy: calls.endBy }
  )
  if (made.ok) return { step: 'made', id: made.value.id }
  const { kind, code: reason, message } = made.failure
  if (reason === 'taken') {
    const found = await discounts.findByCode(code)
    return found.ok && found.value ? { step: 'made', id: found.value.id } : failed(made)
  }
  if (kind === 'rejected' || reason === 'access_denied') return { step: 'refused', message }
  return failed(made)
}

async function close(
  { discounts }: Connector,
  { code, platformDiscountId, wasSent, isSettled }: ClaimedCode
): Promise<CodeOutcome> {
  if (!wasSent) return { step: 'unused' }
  let id = platformDiscountId
  if (id === null) {
    // A call that arrives after this would make it.
    if (!isSettled) return { step: 'rest' }
    const found = await discounts.findByCode(code)
    if (!found.ok) return failed(found)
    if (!found.value) return { step: 'closed', id: null }
    id = found.value.id
  }
  const ended = await discounts.deactivate(id)
  if (ended.ok) return { step: 'closed', id }
  if (ended.failure.kind !== 'rejected') return failed(ended)
  // Somebody has deleted it there.
  const left = await discounts.findById(id)
  if (!left.ok) return failed(left)
  return left.value ? failed(ended) : { step: 'closed', id }
}

async function check(
  { discounts, orders }: Connector,
  { code, platformDiscountId }: ClaimedCode
): Promise<CodeOutcome> {
  const found = platformDiscountId === null ? null : await discounts.findById(platformDiscountId)
  if (found && !found.ok) return failed(found)
  const ids = await orders.findIdsWithCode(code)
  if (!ids.ok) return failed(ids)
  if (ids.value.length > 0) {
    const read = await orders.findWhole(ids.value)
    return read.ok ? { step: 'used', orders: read.value } : failed(read)
  }
  if (!found?.value) return { step: 'unused' }
  if (found.value.uses > 0) return { step: 'counted' }
  const deleted = await discounts.delete(found.value.id)
  return deleted.ok || deleted.failure.kind === 'rejected' ? { step: 'unused' } : failed(deleted)
}

const failed = (result: PlatformResult<unknown>): CodeOutcome => {
  if (result.ok) throw new Error('The platform has answered')
  return { step: 'failed', failure: result.failure }
}
