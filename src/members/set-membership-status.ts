import { publicId } from '#kit/ids'
import type { Fact } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import { listPlans } from '#plans'
import { storeContext } from '#stores'
import { memberCreated } from './events/member-created.ts'
import { memberUpdated } from './events/member-updated.ts'
import { tierChanged } from './events/tier-changed.ts'
import {
  listMemberSnapshots,
  lockMembers,
  type MembershipStatus,
  type MembershipStatusBefore,
  markMembershipStatuses
} from './queries.ts'

/**
 * Writes members' status, plan and next date, which subscriptions/membership-status/derive-membership-status.ts derives, in the
 * transaction that changes a subscription.
 * Returns the facts of it, which the caller records with that change. The first membership makes a customer a member
 * (member.created). A later change of tier is member.tier_changed, one of the plan alone member.updated; a change of status or
 * next date is in the events of the subscription.
 */
export async function setMembershipStatuses(ctx: Ctx, memberships: MembershipStatus[]): Promise<Fact[]> {
  const before = await lockMembers(
    ctx,
    memberships.map((s) => s.memberId)
  )
  await markMembershipStatuses(ctx, memberships)
  const byMember = new Map(memberships.map((s) => [s.memberId, s]))
  const created = before.filter(({ memberSince }) => memberSince === null).map(({ id }) => id)
  const changed = before.filter((was) => was.memberSince !== null && hasOtherPlanOrTier(was, byMember.get(was.id)!))
  if (created.length === 0 && changed.length === 0) return []

  const [store, plans] = [await storeContext(ctx), await plansById(ctx, changed.length > 0)]
  const changes = changed.map((was) => ({ was, ...changeOf(was, byMember.get(was.id)!, plans) }))
  const updated = changes.filter(({ tier, plan }) => tier === null && plan !== null)
  const snapshots = new Map(
    (await listMemberSnapshots(ctx, [...created, ...updated.map(({ was }) => was.id)])).map((m) => [m.id, m])
  )
  return [
    ...created.map((id) => memberCreated(snapshots.get(id)!, store)),
    ...changes.flatMap(({ was, tier, plan }): Fact[] => {
      if (tier) return [tierChanged(was, tier, 'membership')]
      return plan ? [memberUpdated(snapshots.get(was.id)!, plan, store)] : []
    })
  ]
}

type Membership = Pick<MembershipStatusBefore | MembershipStatus, 'status' | 'planId'>

/** False in the common case, a renewal: then no plan is read. */
function hasOtherPlanOrTier(was: Membership, is: Membership): boolean {
  return was.planId !== is.planId || isOver(was) !== isOver(is)
}

const isOver = ({ status }: Membership) => status === 'cancelled'

type PlanNames = Map<number, { name: string; tierName: string | null }>

async function plansById(ctx: Ctx, isNeeded: boolean): Promise<PlanNames> {
  return new Map(isNeeded ? (await listPlans(ctx)).map((plan) => [plan.id, plan]) : [])
}

/** The change of the tier or, when that stays, of the plan. A member has the tier as long as the membership lasts. */
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
