import { Type } from 'typebox'
import { createKey, SCOPES } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { CreatedKey, presentKey } from './present-key.ts'

/** POST /stores/{store}/keys */
export function createKeyRoute(admin: Surface, { db }: AdminDeps): void {
  admin.post(
    '/stores/:store/keys',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'createKey',
        summary: 'Create an API key',
        description: 'Creates a key of the REST API. Its text is only in this response.',
        params: StoreParams,
        body: Type.Object({
          name: text(200, undefined, { meaning: 'What lists call it', examples: ['Tour'] }),
          scopes: Type.Optional(
            Type.Array(Type.String({ maxLength: 50 }), {
              maxItems: 50,
              description: `a list of ${SCOPES.join(', ')}`,
              meaning: 'What it may do; everything when it is left out, and an empty list is refused',
              examples: [['read:members', 'read:subscriptions']]
            })
          )
        }),
        response: { 201: CreatedKey }
      }
    },
    async (request, reply) => {
      const { key, ...created } = await createKey(db, { storeId: storeOf(request).storeId, ...request.body })
      return reply.code(201).send({ ...presentKey(created), key })
    }
  )
}
