import { Type } from 'typebox'
import { ACCEPTED_COUNTRY } from '#plans/pricing'
import { WHITE_SPACE } from '../../shared/not-blank.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const CustomerBody = Type.Object({
  email: Type.String({
    pattern: `^[^@${WHITE_SPACE}]{1,64}@[^@${WHITE_SPACE}]{1,250}$`,
    description: 'an e-mail address',
    examples: ['ada@example.com']
  }),
  first_name: Type.Optional(text(200, undefined, { examples: ['Ada'] })),
  last_name: Type.Optional(text(200, undefined, { examples: ['Ito'] })),
  phone: Type.Optional(
    Type.String({
      pattern: '^[+][1-9][0-9]{6,14}$',
      description: 'a telephone number with its country code, such as +14155550123',
      examples: ['+436641234567']
    })
  ),
  country: Type.Optional(Type.String({ pattern: '^[A-Z]{2}$', description: ACCEPTED_COUNTRY, examples: ['US'] })),
  province: Type.Optional(text(10, 'a province code such as NY', { examples: ['NY'] }))
})

const CreatedCustomer = Type.Object(
  {
    id: Type.String({ description: "The platform's number" }),
    gid: Type.String({ description: 'The global id on the platform' }),
    email: Type.String({ description: 'The e-mail address' })
  },
  {
    title: 'SandboxCustomer',
    description: 'A customer of the sandbox platform.',
    examples: [{ id: '7064055069370', gid: 'gid://platform/Customer/7064055069370', email: 'ada@example.com' }]
  }
)

/** POST /stores/{store}/sandbox/customers */
export function createCustomerRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/customers',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'createSandboxCustomer',
        summary: 'Create a customer',
        description:
          'Creates a customer in the sandbox shop, with a card that succeeds. When the shop has a customer with this address, the response is that customer, unchanged.',
        params: StoreParams,
        body: CustomerBody,
        response: { 201: CreatedCustomer }
      }
    },
    async (request, reply) => {
      const { email, first_name = null, last_name = null, phone = null, country = null, province = null } = request.body
      const customer = {
        email,
        firstName: first_name,
        lastName: last_name,
        phone,
        countryCode: country,
        provinceCode: province
      }
      const created = await play(deps, request, ({ storeId }) => deps.sandbox.createCustomer(storeId, customer))
      return reply.code(201).send({ id: created.id, gid: created.gid, email: created.email })
    }
  )
}
