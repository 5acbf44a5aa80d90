import { record } from '#kit/outbox'
import { type Ctx, sentTogether } from '#kit/postgres'
import { lockMembers, tierChanged } from '#members'
import { listTiers } from '../tiers/tier-queries.ts'
import { areTiersOn } from '../tiers/tier-stores.ts'
import { endCustomerTiers, listPlaced, type PlacedCustomer, writeCustomerTiers } from './customer-tier-queries.ts'
import { giveTierRewards } from './give-tier-rewards.ts'
import { listHeldTiers } from './held-tiers.ts'
import { planTier } from './plan-tier.ts'

/**
 * Puts customers into the tiers that are theirs now, in this transaction, and gives what those give: a higher one at once, a lower one only at
 * their review, or `isAnew`. It reads what is true now, so it may be called for anybody at any time.
 */
export async function placeCustomers(
  ctx: Ctx,
  memberIds: number[],
  { isAnew = false }: { isAnew?: boolean } = {}
): Promise<void> {
  if (memberIds.length === 0 || !(await areTiersOn(ctx))) return
  const tiers = await listTiers(ctx)
  if (tiers.length === 0) return
  const ids = [...new Set(memberIds)].sort((a, b) => a - b)
  // Of two transactions that place one customer, the later sees what the other has written.
  await lockMembers(ctx, ids)
  const [placed, held] = await sentTogether(listPlaced(ctx, ids), listHeldTiers(ctx, ids, tiers))
  const present = new Set(placed.map(({ memberId }) => memberId))
  await endCustomerTiers(
    ctx,
    ids.filter((id) => !present.has(id))
  )
  const heldBy = Map.groupBy(held, ({ memberId }) => memberId)
  const changed = placed.flatMap((was) => {
    const state = { current: was, held: heldBy.get(was.memberId) ?? [] }
    const is = planTier(tiers, state, { now: ctx.now, isAnew })
    return isSame(was, is) ? [] : [{ was, is }]
  })
  await writeCustomerTiers(
    ctx,
    changed.map(({ was: { memberId }, is }) => ({ memberId, ...is }))
  )
  const moved = changed.filter(({ was, is }) => was.tierId !== is.tierId)
  if (moved.length === 0) return
  const tierOf = (id: number | null) => tiers.find((tier) => tier.id === id) ?? null
  const nameOf = (id: number | null) => tierOf(id)?.name ?? null
  await record(
    ctx,
    ...moved.map(({ was: { memberId: id, email, tierId }, is }) =>
      tierChanged({ id, email }, { previous: nameOf(tierId), new: nameOf(is.tierId) }, 'loyalty')
    )
  )
  await giveTierRewards(
    ctx,
    moved.flatMap(({ was, is }) => {
      const [from, tier] = [tierOf(was.tierId), tierOf(is.tierId)]
      // Whoever falls has had, or has left out, what the lower tier gives.
      return tier && tier.place > (from?.place ?? -1) ? [{ memberId: was.memberId, tier }] : []
    })
  )
}

const isSame = (was: PlacedCustomer, is: Pick<PlacedCustomer, 'tierId' | 'reviewAt'>): boolean =>
  was.tierId === is.tierId &&
  (was.reviewAt === is.reviewAt || (was.reviewAt !== null && is.reviewAt !== null && was.reviewAt.equals(is.reviewAt)))
