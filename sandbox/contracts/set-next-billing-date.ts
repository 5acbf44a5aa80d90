import type { Queries } from '#kit/postgres'
import { cycleOf } from '../billing/cycles.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { contractPayload } from '../outgoing/subscription-payloads.ts'
import type { Shop } from '../shop.ts'
import { lastPaidCycle } from '../state/attempts.ts'
import {
  type Contract,
  type ContractTerms,
  lockContract,
  type Numbering,
  termsOf,
  updateContract
} from '../state/contracts.ts'

/**
 * Writes new terms. A new next billing date moves the cycles: the first unpaid cycle is expected on that date, and the later ones
 * follow at the contract's interval. A shop that is scripted so numbers the cycles anew with every edit.
 */
export async function writeTerms(
  q: Queries,
  shop: Shop,
  contract: Contract,
  terms: ContractTerms,
  now: Temporal.Instant
): Promise<Contract> {
  const dateMoved = terms.nextBillingAt !== null && terms.nextBillingAt !== contract.nextBillingAt?.toString()
  const isRenumbered = shop.chargeFaults?.renumbers === true
  const paid = dateMoved || isRenumbered ? await lastPaidCycle(q, shop.storeId, contract.id) : 0
  const numbering = isRenumbered
    ? renumbered(contract, terms, paid, shop)
    : dateMoved
      ? { ...contract, cycleAnchorAt: Temporal.Instant.from(terms.nextBillingAt!), cycleAnchorIndex: paid + 1 }
      : contract
  const { cycleAnchorAt, cycleAnchorIndex, cyclesBefore } = numbering
  const changed = await updateContract(
    q,
    shop.storeId,
    contract.id,
    { ...terms, cycleAnchorAt, cycleAnchorIndex, cyclesBefore },
    now
  )
  await queueWebhooks(
    q,
    shop,
    webhookMessage([{ topic: 'subscription_contracts/update', payload: contractPayload(shop, changed) }]),
    now
  )
  return changed
}

/** The first unpaid cycle becomes cycle 1, and what was paid belongs to a numbering that is over. */
function renumbered(contract: Contract, terms: ContractTerms, paid: number, shop: Shop): Numbering {
  const endAt = terms.nextBillingAt
    ? Temporal.Instant.from(terms.nextBillingAt)
    : cycleOf(contract, paid + 1, shop.timezone).endAt
  return { cycleAnchorAt: endAt, cycleAnchorIndex: 1, cyclesBefore: contract.cyclesBefore + paid }
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
