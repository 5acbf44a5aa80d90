import { Type } from 'typebox'
import { rollKey } from '#stores'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { storeOf } from '../store.ts'
import { CreatedKey, KeyParams, presentKey } from './present-key.ts'

const RollBody = Type.Object({
  overlap: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: 168,
      description: 'a whole number of hours from 0 to 168 for which the old key works too (default: 24)',
      examples: [24]
    })
  )
})

/** POST /stores/{store}/keys/{key}/roll */
export function rollKeyRoute(admin: Surface, { db }: AdminDeps): void {
  admin.post(
    '/stores/:store/keys/:key/roll',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'rollKey',
        summary: 'Roll an API key',
        description:
          'Creates a key with the same name and scopes, whose text is only in this response. The old one works until the overlap is over (`expires_at`); with 0 it stops working at once. Rolling it again before that creates another key and begins the overlap anew.',
        params: KeyParams,
        body: RollBody,
        response: { 201: CreatedKey }
      }
    },
    async (request, reply) => {
      const keyId = idInPath('key', request.params.key)
      const { storeId } = storeOf(request)
      const { key, ...created } = await rollKey(db, { storeId, keyId, overlapHours: request.body.overlap })
      return reply.code(201).send({ ...presentKey(created), key })
    }
  )
}
