import type { Ctx } from '#kit/postgres'
import { randomCode } from '#kit/random'
import type { GrantTerms } from './grant.ts'
import { assignWaiting, insertGrants, markRevoked, reassignGrants } from './grant-queries.ts'
import { markContractsDue } from './granted-contracts.ts'

/** 60 random bits: no two grants have one key, not even of a store that was loaded from a backup. */
const KEY_CHARACTERS = 12

/** What a customer is to have on a contract, once for each operation. */
export type GrantIssue = {
  memberId: number
  /** The contract that is to have it; null: one of the customer is chosen, or it waits for the first one. */
  subscriptionId: number | null
  /** Of what gives it; customers see it on their orders. */
  label: string
  terms: GrantTerms
  /** What is left of it when its contract ends is given on another contract of the customer. */
  isTransferable: boolean
  operationId: string
}

/**
 * Records that grants are wanted, in this transaction; the platform's contracts have them a moment later. The rows of the customers are locked.
 * Returns the id of each, by its operation, which must not have one yet.
 */
export async function issueGrants(ctx: Ctx, issues: GrantIssue[]): Promise<Map<string, number>> {
  if (issues.length === 0) return new Map()
  const ids = await insertGrants(
    ctx,
    issues.map((issue) => ({ ...issue, key: randomCode(KEY_CHARACTERS) }))
  )
  const waiting = issues.flatMap(({ memberId, subscriptionId }) => (subscriptionId === null ? memberId : []))
  const assigned = await assignWaiting(ctx, [...new Set(waiting)])
  await markContractsDue(ctx, [...issues.flatMap(({ subscriptionId }) => subscriptionId ?? []), ...assigned])
  return ids
}

/**
 * Ends those of these grants that are not used up; what a contract has of them is taken off it a moment later. The renewals that had them stay as
 * they are.
 */
export async function revokeGrants(ctx: Ctx, ids: number[]): Promise<void> {
  if (ids.length === 0) return
  await markContractsDue(ctx, await markRevoked(ctx, ids))
}

/** Two customers were merged, by our numbers; their contracts are of the one that was kept by now. Both rows are locked. */
export async function transferGrants(ctx: Ctx, from: number, to: number): Promise<void> {
  await reassignGrants(ctx, from, to)
  await markContractsDue(ctx, await assignWaiting(ctx, [to]))
}
