import { Type } from 'typebox'
import { OrNull } from './fields.ts'

export const CustomerBody = Type.Object(
  {
    id: Type.String({ description: 'Our id: `cust_` and the same number as the member id' }),
    shopify_id: Type.String({ description: "The customer's global id on the platform" }),
    email: OrNull(Type.String({ description: 'The e-mail address on the platform' })),
    first_name: OrNull(Type.String({ description: 'The first name on the platform' })),
    last_name: OrNull(Type.String({ description: 'The last name on the platform' }))
  },
  {
    title: 'Customer',
    description: 'A customer of the platform.',
    examples: [
      {
        id: 'cust_24',
        shopify_id: 'gid://platform/Customer/7064055069370',
        email: 'hanna.ito@example.com',
        first_name: 'Hanna',
        last_name: 'Ito'
      }
    ]
  }
)

/** The customer in an event about something else. */
export const PersonBody = Type.Object(
  { id: CustomerBody.properties.id, email: CustomerBody.properties.email },
  {
    title: 'Person',
    description: 'The customer of the event.',
    examples: [{ id: 'cust_24', email: 'hanna.ito@example.com' }]
  }
)
