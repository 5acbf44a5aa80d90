import { type Queries, sql } from '#kit/postgres'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { contractPayload } from '../outgoing/subscription-payloads.ts'
import type { Shop } from '../shop.ts'
import { type Contract, type ContractStatus, lockContract, termsOf, updateContract } from '../state/contracts.ts'

const ACTIONS = {
  activate: { from: ['PAUSED', 'FAILED'], to: 'ACTIVE' },
  pause: { from: ['ACTIVE', 'FAILED'], to: 'PAUSED' },
  cancel: { from: ['ACTIVE', 'PAUSED', 'FAILED'], to: 'CANCELLED' },
  expire: { from: ['ACTIVE', 'PAUSED', 'FAILED'], to: 'EXPIRED' },
  fail: { from: ['ACTIVE', 'PAUSED'], to: 'FAILED' }
} as const satisfies Record<string, { from: ContractStatus[]; to: ContractStatus }>

export type ContractAction = keyof typeof ACTIONS

export type StatusChange =
  | { contract: Contract; problem: null }
  | { contract: Contract | null; problem: 'missing' | 'terminated' | 'not allowed' }

/** Changes a contract's status. Setting the current status changes nothing; a terminated contract is refused. */
export async function changeStatus(
  q: Queries,
  shop: Shop,
  id: string,
  action: ContractAction,
  now: Temporal.Instant
): Promise<StatusChange> {
  const contract = await lockContract(q, shop.storeId, id)
  if (!contract) return { contract: null, problem: 'missing' }
  const { from, to } = ACTIONS[action]
  if (contract.status === 'CANCELLED' || contract.status === 'EXPIRED') return { contract, problem: 'terminated' }
  if (contract.status === to) return { contract, problem: null }
  if (!(from as readonly string[]).includes(contract.status)) return { contract, problem: 'not allowed' }
  if (to !== 'ACTIVE') await endChallenges(q, shop, id, now)
  const changed = await updateContract(q, shop.storeId, id, { ...contract, ...termsOf(contract), status: to }, now)
  await queueWebhooks(
    q,
    shop,
    webhookMessage([{ topic: `subscription_contracts/${action}`, payload: contractPayload(shop, changed) }]),
    now
  )
  return { contract: changed, problem: null }
}

/** Resolves challenged payments of the contract at once, since an inactive contract is not charged. */
async function endChallenges(q: Queries, shop: Shop, contractId: string, now: Temporal.Instant) {
  await q.run(sql`
    update sandbox.billing_attempts set status = 'pending', resolve_at = ${now}
     where store_id = ${shop.storeId} and contract_id = ${contractId} and status = 'challenged'`)
}
