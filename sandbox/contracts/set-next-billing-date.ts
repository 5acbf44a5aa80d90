import type { Queries } from '#kit/postgres'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { contractPayload } from '../outgoing/subscription-payloads.ts'
import type { Shop } from '../shop.ts'
import { lastPaidCycle } from '../state/attempts.ts'
import { type Contract, type ContractTerms, lockContract, termsOf, updateContract } from '../state/contracts.ts'

/**
 * Writes new terms. A new next billing date moves the cycles: the first unpaid cycle is expected on that date, and the later ones
 * follow at the contract's interval.
 */
export async function writeTerms(
  q: Queries,
  shop: Shop,
  contract: Contract,
  terms: ContractTerms,
  now: Temporal.Instant
): Promise<Contract> {
  const dateMoved = terms.nextBillingAt !== null && terms.nextBillingAt !== contract.nextBillingAt?.toString()
  const anchor = dateMoved
    ? {
        cycleAnchorAt: Temporal.Instant.from(terms.nextBillingAt!),
        cycleAnchorIndex: (await lastPaidCycle(q, shop.storeId, contract.id)) + 1
      }
    : { cycleAnchorAt: contract.cycleAnchorAt, cycleAnchorIndex: contract.cycleAnchorIndex }
  const changed = await updateContract(q, shop.storeId, contract.id, { ...terms, ...anchor }, now)
  await queueWebhooks(
    q,
    shop,
    webhookMessage([{ topic: 'subscription_contracts/update', payload: contractPayload(shop, changed) }]),
    now
  )
  return changed
}

/** Null if the contract does not exist or has ended. */
export async function setNextBillingDate(
  q: Queries,
  shop: Shop,
  id: string,
  at: Temporal.Instant,
  now: Temporal.Instant
): Promise<Contract | null> {
  const contract = await lockContract(q, shop.storeId, id)
  if (!contract || contract.status === 'CANCELLED' || contract.status === 'EXPIRED') return null
  if (contract.nextBillingAt?.equals(at)) return contract
  return writeTerms(q, shop, contract, { ...termsOf(contract), nextBillingAt: at.toString() }, now)
}
