import type { Ctx } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { storeContext } from '#stores'
import { billingDate, lockSubscriptions, type Subscription } from '#subscriptions'
import { isInBilling, markPushed, type Pushed } from '#subscriptions/transitions'

/** What the platform's contract of a subscription has to be. */
export type ContractPush = {
  subscriptionId: number
  contractId: string
  status: Subscription['status']
  /** Null: the platform keeps the date that it has. */
  nextBillingAt: Temporal.Instant | null
}

/** What the contracts of these subscriptions have to be now; unknown ids are left out. */
export async function listContractPushes(ctx: Ctx, subscriptionIds: number[]): Promise<ContractPush[]> {
  const { timezone } = await storeContext(ctx)
  return (await lockSubscriptions(ctx, subscriptionIds)).map((s) => ({
    subscriptionId: s.id,
    contractId: s.platformContractId,
    // A contract that is cancelled there cannot be taken back, so it is only paused during the grace period here.
    status: s.status === 'cancelled' && s.graceEndsAt ? 'paused' : s.status,
    nextBillingAt: nextDateOf(s, ctx.now, timezone)
  }))
}

/**
 * The next cycle's date, while that is ahead. From then until the cycle is paid or over the platform keeps the date it has: it
 * counts its cycles by it, and would take a retry's date for another cycle's.
 */
function nextDateOf(s: Subscription, now: Temporal.Instant, timezone: string): Temporal.Instant | null {
  if (s.nextBillingAt === null || isInBilling(s)) return null
  return Temporal.Instant.compare(billingDate(s, s.nextCycle, timezone), now) > 0 ? s.nextBillingAt : null
}

/** The calls that a push still needs; null where the contract is as it has to be. */
export type PushCalls = { status: Subscription['status'] | null; nextBillingAt: Temporal.Instant | null }

/** The calls that make a contract what it has to be. The date of a contract that is not active may be somebody else's. */
export function pushCalls({ status, nextBillingAt }: ContractPush, contract: PlatformContract): PushCalls {
  const isDated = status === 'active' && nextBillingAt !== null && !contract.nextBillingDate?.equals(nextBillingAt)
  return { status: contract.status === status ? null : status, nextBillingAt: isDated ? nextBillingAt : null }
}

/**
 * Records what our own changes on the platform led to, so that messages about them change nothing here. `nextBillingAt` is null
 * where the date is not ours.
 */
export function recordPushes(ctx: Ctx, pushed: Pushed[]): Promise<void> {
  return markPushed(ctx, pushed)
}
