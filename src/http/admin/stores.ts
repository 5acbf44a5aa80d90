import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { invalidField } from '#kit/refusal'
import { listStores, RATE_PLANS, requireStore, type Store } from '#stores'
import { openStore } from '#sync'
import type { HttpDeps } from '../shared/deps.ts'
import { OrNull } from '../shared/response-fields.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams, text } from './fields.ts'

const StoreBody = Type.Object({
  id: Type.String(),
  domain: Type.String(),
  name: Type.String(),
  timezone: Type.String(),
  currency: Type.String(),
  plan: Type.String(),
  sandbox: Type.Boolean(),
  clock: OrNull(Type.String()),
  profile: Type.String(),
  platform_url: Type.String(),
  status: Type.String(),
  connected: Type.Boolean(),
  created_at: Type.String()
})

const CreatedStoreBody = Type.Object({
  id: Type.String(),
  domain: Type.String(),
  timezone: Type.String(),
  currency: Type.String(),
  plan: Type.String(),
  proxy_secret: Type.String(),
  platform_url: Type.String(),
  platform_token: Type.String()
})

/** Making stores and looking at them. */
export function registerStores(admin: Surface, deps: HttpDeps): void {
  admin.post(
    '/stores',
    {
      schema: {
        body: Type.Object({
          domain: text(253, 'a host name such as shop.example.com'),
          name: text(200),
          timezone: text(100, 'an IANA time zone such as Europe/Vienna'),
          currency: text(3, 'an ISO 4217 code such as USD'),
          plan: text(20, RATE_PLANS.join(', ')),
          sandbox: Type.Optional(Type.Boolean({ description: 'true or false' })),
          clock: Type.Optional(text(40, 'an instant such as 2026-01-31T10:00:00Z')),
          profile: Type.Optional(text(20, 'platform or shopify')),
          platform_url: Type.Optional(text(2000, "the address of the store's platform")),
          access_token: Type.Optional(text(500, 'the access token of the Admin API')),
          app_secret: Type.Optional(text(500, "the app's secret")),
          proxy_secret: Type.Optional(text(500, 'the secret of the app proxy'))
        }),
        response: { 201: CreatedStoreBody }
      }
    },
    async (request, reply) => {
      const { clock, platform_url, access_token, app_secret, proxy_secret, sandbox = false, ...facts } = request.body
      const { store, credentials } = await openStore(deps, {
        ...facts,
        sandbox,
        clockAt: clock === undefined ? null : clockFrom(clock),
        platformUrl: platform_url,
        accessToken: access_token,
        appSecret: app_secret,
        proxySecret: proxy_secret
      })
      return reply.code(201).send({
        id: publicId('store', store.storeId),
        domain: store.domain,
        timezone: store.timezone,
        currency: store.currency,
        plan: store.ratePlan,
        proxy_secret: credentials.proxySecret,
        platform_url: store.platformUrl,
        platform_token: credentials.accessToken
      })
    }
  )

  admin.get('/stores', { schema: { response: { 200: Type.Object({ data: Type.Array(StoreBody) }) } } }, async () => ({
    data: (await listStores(deps.db)).map(presentStore)
  }))

  admin.get('/stores/:store', { schema: { params: StoreParams, response: { 200: StoreBody } } }, async (request) =>
    presentStore(await requireStore(deps.db, request.params.store))
  )
}

function presentStore(store: Store): Static<typeof StoreBody> {
  return {
    id: publicId('store', store.storeId),
    domain: store.domain,
    name: store.name,
    timezone: store.timezone,
    currency: store.currency,
    plan: store.ratePlan,
    sandbox: store.sandbox,
    clock: isoOrNull(store.clockAt),
    profile: store.platformProfile,
    platform_url: store.platformUrl,
    status: store.status,
    connected: store.connectedAt !== null,
    created_at: isoOf(store.createdAt)
  }
}

function clockFrom(text: string): Temporal.Instant {
  try {
    return Temporal.Instant.from(text)
  } catch {
    throw invalidField('clock', 'takes an instant such as 2026-01-31T10:00:00Z')
  }
}
