import { type Static, Type } from 'typebox'
import { internalId } from '#kit/ids'
import type { Ctx } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { giftSubscription, revokeGift } from '#lifecycle'
import { resolveCustomer } from '#members'
import { requireStore } from '#stores'
import { subscriptionNotFound } from '#subscriptions'
import { findSubscription } from '#views'
import type { HttpDeps } from '../shared/deps.ts'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../shared/parse-customer.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams } from './fields.ts'
import { presentSubscription, SubscriptionBody } from './present-subscription.ts'

const SubscriptionParams = Type.Object({
  ...StoreParams.properties,
  id: Type.String({ description: 'a subscription id such as sub_12' })
})

const GiftBody = Type.Object({
  receiver: Type.String({ minLength: 1, maxLength: 330, description: ACCEPTED_CUSTOMER })
})

/** Memberships given away: one customer pays, another is the member. */
export function registerGifts(
  admin: Surface,
  { db, connectorOf, wake }: Pick<HttpDeps, 'db' | 'connectorOf' | 'wake'>
): void {
  const changed = async (storeId: number, change: (ctx: Ctx) => Promise<{ id: number }>) => {
    const view = await db.inStore(storeId, async (ctx) => {
      const { id } = await change(ctx)
      return findSubscription(ctx.tx, ctx.storeId, id)
    })
    wake(storeId)
    return presentSubscription(view!)
  }

  admin.post(
    '/stores/:store/subscriptions/:id/gift',
    { schema: { params: SubscriptionParams, body: GiftBody, response: { 200: SubscriptionBody } } },
    async ({ params, body }) => {
      const { storeId, platformProfile: profile } = await requireStore(db, params.store)
      const id = idOf(params)
      if (!(await findSubscription(db.direct, storeId, id))) throw subscriptionNotFound(id)
      const reference = parseCustomer('receiver', body.receiver, profile)
      const receiverId = await resolveCustomer(db, storeId, () => connectorOf(storeId), reference, 'receiver')
      return changed(storeId, (ctx) => giftSubscription(ctx, id, receiverId, 'operator'))
    }
  )

  admin.delete(
    '/stores/:store/subscriptions/:id/gift',
    { schema: { params: SubscriptionParams, response: { 200: SubscriptionBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      return changed(storeId, (ctx) => revokeGift(ctx, idOf(params), 'operator'))
    }
  )
}

function idOf({ id: text }: Static<typeof SubscriptionParams>): number {
  const id = internalId('sub', text)
  if (id === null) throw new Refusal('not_found', `There is no subscription ${text.slice(0, 100)}`)
  return id
}
