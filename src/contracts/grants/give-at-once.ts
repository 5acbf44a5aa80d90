import { type Ctx, sql } from '#kit/postgres'
import { type Connector, grantTitle, type PlatformResult } from '#platform'
import type { Subscription } from '#subscriptions'
import { markSeen } from '#subscriptions/transitions'
import type { Grant } from './grant.ts'
import { listGrantsOf, writeSeen } from './grant-queries.ts'
import { scheduleLook } from './granted-contracts.ts'
import { type GrantIssue, issueGrants } from './issue-grants.ts'
import { addGrantTo } from './work-on-contract.ts'

/** What the platform says of a discount of a grant. `gid`: its global id. */
export type GivenGrant = { gid: string; title: string }

/**
 * Records a grant that the caller is about to give itself, by `giveGrant` after the commit. The engine leaves the contract alone for `settleMs`
 * of real time, in which every call has ended; then it gives what the caller did not, or takes off what was revoked.
 */
export async function issueGrantAtOnce(
  ctx: Ctx,
  issue: GrantIssue & { subscriptionId: number },
  settleMs: number
): Promise<Grant> {
  const id = (await issueGrants(ctx, [issue])).get(issue.operationId)!
  await restContract(ctx, issue.subscriptionId, settleMs)
  return (await listGrantsOf(ctx, [issue.subscriptionId])).find((grant) => grant.id === id)!
}

/** Gives a contract (platform number) a grant, unless it has it already: one edit of it. Safe to repeat, also at the same time. */
export async function giveGrant(
  connector: Connector,
  { contractId, currency }: { contractId: string; currency: string },
  grant: Grant
): Promise<PlatformResult<GivenGrant>> {
  const given = await addGrantTo(connector, currency, contractId, grant)
  if (!given.ok) return given
  return { ok: true, value: { gid: given.value.gid, title: grantTitle(grant.label, grant.key) } }
}

/** Records that the contract has the grant since a moment ago, in the transaction of what that means. */
export async function recordGiven(ctx: Ctx, grant: Grant & { subscriptionId: number }, gid: string): Promise<void> {
  const { id, subscriptionId } = grant
  const found = { endedBy: null, isOn: true, platformId: gid, usedCycles: null, problem: null }
  await writeSeen(ctx, [{ id, subscriptionId, status: 'active', ...found }])
  await scheduleLook(ctx, subscriptionId)
}

/** Until the contract is read again, a cycle of a locked subscription is taken to be charged so much less: what a grant that it now has takes off. */
export const expectGrantedDiscount = (ctx: Ctx, s: Subscription, minor: number): Promise<void> =>
  markSeen(ctx, [{ ...s, grantedDiscountMinor: s.grantedDiscountMinor + minor }])

/** Nobody looks at the contract for so long; what a call did to it whose answer was lost is known after that. */
async function restContract(ctx: Ctx, subscriptionId: number, settleMs: number): Promise<void> {
  const until = Temporal.Instant.fromEpochMilliseconds(Math.ceil(ctx.realNowMs + settleMs))
  await ctx.tx.run(sql`
    update granted_contracts set rests_until = ${until}, settles_at = greatest(settles_at, ${until}::timestamptz)
     where store_id = ${ctx.storeId} and subscription_id = ${subscriptionId}`)
}
