import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { oneOf, platformNumber, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const ConsentSet = Type.Object(
  {
    customer: Type.String({ description: "The platform's number of the customer" }),
    channel: Type.String({ description: '`email` or `sms`' }),
    state: Type.String({ description: 'What the customer has said' })
  },
  {
    title: 'SandboxConsent',
    description: 'Whether a customer wants to be written to.',
    examples: [{ customer: '7064055069370', channel: 'email', state: 'subscribed' }]
  }
)

/** POST /stores/{store}/sandbox/consents */
export function setConsentRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/consents',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'setSandboxConsent',
        summary: 'Change a consent of a customer',
        description: 'The customer says whether they want e-mails of the shop, or texts to their telephone.',
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer'),
          channel: oneOf(['email', 'sms'], { examples: ['email'] }),
          state: oneOf(['subscribed', 'unsubscribed', 'pending'], { examples: ['subscribed'] }),
          phone: Type.Optional(
            text(30, 'a telephone number such as +14155550123', {
              meaning: 'The telephone that the customer enters with it; needed for `sms` where they have none',
              examples: ['+14155550123']
            })
          )
        }),
        response: { 200: ConsentSet }
      }
    },
    async (request) => {
      const { customer, channel, state, phone } = request.body
      await play(deps, request, ({ storeId }) =>
        deps.sandbox.setConsent(storeId, { customerId: customer, channel, state, phone: phone ?? null })
      )
      return { customer, channel, state }
    }
  )
}
