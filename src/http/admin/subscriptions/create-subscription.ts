import { type Static, Type } from 'typebox'
import { createSubscription, type SubscriptionRequest } from '#contracts'
import { internalId } from '#kit/ids'
import { invalidField } from '#kit/refusal'
import type { Store } from '#stores'
import { instantOrUndefined, NeededIsoDate } from '../../shared/dates.ts'
import { claimOf, fingerprintOf } from '../../shared/idempotency.ts'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import { priceOf } from '../../shared/subscription-change.ts'
import type { Surface } from '../../shared/surface.ts'
import { actorOf } from '../caller.ts'
import type { AdminDeps } from '../deps.ts'
import { amount, oneOf } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { readSubscription } from './one-subscription.ts'
import { SubscriptionBody } from './present-subscription.ts'

const customer = (meaning: string, example: string) =>
  Type.String({ minLength: 1, maxLength: 330, description: ACCEPTED_CUSTOMER, meaning, examples: [example] })

const count = (meaning: string, example: number) =>
  Type.Integer({ minimum: 1, maximum: 1000, description: 'an integer from 1 to 1000', meaning, examples: [example] })

const NewSubscriptionBody = Type.Object(
  {
    customer: customer('Who pays', 'cust_24'),
    plan_id: Type.String({
      maxLength: 100,
      description: 'the id of a plan of this store',
      meaning: 'A plan that is not disabled; its price, interval and `max_cycles` hold where nothing else is given',
      examples: ['plan_3']
    }),
    variant_id: Type.Optional(
      Type.String({
        pattern: '^(gid://[a-z]{1,20}/ProductVariant/)?[1-9][0-9]{0,19}$',
        description: "the platform's number of a variant that a plan of products sells, or its global id",
        meaning: 'Required with a plan of products',
        examples: ['7064055069399']
      })
    ),
    quantity: Type.Optional(count('How many of the variant; 1 by default', 1)),
    next_billing_date: NeededIsoDate('The first charge, at most 5 years ahead. A day means midnight in the shop'),
    payment_method_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: "the platform's id of a payment method of the customer",
        meaning: 'Required where the customer has several',
        examples: ['gid://platform/CustomerPaymentMethod/b8d4b7a0c1']
      })
    ),
    price: Type.Optional(amount({ meaning: 'What a cycle costs, for one piece' })),
    max_cycles: Type.Optional(count('After how many paid cycles it ends', 12)),
    status: Type.Optional(
      oneOf(['active', 'paused'], { meaning: 'How it begins; `active` by default', examples: ['active'] })
    ),
    receiver: Type.Optional(
      customer('Who becomes the member, where it is a gift; not with a plan of products', 'cust_31')
    )
  },
  { examples: [{ customer: 'cust_24', plan_id: 'plan_3', next_billing_date: '2030-01-31' }] }
)

/** POST /stores/{store}/subscriptions */
export function createSubscriptionRoute(admin: Surface, { db, connectorOf }: AdminDeps): void {
  admin.post(
    '/stores/:store/subscriptions',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'createSubscription',
        summary: 'Create a subscription without a checkout',
        description:
          "Creates the contract on the platform first, then the subscription. Nothing is charged before its date, and there is no trial. The plan's `allowed_countries` apply to the member, where their country is known. When the platform's answer is lost the response is 503, and the same request finds what was created: by its body until it has been answered once, and under an `Idempotency-Key` for ever (200, with `Idempotent-Replayed: true`). When nobody repeats it, a job looks for the contract on the platform, from a minute to a day later, and creates its subscription; a contract that is not there by then is reported by an alert.",
        isIdempotent: true,
        params: StoreParams,
        body: NewSubscriptionBody,
        response: { 200: SubscriptionBody, 201: SubscriptionBody }
      }
    },
    async (request, reply) => {
      const { storeId } = storeOf(request)
      const requested = requestedIn(request.body, storeOf(request))
      const { id, isRepeated } = await createSubscription(db, storeId, await connectorOf(storeId), requested, {
        key: claimOf(request)?.key ?? null,
        fingerprint: fingerprintOf(request),
        by: actorOf(request)
      })
      if (isRepeated) reply.header('idempotent-replayed', 'true')
      return reply.code(isRepeated ? 200 : 201).send(await request.inStore((ctx) => readSubscription(ctx, id)))
    }
  )
}

function requestedIn(
  body: Static<typeof NewSubscriptionBody>,
  { platformProfile: profile, timezone, currency }: Store
): SubscriptionRequest {
  const planId = internalId('plan', body.plan_id)
  if (planId === null) throw invalidField('plan_id', 'must be the id of a plan of this store', 'not_found')
  return {
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
}
