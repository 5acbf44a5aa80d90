import { Type } from 'typebox'
import { OrNull } from './fields.ts'

export const CustomerBody = Type.Object(
  {
    id: Type.String({ description: 'Our id, `cust_` and the number that the member has too' }),
    shopify_id: Type.String({ description: "The customer's global id on the platform" }),
    email: OrNull(Type.String({ description: 'As the platform has it' })),
    first_name: OrNull(Type.String({ description: 'As the platform has it' })),
    last_name: OrNull(Type.String({ description: 'As the platform has it' }))
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

/** The customer of an event that is about something else. */
export const PersonBody = Type.Object(
  { id: CustomerBody.properties.id, email: CustomerBody.properties.email },
  { title: 'Person', description: 'Whom it is about.', examples: [{ id: 'cust_24', email: 'hanna.ito@example.com' }] }
)
