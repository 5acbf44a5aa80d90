import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { storeFacts } from '#stores'
import { memberCreated } from './events.ts'
import { listMemberSnapshots, lockMembers, markStandings, type Standing } from './queries.ts'

/**
 * Brings members' status, plan and next date in line with their subscriptions, in the transaction of the change there.
 * The first standing makes a customer a member: member.created.
 */
export async function setStandings(ctx: Ctx, standings: Standing[]): Promise<void> {
  const before = await lockMembers(
    ctx,
    standings.map((s) => s.memberId)
  )
  await markStandings(ctx, standings)
  const created = before.filter((member) => member.memberSince === null)
  if (created.length === 0) return
  const store = await storeFacts(ctx)
  const members = await listMemberSnapshots(
    ctx,
    created.map((m) => m.id)
  )
  await record(ctx, ...members.map((member) => memberCreated(member, store)))
}
