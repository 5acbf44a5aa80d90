import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { internalId, publicId } from '#kit/ids'
import { Refusal } from '#kit/refusal'
import { type ApiKey, createKey, listKeys, requireStore, revokeKey, SCOPES } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams, text } from './fields.ts'

const KeyBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  mode: Type.String(),
  hint: Type.String(),
  scopes: Type.Array(Type.String()),
  created_at: Type.String(),
  last_used_at: OrNull(Type.String()),
  revoked_at: OrNull(Type.String())
})

/** A store's API keys. A key's text is in the answer that makes it and in no other. */
export function registerKeys(admin: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  admin.post(
    '/stores/:store/keys',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          name: text(200),
          scopes: Type.Optional(
            Type.Array(Type.String({ maxLength: 50 }), { maxItems: 50, description: `a list of ${SCOPES.join(', ')}` })
          )
        }),
        response: { 201: Type.Object({ ...KeyBody.properties, key: Type.String() }) }
      }
    },
    async (request, reply) => {
      const { storeId } = await requireStore(db, request.params.store)
      const { key, ...made } = await createKey(db, { storeId, ...request.body })
      return reply.code(201).send({ ...presentKey(made), key })
    }
  )

  admin.get(
    '/stores/:store/keys',
    { schema: { params: StoreParams, response: { 200: Type.Object({ data: Type.Array(KeyBody) }) } } },
    async (request) => {
      const { storeId } = await requireStore(db, request.params.store)
      return { data: (await db.inStore(storeId, listKeys)).map(presentKey) }
    }
  )

  admin.delete(
    '/stores/:store/keys/:key',
    {
      schema: {
        params: Type.Object({ ...StoreParams.properties, key: Type.String({ description: 'a key id' }) }),
        response: { 200: KeyBody }
      }
    },
    async (request) => {
      const { storeId } = await requireStore(db, request.params.store)
      const id = internalId('key', request.params.key)
      if (id === null) throw new Refusal('not_found', `There is no API key ${request.params.key.slice(0, 100)}`)
      return presentKey(await revokeKey(db, storeId, id))
    }
  )
}

function presentKey(key: ApiKey): Static<typeof KeyBody> {
  return {
    id: publicId('key', key.id),
    name: key.name,
    mode: key.mode,
    hint: key.keyHint,
    scopes: key.scopes,
    created_at: isoOf(key.createdAt),
    last_used_at: isoOrNull(key.lastUsedAt),
    revoked_at: isoOrNull(key.revokedAt)
  }
}
