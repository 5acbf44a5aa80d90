import { Type } from 'typebox'
import { createSubscription, type SubscriptionRequest } from '#contracts'
import { internalId } from '#kit/ids'
import { invalidField } from '#kit/refusal'
import { requireStore } from '#stores'
import { findSubscription } from '#views'
import { instantOrUndefined, NeededIsoDate } from '../shared/dates.ts'
import type { HttpDeps } from '../shared/deps.ts'
import { claimOf, fingerprintOf } from '../shared/idempotency.ts'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../shared/parse-customer.ts'
import { priceOf } from '../shared/subscription-change.ts'
import type { Surface } from '../shared/surface.ts'
import { amount, StoreParams } from './fields.ts'
import { presentSubscription, SubscriptionBody } from './present-subscription.ts'

const customer = () => Type.String({ minLength: 1, maxLength: 330, description: ACCEPTED_CUSTOMER })

const NewSubscriptionBody = Type.Object({
  customer: customer(),
  plan_id: Type.String({ maxLength: 100, description: 'the id of a plan of this store' }),
  variant_id: Type.Optional(
    Type.String({
      pattern: '^(gid://[a-z]{1,20}/ProductVariant/)?[1-9][0-9]{0,19}$',
      description: "the platform's number of a variant that a plan of products sells, or its global id"
    })
  ),
  quantity: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'an integer from 1 to 1000' })),
  next_billing_date: NeededIsoDate(),
  payment_method_id: Type.Optional(
    Type.String({ minLength: 1, maxLength: 255, description: "the platform's id of a payment method of the customer" })
  ),
  price: Type.Optional(amount()),
  max_cycles: Type.Optional(Type.Integer({ minimum: 1, maximum: 1000, description: 'an integer from 1 to 1000' })),
  status: Type.Optional(
    Type.Union([Type.Literal('active'), Type.Literal('paused')], { description: 'active or paused' })
  ),
  receiver: Type.Optional(customer())
})

/** Makes a subscription without a checkout and without a charge. */
export function registerCreateSubscription(
  admin: Surface,
  { db, connectorOf, wake }: Pick<HttpDeps, 'db' | 'connectorOf' | 'wake'>
): void {
  admin.post(
    '/stores/:store/subscriptions',
    {
      schema: {
        params: StoreParams,
        body: NewSubscriptionBody,
        response: { 200: SubscriptionBody, 201: SubscriptionBody }
      }
    },
    async (request, reply) => {
      const { storeId, platformProfile: profile, timezone, currency } = await requireStore(db, request.params.store)
      const { body } = request
      const planId = internalId('plan', body.plan_id)
      if (planId === null) throw invalidField('plan_id', 'takes the id of a plan of this store')
      const requested: SubscriptionRequest = {
        customer: parseCustomer('customer', body.customer, profile),
        planId,
        variantId: body.variant_id?.split('/').at(-1) ?? null,
        quantity: body.quantity ?? null,
        nextBillingAt: instantOrUndefined(body.next_billing_date, timezone)!,
        paymentMethodId: body.payment_method_id ?? null,
        priceMinor: body.price === undefined ? null : priceOf(body.price, currency),
        maxCycles: body.max_cycles ?? null,
        status: body.status ?? 'active',
        receiver: body.receiver === undefined ? null : parseCustomer('receiver', body.receiver, profile)
      }
      const { id, isRepeated } = await createSubscription(db, storeId, await connectorOf(storeId), requested, {
        key: claimOf(request)?.key ?? null,
        fingerprint: fingerprintOf(request),
        by: 'operator'
      })
      wake(storeId)
      if (isRepeated) reply.header('idempotent-replayed', 'true')
      const made = await findSubscription(db.direct, storeId, id)
      return reply.code(isRepeated ? 200 : 201).send(presentSubscription(made!))
    }
  )
}
