import { cancelSubscription, pauseSubscription } from '#billing'
import type { Database } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { invalidField, Refusal } from '#kit/refusal'
import { listPlans } from '#plans'
import { storeNow } from '#stores'
import { findSubscriptionByContract } from '#subscriptions'
import type { SandboxControls } from '../http/shared/deps.ts'
import { advanceClock } from './clock.ts'
import type { Runner } from './runner.ts'

export type SeedProgress = { done: number; total: number; at: Temporal.Instant }

type Deps = {
  db: Database
  runner: Runner
  sandbox: Pick<SandboxControls, 'createCustomer' | 'join' | 'setCard' | 'placeOrder'>
}

const FIRST = [
  'Ada',
  'Ben',
  'Chloé',
  'Diego',
  'Emi',
  'Farid',
  'Grace',
  'Hanna',
  'Ivo',
  'Jun',
  'Kofi',
  'Lena',
  'Mina',
  'Noah',
  'Olga',
  'Priya'
]
const LAST = [
  'Adler',
  'Brandt',
  'Castro',
  'Dubois',
  'Eze',
  'Fischer',
  'Garcia',
  'Haas',
  'Ito',
  'Jensen',
  'Kaya',
  'Lopez',
  'Moreau',
  'Nowak',
  'Okafor',
  'Park'
]
const PLACES = [
  ['US', 'NY'],
  ['US', 'CA'],
  ['CA', 'ON'],
  ['US', 'TX'],
  ['GB', 'ENG'],
  ['DE', 'BE']
] as const
const REASONS = ['too_expensive', 'not_using_enough', 'enough_items', 'other']

type Step = { at: Temporal.Instant; act: () => Promise<void> }

/**
 * Gives a sandbox store a past: members join over `months`, are billed, lose and mend their cards, pause, cancel and
 * shop, all through the sandbox platform and the test clock. The same numbers make the same life. Ends `months` after
 * the store's present time. Refuses a store without plans.
 */
export async function seedStore(
  deps: Deps,
  storeId: number,
  { members, months }: { members: number; months: number },
  onProgress: (progress: SeedProgress) => void
): Promise<{ members: number; months: number; now: Temporal.Instant }> {
  if (!Number.isInteger(members) || members < 1 || members > 100_000)
    throw invalidField('members', 'takes a whole number from 1 to 100000')
  if (!Number.isInteger(months) || months < 1 || months > 60)
    throw invalidField('months', 'takes a whole number from 1 to 60')
  const all = await deps.db.inStore(storeId, listPlans)
  const plans = all.filter(({ status, type }) => status === 'enabled' && type !== 'product')
  if (plans.length === 0) throw new Refusal('conflict', 'The store has no plan that members could join; make one first')

  const start = await storeNow(deps.db, storeId)
  const end = start.toZonedDateTimeISO('UTC').add({ months }).toInstant()
  const steps = agenda(
    deps,
    storeId,
    plans.map((plan) => plan.name),
    { members, start, end, salt: start.epochMilliseconds.toString(36) }
  )
  const total = steps.length + 1
  for (const [i, step] of steps.entries()) {
    await advanceClock(deps, storeId, { to: step.at.toString() })
    await step.act()
    onProgress({ done: i + 1, total, at: step.at })
  }
  const { now } = await advanceClock(deps, storeId, { to: end.toString() })
  onProgress({ done: total, total, at: now })
  return { members, months, now }
}

function agenda(
  { db, sandbox }: Deps,
  storeId: number,
  plans: string[],
  { members, start, end, salt }: { members: number; start: Temporal.Instant; end: Temporal.Instant; salt: string }
): Step[] {
  const random = randomFrom(members)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
  const hours = Math.floor(start.until(end, { largestUnit: 'hours' }).hours)
  const steps: Step[] = []
  for (let i = 0; i < members; i++) {
    const joinsAt = start.add({
      hours: Math.floor(hours * 0.85 * (i / members)) + Math.floor(random() * 24),
      minutes: Math.floor(random() * 60)
    })
    const later = (share: number) => {
      const left = Math.max(Math.floor(joinsAt.until(end, { largestUnit: 'hours' }).hours), 1)
      return joinsAt.add({ hours: Math.max(1, Math.floor(left * share)) })
    }
    const first = FIRST[i % FIRST.length]!
    const last = LAST[Math.floor(i / FIRST.length + i) % LAST.length]!
    const [country, province] = pick(PLACES)
    // Most join the first plan.
    const plan = random() < 0.7 ? plans[0]! : pick(plans)
    const fate = random()
    const person = { customerId: '', contractId: '' }

    steps.push({
      at: joinsAt,
      act: async () => {
        const email = `${first}.${last}.${i + 1}.${salt}@example.com`
          .toLowerCase()
          .normalize('NFD')
          .replace(/[^a-z0-9.@]/g, '')
        person.customerId = (
          await sandbox.createCustomer(storeId, {
            email,
            firstName: first,
            lastName: last,
            countryCode: country,
            provinceCode: province
          })
        ).id
        person.contractId = (await sandbox.join(storeId, { customerId: person.customerId, planName: plan })).contractId
      }
    })
    const card = (share: number, outcome: string) =>
      steps.push({
        at: later(share),
        act: async () => void (await sandbox.setCard(storeId, { customerId: person.customerId, outcome: [outcome] }))
      })
    const onSubscription = (
      share: number,
      act: (ctx: Parameters<typeof findSubscriptionByContract>[0], id: number) => Promise<unknown>
    ) =>
      steps.push({
        at: later(share),
        act: () =>
          db.inStore(storeId, async (ctx) => {
            const found = await findSubscriptionByContract(ctx, person.contractId)
            if (found) await unlessRefused(() => act(ctx, found.id))
          })
      })
    if (fate < 0.1) {
      card(0.2, 'insufficient_funds')
      card(0.35, 'success')
    } else if (fate < 0.16) card(0.5, 'insufficient_funds')
    else if (fate < 0.2) card(0.6, 'expired_card')
    else if (fate < 0.32) {
      const reason = pick(REASONS)
      onSubscription(0.55, (ctx, id) => cancelSubscription(ctx, id, { reason, comment: null, by: 'customer' }))
    } else if (fate < 0.4) {
      onSubscription(0.4, (ctx, id) => pauseSubscription(ctx, id, ctx.now.add({ hours: 24 * 30 }), 'customer'))
    }
    if (random() < 0.5) {
      const totalMinor = (20 + Math.floor(random() * 90)) * 100
      steps.push({
        at: later(random()),
        act: () =>
          unlessRefused(() =>
            sandbox.placeOrder(storeId, {
              customerId: person.customerId,
              totalMinor,
              creditMinor: 0,
              coupon: null,
              channel: null
            })
          )
      })
    }
  }
  return steps.sort((a, b) => Temporal.Instant.compare(a.at, b.at))
}

/** Who lost the subscription to dunning cannot pause or cancel it any more, and whose card declines buys nothing. */
async function unlessRefused(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (err) {
    if (!(err instanceof Refusal && err.code === 'conflict')) throw err
  }
}
