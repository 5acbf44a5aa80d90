import { Type } from 'typebox'
import { findRequest, requestPrivacy } from '#privacy'
import { ACCEPTED_CUSTOMER, parseCustomer } from '../../shared/parse-customer.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { boolean, oneOf } from '../fields.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { PRIVACY_REQUEST_EXAMPLE, PrivacyRequestBody, presentRequest } from './present-request.ts'

const Body = Type.Object({
  topic: oneOf(['customers/data_request', 'customers/redact'], {
    meaning: 'A file of everything that is held about the customer, or its erasure',
    examples: ['customers/redact']
  }),
  customer: Type.Optional(
    Type.String({
      maxLength: 320,
      description: ACCEPTED_CUSTOMER,
      meaning: 'Whom it is about; of an address that no customer has, what else has it is found',
      examples: ['hanna.ito@example.com']
    })
  ),
  phone: Type.Optional(
    Type.String({
      maxLength: 50,
      pattern: '^[+0-9 ()./-]*([0-9][+ ()./-]*){7,}$',
      description: 'a phone number of at least 7 digits',
      meaning: 'What has it is found too, however it is written',
      examples: ['+1 555 625 1199']
    })
  ),
  end_subscriptions: boolean(
    'Ends the running subscriptions of a customer who is erased; refused while there are any without it'
  )
})

const CreatedRequest = Type.Object(
  {
    ...PrivacyRequestBody.properties,
    customers_found: Type.Integer({
      description:
        'Of how many customers it is, all who have the address and were merged included; 0 where none is named, and only orders and texts ' +
        'with the address or phone are looked for'
    })
  },
  {
    title: 'CreatedPrivacyRequest',
    description: 'A request about the personal data of a customer, as it was made.',
    examples: [{ ...PRIVACY_REQUEST_EXAMPLE, customers_found: 1 }]
  }
)

/** POST /stores/{store}/privacy */
export function createPrivacyRequestRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/privacy',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'createPrivacyRequest',
        summary: 'Create a privacy request',
        description:
          'Does what the compliance webhooks of the platform do, for a store that does not receive them. An erasure cannot be taken back. Where a request with this topic about the same customer is open, the response is that one.',
        params: StoreParams,
        body: Body,
        response: { 202: CreatedRequest },
        responseExample: { source: 'operator', status: 'running', done_at: null, customers_found: 1 }
      }
    },
    async (request, reply) => {
      const { topic, customer, phone = null, end_subscriptions = false } = request.body
      const store = storeOf(request)
      const { id, customersFound } = await request.inStore((ctx) =>
        requestPrivacy(ctx, {
          topic,
          customer: customer === undefined ? null : parseCustomer('customer', customer, store.platformProfile),
          phone,
          endSubscriptions: end_subscriptions
        })
      )
      await startDueWork(deps, store)
      deps.wake(store.storeId)
      const created = (await request.inStore((ctx) => findRequest(ctx, id)))!
      return reply.code(202).send({ ...presentRequest(created), customers_found: customersFound })
    }
  )
}
