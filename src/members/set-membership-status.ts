import { publicId } from '#kit/ids'
import type { Fact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { listPlans } from '#plans'
import { storeContext } from '#stores'
import { memberCreated, memberUpdated, tierChanged } from './events.ts'
import {
  listMemberSnapshots,
  lockMembers,
  type MembershipStatus,
  type MembershipStatusBefore,
  markMembershipStatuses
} from './queries.ts'

/**
 * Brings members' status, plan and next date in line with their subscriptions, in the transaction of the change there, and
 * returns what is to be told of it: the caller records it along with that change. The first standing makes a customer a
 * member: member.created. A later change of tier is member.tier_changed, one of the plan alone member.updated; status and
 * next date are told by the events of the subscription.
 */
export async function setMembershipStatuses(ctx: Ctx, memberships: MembershipStatus[]): Promise<Fact[]> {
  const before = await lockMembers(
    ctx,
    memberships.map((s) => s.memberId)
  )
  await markMembershipStatuses(ctx, memberships)
  const byMember = new Map(memberships.map((s) => [s.memberId, s]))
  const created = before.filter(({ memberSince }) => memberSince === null).map(({ id }) => id)
  const moved = before.filter((was) => was.memberSince !== null && hasMoved(was, byMember.get(was.id)!))
  if (created.length === 0 && moved.length === 0) return []

  const [store, plans] = [await storeContext(ctx), await plansById(ctx, moved.length > 0)]
  const changes = moved.map((was) => ({ was, ...changeOf(was, byMember.get(was.id)!, plans) }))
  const updated = changes.filter(({ tier, plan }) => tier === null && plan !== null)
  const snapshots = new Map(
    (await listMemberSnapshots(ctx, [...created, ...updated.map(({ was }) => was.id)])).map((m) => [m.id, m])
  )
  return [
    ...created.map((id) => memberCreated(snapshots.get(id)!, store)),
    ...changes.flatMap(({ was, tier, plan }): Fact[] => {
      if (tier) return [tierChanged(was, tier)]
      return plan ? [memberUpdated(snapshots.get(was.id)!, plan, store)] : []
    })
  ]
}

type Membership = Pick<MembershipStatusBefore | MembershipStatus, 'status' | 'planId'>

/** The common case, a renewal, asks for no plan. */
function hasMoved(was: Membership, is: Membership): boolean {
  return was.planId !== is.planId || isOver(was) !== isOver(is)
}

const isOver = ({ status }: Membership) => status === 'cancelled'

type PlanNames = Map<number, { name: string; tierName: string | null }>

async function plansById(ctx: Ctx, areWanted: boolean): Promise<PlanNames> {
  return new Map(areWanted ? (await listPlans(ctx)).map((plan) => [plan.id, plan]) : [])
}

/** What has changed of the rank and, where that stayed, of the plan. A tier is held as long as a membership is. */
function changeOf(was: Membership, is: Membership, plans: PlanNames) {
  const planOf = ({ planId }: Membership) => (planId === null ? undefined : plans.get(planId))
  const tierOf = (membership: Membership) => (isOver(membership) ? null : (planOf(membership)?.tierName ?? null))
  const [previous, now] = [tierOf(was), tierOf(is)]
  if (previous !== now) return { tier: { previous, new: now }, plan: null }
  if (was.planId === is.planId) return { tier: null, plan: null }
  const shown = (membership: Membership) => ({
    id: membership.planId === null ? null : publicId('plan', membership.planId),
    name: planOf(membership)?.name ?? null
  })
  const [from, to] = [shown(was), shown(is)]
  return {
    tier: null,
    plan: { plan_id: { from: from.id, to: to.id }, plan_name: { from: from.name, to: to.name } }
  }
}
