import type { Ctx, Database } from '#kit/postgres'
import { randomFrom } from '#kit/random'
import { Refusal } from '#kit/refusal'
import { cancelSubscription, pauseSubscription } from '#lifecycle'
import { findSubscriptionByContract } from '#subscriptions'
import type { DemoSandbox } from './demo-sandbox.ts'
import { personOf } from './people.ts'

const REASONS = ['too_expensive', 'not_using_enough', 'enough_items', 'other']

/** Something that a person does at a time. */
export type CustomerAction = { at: Temporal.Instant; act: () => Promise<void> }

type Deps = { db: Database; sandbox: DemoSandbox; storeId: number; planNames: string[] }
type Period = { members: number; start: Temporal.Instant; end: Temporal.Instant }

/** What `members` people do between `start` and `end`, in the order of time. The same arguments give the same actions. */
export function generateCustomerActions(
  { db, sandbox, storeId, planNames }: Deps,
  { members, start, end }: Period
): CustomerAction[] {
  const salt = start.epochMilliseconds.toString(36)
  const random = randomFrom(members)
  const pick = <T>(list: readonly T[]) => list[Math.floor(random() * list.length)]!
  const hours = Math.floor(start.until(end, { largestUnit: 'hours' }).hours)
  const actions: CustomerAction[] = []
  for (let i = 0; i < members; i++) {
    const signsUpAt = start.add({
      hours: Math.floor(hours * 0.85 * (i / members)) + Math.floor(random() * 24),
      minutes: Math.floor(random() * 60)
    })
    /** After this share of the time between joining and the end. */
    const later = (share: number) => {
      const left = Math.max(Math.floor(signsUpAt.until(end, { largestUnit: 'hours' }).hours), 1)
      return signsUpAt.add({ hours: Math.max(1, Math.floor(left * share)) })
    }
    const person = personOf(i, salt, pick)
    // Most join the first plan.
    const planName = random() < 0.7 ? planNames[0]! : pick(planNames)
    const course = random()
    const ids = { customerId: '', contractId: '' }

    actions.push({
      at: signsUpAt,
      act: async () => {
        ids.customerId = (await sandbox.createCustomer(storeId, person)).id
        ids.contractId = (await sandbox.join(storeId, { customerId: ids.customerId, planName })).contractId
      }
    })
    const card = (share: number, outcome: string) =>
      actions.push({
        at: later(share),
        act: () => sandbox.setCard(storeId, { customerId: ids.customerId, outcome: [outcome] })
      })
    const onSubscription = (share: number, act: (ctx: Ctx, id: number) => Promise<unknown>) =>
      actions.push({
        at: later(share),
        act: () =>
          db.inStore(storeId, async (ctx) => {
            const found = await findSubscriptionByContract(ctx, ids.contractId)
            if (found) await unlessRefused(() => act(ctx, found.id))
          })
      })
    if (course < 0.1) {
      card(0.2, 'insufficient_funds')
      card(0.35, 'success')
    } else if (course < 0.16) card(0.5, 'insufficient_funds')
    else if (course < 0.2) card(0.6, 'expired_card')
    else if (course < 0.32) {
      const reason = pick(REASONS)
      onSubscription(0.55, (ctx, id) => cancelSubscription(ctx, id, { reason, comment: null, by: 'customer' }))
    } else if (course < 0.4) {
      onSubscription(0.4, (ctx, id) => pauseSubscription(ctx, id, ctx.now.add({ hours: 24 * 30 }), 'customer'))
    }
    if (random() < 0.5) {
      const totalMinor = (20 + Math.floor(random() * 90)) * 100
      actions.push({
        at: later(random()),
        act: () =>
          unlessRefused(() =>
            sandbox.placeOrder(storeId, {
              customerId: ids.customerId,
              totalMinor,
              creditMinor: 0
            })
          )
      })
    }
  }
  return actions.sort((a, b) => Temporal.Instant.compare(a.at, b.at))
}

/** A person whose subscription has failed cannot pause or cancel it, and a person whose card is declined buys nothing. */
async function unlessRefused(act: () => Promise<unknown>): Promise<void> {
  try {
    await act()
  } catch (err) {
    if (!(err instanceof Refusal && err.code === 'conflict')) throw err
  }
}
