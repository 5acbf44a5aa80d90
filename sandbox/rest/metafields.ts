import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { jsonValueOf } from '../admin/metafields/metafields.ts'
import { versionServed } from '../admin/shop.ts'
import { isAuthenticated, type Platform } from '../http.ts'
import { formsOf, number } from '../outgoing/json.ts'
import { headerWord, type Shop } from '../shop.ts'
import { findCustomer } from '../state/customers.ts'
import { listMetafields, type Metafield } from '../state/metafields.ts'
import { isNumericId } from '../wire/gid.ts'
import { CallLimits } from './call-limit.ts'

type Query = Record<string, string | undefined>

/**
 * REST metafields, a legacy API of the platform that storefront servers still use. The shop's own metafields, or those of the
 * customer in the path or query.
 */
export function metafieldRoutes(platform: Platform) {
  const limits = new CallLimits()
  return (scope: FastifyInstance) => {
    const limited = (request: FastifyRequest, reply: FastifyReply): boolean => {
      if (!versionServed((request.params as { version: string }).version)) {
        notFound(reply)
        return false
      }
      const { shop } = request.shopRequest
      const { calls, size, retryAfterSeconds } = limits.take(shop.storeId)
      reply.header(`X-${headerWord(shop)}-Shop-Api-Call-Limit`, `${calls}/${size}`)
      if (retryAfterSeconds === null) return true
      const errors = 'Exceeded 2 calls per second for api client. Reduce request rates to resume uninterrupted service.'
      reply.code(429).header('Retry-After', retryAfterSeconds.toFixed(1)).send({ errors })
      return false
    }

    scope.get('/admin/api/:version/metafields.json', async (request, reply) => {
      if (!(await isAuthenticated(platform, request, reply)) || !limited(request, reply)) return reply
      const { shop } = request.shopRequest
      const query = request.query as Query
      const owner = query['metafield[owner_resource]'] ?? 'shop'
      const ownerId = query['metafield[owner_id]'] ?? shop.id
      if (owner === 'customer') return sendMetafields(platform, request, reply, 'Customer', ownerId)
      return owner === 'shop' ? sendMetafields(platform, request, reply, 'Shop', shop.id) : notFound(reply)
    })

    scope.get('/admin/api/:version/customers/:id/metafields.json', async (request, reply) => {
      if (!(await isAuthenticated(platform, request, reply)) || !limited(request, reply)) return reply
      return sendMetafields(platform, request, reply, 'Customer', (request.params as { id: string }).id)
    })
  }
}

function notFound(reply: FastifyReply) {
  return reply.code(404).send({ errors: 'Not Found' })
}

const MAX_LIMIT = 250
const DEFAULT_LIMIT = 50

async function sendMetafields(
  { db }: Platform,
  request: FastifyRequest,
  reply: FastifyReply,
  ownerType: 'Customer' | 'Shop',
  ownerId: string
) {
  const { shop, baseUrl } = request.shopRequest
  if (!isNumericId(ownerId)) return notFound(reply)
  if (ownerType === 'Customer' && !(await findCustomer(db.direct, shop.storeId, ownerId))) return notFound(reply)
  const query = request.query as Query
  const cursor = query.page_info === undefined ? null : readCursor(query.page_info)
  if (cursor === undefined) return reply.code(400).send({ errors: { page_info: 'Invalid value.' } })
  const requested = { ...query, ...cursor }
  const limit = Math.min(MAX_LIMIT, Math.max(1, Number(query.limit ?? requested.limit) || DEFAULT_LIMIT))

  const all = (await listMetafields(db.direct, shop.storeId, [`${ownerType}/${ownerId}`])).filter(
    ({ id, namespace, key, type }) =>
      (!requested.namespace || namespace === requested.namespace) &&
      (!requested.key || key === requested.key) &&
      (!requested.type || type === requested.type) &&
      (!requested.since_id || (isNumericId(requested.since_id) && BigInt(id) > BigInt(requested.since_id)))
  )
  const page = all.slice(0, limit)
  if (all.length > limit) {
    const { namespace, key, type } = requested
    const next = Buffer.from(JSON.stringify({ namespace, key, type, since_id: page.at(-1)!.id })).toString('base64url')
    const path = request.url.split('?')[0]!.replace(/^\/[^/]+(?=\/admin\/)/, '')
    reply.header('Link', `<${baseUrl}${path}?limit=${limit}&page_info=${next}>; rel="next"`)
  }
  const wanted = query.fields?.split(',')
  const metafields = page.map((found) => {
    const shown = present(shop, found)
    return wanted ? Object.fromEntries(Object.entries(shown).filter(([field]) => wanted.includes(field))) : shown
  })
  return reply.type('application/json; charset=utf-8').send(JSON.stringify({ metafields }))
}

function readCursor(text: string): Query | undefined {
  try {
    const read: unknown = JSON.parse(Buffer.from(text, 'base64url').toString())
    return read !== null && typeof read === 'object' ? (read as Query) : undefined
  } catch {
    return undefined
  }
}

function present(shop: Shop, found: Metafield): Record<string, unknown> {
  const form = formsOf(shop)
  return {
    id: number(found.id),
    namespace: found.namespace,
    key: found.key,
    // Numbers and booleans are JSON values here; every other type is a string, even JSON.
    value: ['number_integer', 'boolean'].includes(found.type) ? jsonValueOf(found) : found.value,
    description: null,
    owner_id: number(found.ownerId),
    created_at: form.at(found.createdAt),
    updated_at: form.at(found.updatedAt),
    owner_resource: found.ownerType.toLowerCase(),
    type: found.type,
    admin_graphql_api_id: form.gid('Metafield', found.id)
  }
}
