import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { type Connector, type PlatformContract, type PlatformResult, succeeded } from '#platform'
import { type Cadence, listChanges, type Subscription } from '#subscriptions'
import { isInBilling } from '#subscriptions/transitions'

/** Refuses another frequency while a cycle is being charged or was declined, or while other terms wait for the platform. */
export async function assertCadenceOpen(ctx: Ctx, subscription: Subscription): Promise<void> {
  if (isInBilling(subscription)) {
    throw new Refusal(
      'conflict',
      'A payment of this contract is open: its frequency cannot be changed until that is done'
    )
  }
  if ((await listChanges(ctx, [subscription.id])).length > 0) {
    throw new Refusal('conflict', 'Another change of this contract is under way: try again when it is done')
  }
}

/**
 * Has the platform bill a contract (platform number) at another frequency, by one edit of it, and returns it as it is then; null where the
 * platform has no such contract. Its next date stays. Safe to repeat. What it means here `upsertFromContracts` decides.
 */
export async function setCadence(
  connector: Connector,
  contractId: string,
  { interval, intervalCount }: Pick<Cadence, 'interval' | 'intervalCount'>
): Promise<PlatformResult<PlatformContract | null>> {
  const found = await connector.contracts.find(contractId)
  if (!found.ok || found.value === null) return found
  const contract = found.value
  const { currency, minCycles, maxCycles } = contract
  if (contract.interval === interval && contract.intervalCount === intervalCount) return found
  const policy = { interval, intervalCount, minCycles, maxCycles }
  const nothingElse = { lines: [], total: null, paymentMethodGid: null }
  const edited = await connector.contracts.edit({ contractId, currency, policy, ...nothingElse })
  if (!edited.ok) return edited
  const { status, revision, nextBillingDate } = edited.value
  return succeeded({ ...contract, interval, intervalCount, status, revision, nextBillingDate })
}
