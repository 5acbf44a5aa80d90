import { consumer, type StoredFact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { lockMembers, membersOfFacts } from '#members'
import { assignWaiting, hasGrants } from './grant-queries.ts'
import { markContractsDue, markGrantedDue } from './granted-contracts.ts'

/** After these a customer may have a contract that grants wait for. */
const BEGINS = ['subscription.created', 'subscription.activated', 'subscription.resumed'] as const
/** After these a contract may have used a grant, or have ended. */
const CHANGES = ['billing.success', 'subscription.cancelled'] as const

/** Grants follow the contracts of their customers. It reads what is true now, so that a repeated fact changes nothing. */
export const contractGrantsConsumer = consumer('contract_grants', [...BEGINS, ...CHANGES], followContracts, {
  from: 'now'
})

async function followContracts(ctx: Ctx, facts: StoredFact[]): Promise<void> {
  if (!(await hasGrants(ctx))) return
  const changed = facts.filter(({ name }) => (CHANGES as readonly string[]).includes(name))
  const begun = facts.filter(({ name }) => (BEGINS as readonly string[]).includes(name))
  const memberIds = [...new Set(membersOfFacts(begun))].sort((a, b) => a - b)
  await lockMembers(ctx, memberIds)
  await markGrantedDue(
    ctx,
    changed.flatMap(({ refs }) => refs.subscriptionId ?? [])
  )
  await markContractsDue(ctx, await assignWaiting(ctx, memberIds))
}
