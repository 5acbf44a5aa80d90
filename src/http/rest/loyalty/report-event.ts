import { randomUUID } from 'node:crypto'
import { type Static, Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import { type CustomerReference, parseCustomerId, resolveCustomer } from '#members'
import { LoyaltyEventBody } from '#resources'
import type { PlatformProfileName } from '#stores'
import { claimOf, replayed, withIdempotency } from '../../shared/idempotency.ts'
import { checkLoyaltyEvent, countLoyaltyEvent, LoyaltyEventFields } from '../../shared/loyalty-event.ts'
import { parseCustomer } from '../../shared/parse-customer.ts'
import type { Surface } from '../../shared/surface.ts'
import { callerOf } from '../caller.ts'
import type { RestDeps } from '../deps.ts'
import { Envelope, envelope } from '../envelope.ts'

const ACCEPTED_ID = "a customer id such as cust_24, the platform's number, or its global id"
const ACCEPTED_EMAIL = 'an e-mail address'

const EventBody = Type.Object(
  {
    customer_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 200,
        description: ACCEPTED_ID,
        meaning: 'Whose event it is; one who is not known here is looked up on the platform. Either this or `email`',
        examples: ['cust_24']
      })
    ),
    email: Type.Optional(
      Type.String({
        minLength: 3,
        maxLength: 320,
        description: ACCEPTED_EMAIL,
        meaning: 'Whose event it is, by their address',
        examples: ['hanna.ito@example.com']
      })
    ),
    ...LoyaltyEventFields
  },
  { examples: [{ customer_id: 'cust_24', type: 'custom_action', action_key: 'quiz_done', event_id: 'quiz-815' }] }
)

type Reported = { data: Static<typeof LoyaltyEventBody>; meta: ReturnType<typeof envelope>['meta'] }

/** POST /loyalty/events: ours, since the spec does not say how custom actions and reviews are reported. */
export function reportLoyaltyEventRoute(rest: Surface, { db, connectorOf }: RestDeps): void {
  rest.post(
    '/loyalty/events',
    {
      config: { allow: 'write:loyalty' },
      schema: {
        operationId: 'reportLoyaltyEvent',
        summary: 'Report a loyalty event',
        description:
          'Counts what a customer did elsewhere by the loyalty rules of the type `custom_action` or `reviews`, and returns what it has earned. With an `event_id` it counts once, however often it is reported, and each report returns what stands of it; without one, with an `Idempotency-Key`, too; with neither each request is an event of its own. `deleted` takes back what a review has earned, at most what is left of it; its `event_id` never counts again, whichever report comes first.',
        body: EventBody,
        response: { 200: Envelope(LoyaltyEventBody) }
      }
    },
    async (request, reply) => {
      const { storeId, profile, timezone } = callerOf(request)
      const { customer_id, email, ...fields } = request.body
      const earlier = await replayed<Reported>(request, reply)
      if (earlier) return earlier
      checkLoyaltyEvent(fields)
      const { reference, field } = customerOf({ customer_id, email }, profile)
      // The platform is asked before the transaction, which must not wait for it.
      const customerId = await resolveCustomer(db, storeId, () => connectorOf(storeId), reference, field)
      const requestKey = claimOf(request)?.key ?? randomUUID()
      return withIdempotency(request, reply, async (ctx) =>
        envelope(await countLoyaltyEvent(ctx, customerId, fields, { timezone, requestKey }))
      )
    }
  )
}

/** The customer whom one of both fields names. Refuses both, neither, and what the field does not accept. */
function customerOf(
  { customer_id, email }: { customer_id?: string; email?: string },
  profile: PlatformProfileName
): { reference: CustomerReference; field: string } {
  if (customer_id !== undefined && email !== undefined) {
    throw invalidField('email', 'must be left out where customer_id is given')
  }
  if (email !== undefined) {
    const reference = email.includes('@') ? parseCustomer('email', email, profile) : null
    if (!reference?.email) throw invalidField('email', `must be ${ACCEPTED_EMAIL}`)
    return { reference, field: 'email' }
  }
  if (customer_id === undefined) {
    throw invalidField('customer_id', `is required without email and must be ${ACCEPTED_ID}`, 'required')
  }
  const { memberId, platformId } = parseCustomerId(customer_id, profile)
  if (memberId === null && platformId === null) throw invalidField('customer_id', `must be ${ACCEPTED_ID}`)
  return { reference: { memberId, platformId, email: null }, field: 'customer_id' }
}
