import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { storeOf } from '../store.ts'
import { CustomerParams, requireCustomer } from './one-customer.ts'

const CustomerBody = Type.Object(
  {
    id: Type.String({ description: 'The customer id' }),
    platform_customer_id: Type.String({ description: "The platform's number of the customer" }),
    email: OrNull(Type.String({ description: 'As the platform has it' })),
    name: OrNull(Type.String({ description: 'First and last name, as the platform has them' })),
    status: OrNull(Type.String({ description: 'Of the membership, as of a member; null for one who never held one' })),
    deleted: Type.Boolean({ description: 'Whether the customer is deleted on the platform' })
  },
  {
    title: 'Customer',
    description: 'A customer whom the service knows, member or not.',
    examples: [
      {
        id: 'cust_24',
        platform_customer_id: '7064055069370',
        email: 'hanna.ito@example.com',
        name: 'Hanna Ito',
        status: 'active',
        deleted: false
      }
    ]
  }
)

/** GET /stores/{store}/customers/{customer} */
export function findCustomerRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/customers/:customer',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'findCustomer',
        summary: 'Find a customer',
        description:
          'The customer with this id or e-mail address, also one without a membership. Of one whom the platform has merged into another it is the one that was kept. An address that several customers have is an error.',
        params: CustomerParams,
        response: { 200: CustomerBody }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const found = await requireCustomer(ctx, request.params.customer, storeOf(request))
        return {
          id: publicId('cust', found.id),
          platform_customer_id: found.platformCustomerId,
          email: found.email,
          name: [found.firstName, found.lastName].filter(Boolean).join(' ') || null,
          status: found.status,
          deleted: found.isDeleted
        }
      })
  )
}
