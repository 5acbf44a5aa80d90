// The people of a simulated store: the plans that they join, and what they do with their store credit.
import { captureReservation, changeCredits, releaseReservation, reserveCredit } from '#credits'
import { int, row, sql, text } from '#kit/postgres'
import type { startServiceHere } from '../test/service-here.ts'

type Service = Awaited<ReturnType<typeof startServiceHere>>

/** Of Gold the credit is in the platform's own accounts, and spent at its checkout; of Elite the platform has none. */
export const PLANS = [
  { name: 'Gold', type: 'vip', price: '29.00', credit: 10, spent: 'storecredit', share: 0.5 },
  {
    name: 'Elite',
    type: 'elite',
    price: '59.00',
    credit: 25,
    spent: 'function',
    trial_price: '1.00',
    trial_days: 14,
    share: 0.15
  },
  { name: 'Beans', type: 'product', price: '15.00', share: 0.15 },
  { name: 'Gold and Beans', type: 'both', share: 0.1 },
  // The others order without a membership.
  { name: '', type: 'none', share: 0.1 }
] as const

export const MEMBERSHIPS = {
  Gold: { tag: 'SVC: VIP: Active', creditMinor: 1_000 },
  Elite: { tag: 'SVC: Elite: Active', creditMinor: 2_500 }
}

export type Person = {
  /** The platform's number of the customer. */
  id: string
  plan: (typeof PLANS)[number]['name']
  joinsAt: number
  /** Ours, of the membership's subscription, once it is there. */
  subscription: string | null
  state: 'none' | 'active' | 'paused' | 'ended'
  /** The next charge of the card is declined, so that nothing else is bought with it. */
  cardFails: boolean
}

/** `joinsWithin`: so many steps. */
export const aPerson = (random: () => number, joinsWithin: number): Person => ({
  id: '',
  plan: pickPlan(random()),
  joinsAt: Math.floor(random() * joinsWithin),
  subscription: null,
  state: 'none',
  cardFails: false
})

function pickPlan(at: number): Person['plan'] {
  let sum = 0
  return PLANS.find(({ share }) => at < (sum += share))?.name ?? ''
}

export const tierOf = ({ plan }: Person): keyof typeof MEMBERSHIPS => (plan === 'Elite' ? 'Elite' : 'Gold')

/** What a checkout may take of a total, from what the customer has at the platform: all of it, or as much as the order costs. */
export function creditFor(balanceMinor: number, totalMinor: number, roll: number): number {
  if (roll < 0.2) return 0
  return roll < 0.4 ? Math.floor(Math.min(balanceMinor, totalMinor) / 2) : Math.min(balanceMinor, totalMinor)
}

/** The store credit that each customer has at the platform. */
export async function platformCredit(service: Service, storeId: number): Promise<Map<string, number>> {
  const rows = await service.sandboxDb.inInstallation((tx) =>
    tx.many(
      row({ id: text, minor: int }),
      sql`select customer_id::text as id, balance_minor as minor from sandbox.credit_accounts where store_id = ${storeId}`
    )
  )
  return new Map(rows.map(({ id, minor }) => [id, minor]))
}

/** Spends, holds or adds credit, as an integrator does. What the account lacks is refused. Returns whether some was reserved. */
export async function moveCredit(
  service: Service,
  storeId: number,
  person: Person,
  { random, step }: { random: () => number; step: number }
): Promise<boolean> {
  const operationId = `simulated:${step}:${person.id}`
  const amountMinor = 100 + Math.floor(random() * 1500)
  const [way, end] = [random(), random()]
  return service.db.inStore(storeId, async (ctx) => {
    const known = await ctx.tx.maybeOne(
      row({ id: int }),
      sql`select id from members where store_id = ${storeId} and platform_customer_id = ${person.id}`
    )
    if (!known) return false
    const memberId = known.id
    const reason = 'Simulated'
    if (way < 0.3) {
      const expiresAt = ctx.now.add({ hours: 24 * 40 })
      await changeCredits(ctx, [{ memberId, type: 'manual_add', amountMinor, reason, operationId, expiresAt }])
      return false
    }
    if (way < 0.5) {
      await changeCredits(ctx, [{ memberId, type: 'manual_deduct', amountMinor: -amountMinor, reason, operationId }])
      return false
    }
    const expiresAt = ctx.now.add({ minutes: 30 })
    const [held] = await reserveCredit(ctx, [{ memberId, amountMinor, reason, operationId, expiresAt }])
    if (!held?.reservation) return false
    const { id } = held.reservation
    if (end < 0.6) await captureReservation(ctx, memberId, id, { amountMinor: Math.ceil(amountMinor * end) })
    else if (end < 0.8) await releaseReservation(ctx, memberId, id)
    return true
  })
}
