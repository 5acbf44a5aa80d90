import { Type } from 'typebox'
import { publicId } from '#kit/ids'
import { findCustomerWithPhone, phoneIn } from '#members'
import { OrNull } from '#resources'
import { type SearchResult, searchStore } from '#views'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { List, text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'

const DEFAULT_LIMIT = 10

const SearchResultBody = Type.Object(
  {
    kind: Type.String({ description: '`customer`, `order` or `subscription`' }),
    id: Type.String({ description: "`cust_24`, `sub_24`, or the platform's number of the order" }),
    name: OrNull(Type.String({ description: 'Of the person, the order or the plan' })),
    email: OrNull(Type.String({ description: 'Of the customer' })),
    status: OrNull(
      Type.String({ description: 'Of the membership, of the payment of the order, or of the subscription' })
    )
  },
  {
    title: 'SearchResult',
    description: 'Something that a search has found.',
    examples: [{ kind: 'customer', id: 'cust_24', name: 'Hanna Ito', email: 'hanna.ito@example.com', status: 'active' }]
  }
)

/** GET /stores/{store}/search */
export function searchStoreRoute(admin: Surface, { db, connectorOf }: AdminDeps): void {
  admin.get(
    '/stores/:store/search',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'searchStore',
        summary: 'Search',
        description:
          'Customers by the beginning of their e-mail address, name or last name, by their id or number, and by their telephone number, for which the platform is asked; orders by their name or number; subscriptions by their id. Upper and lower case are the same. The customers come first, members before others.',
        params: StoreParams,
        querystring: Type.Object({
          q: text(320, undefined, { meaning: 'What is searched', examples: ['hanna'] }),
          limit: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 50,
              default: DEFAULT_LIMIT,
              description: 'an integer from 1 to 50',
              meaning: 'Maximum number of results of each kind',
              examples: [10]
            })
          )
        }),
        response: { 200: List(SearchResultBody, 'What was found') }
      }
    },
    async (request) => {
      const { q, limit = DEFAULT_LIMIT } = request.query
      const { storeId } = storeOf(request)
      const phone = phoneIn(q)
      if (phone === null) return { data: (await searchStore(db.direct, storeId, { text: q, limit })).map(present) }
      const number = await findCustomerWithPhone(await connectorOf(storeId), phone)
      const found = number === null ? [] : await searchStore(db.direct, storeId, { text: number, limit })
      // An order may have the same number.
      return { data: found.filter(({ kind }) => kind === 'customer').map(present) }
    }
  )
}

const PREFIXES = { customer: 'cust', subscription: 'sub' } as const

const present = ({ kind, id, ...rest }: SearchResult) => ({
  kind,
  id: kind === 'order' ? id : publicId(PREFIXES[kind], Number(id)),
  ...rest
})
