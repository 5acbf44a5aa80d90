import { type Static, Type } from 'typebox'
import { publicId } from '#kit/ids'
import { invalidField } from '#kit/refusal'
import { RATE_PLANS } from '#stores'
import { openStore } from '#sync'
import type { Surface } from '../../shared/surface.ts'
import { invalid } from '../../shared/validation.ts'
import type { AdminDeps } from '../deps.ts'
import { boolean, inWords, text } from '../fields.ts'
import { connectionFields } from './connection-fields.ts'

const ACCEPTED_CLOCK = 'an instant such as 2026-01-31T10:00:00Z'

const NewStoreBody = Type.Object(
  {
    domain: text(253, 'a host name such as shop.example.com', { examples: ['books.example'] }),
    name: text(200, undefined, { examples: ['Books'] }),
    timezone: text(100, 'an IANA time zone such as Europe/Vienna', { examples: ['Europe/Vienna'] }),
    currency: text(3, 'an ISO 4217 code such as USD', { examples: ['EUR'] }),
    plan: text(20, inWords(RATE_PLANS), { meaning: 'The rate limits of the store', examples: ['starter'] }),
    sandbox: boolean('Whether its platform is the sandbox'),
    clock: Type.Optional(
      text(40, ACCEPTED_CLOCK, {
        meaning: 'With `sandbox`: where its test clock starts. Without it the store lives in real time',
        examples: ['2026-01-31T10:00:00Z']
      })
    ),
    profile: Type.Optional(
      text(20, 'platform or shopify', {
        meaning: "The platform's dialect: `platform` by default for a sandbox store, else `shopify`",
        examples: ['platform']
      })
    ),
    ...connectionFields()
  },
  {
    examples: [
      {
        domain: 'books.example',
        name: 'Books',
        timezone: 'Europe/Vienna',
        currency: 'EUR',
        plan: 'starter',
        sandbox: true
      }
    ]
  }
)

const CreatedStore = Type.Object(
  {
    id: Type.String({ description: 'The store id' }),
    domain: Type.String({ description: "The shop's domain on its platform" }),
    timezone: Type.String({ description: 'The IANA time zone of billing dates and days' }),
    currency: Type.String({ description: 'ISO 4217' }),
    plan: Type.String({ description: 'The rate limits of the store' }),
    proxy_secret: Type.String({ description: 'Signs the requests of the storefront; shown only here' }),
    platform_url: Type.String({ description: 'The address of its platform' }),
    platform_token: Type.String({ description: "The access token of the platform's API; shown only here" })
  },
  {
    title: 'CreatedStore',
    description: 'A new store with its secrets, which are shown only here.',
    examples: [
      {
        id: 'store_2',
        domain: 'books.example',
        timezone: 'Europe/Vienna',
        currency: 'EUR',
        plan: 'starter',
        proxy_secret: 'Jisfokwiko0g5HHuVAShooE6Hj5G2ZDJ',
        platform_url: 'http://127.0.0.1:3001/books.example',
        platform_token: 'sbx_theLWDDGUr5ORVwz83MPlxoZiK74Jtmh'
      }
    ]
  }
)

/** POST /stores */
export function createStoreRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores',
    {
      config: { allow: 'install' },
      schema: {
        operationId: 'createStore',
        summary: 'Create a store',
        description:
          "Creates a store and registers the service's webhooks on its platform. A store without `sandbox` needs `platform_url`, `access_token` and `app_secret`; with `sandbox` they are not accepted. When the platform cannot be reached or refuses the token, the response is 503, and the store is saved and listed with `connected` false. The same request connects it; other values in it replace the saved ones.",
        body: NewStoreBody,
        response: { 201: CreatedStore }
      }
    },
    async (request, reply) => {
      checkConnection(request.body)
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
}

const NEEDED_FOR_A_LIVE_STORE = ['platform_url', 'access_token', 'app_secret'] as const

/** The sandbox creates what the connection of its stores needs; a live store brings it. */
function checkConnection({ sandbox, ...body }: Static<typeof NewStoreBody>): void {
  const problems = sandbox
    ? [...NEEDED_FOR_A_LIVE_STORE, 'proxy_secret' as const]
        .filter((field) => body[field] !== undefined)
        .map((field) => ({
          field,
          code: 'invalid' as const,
          message: 'is not accepted with sandbox, which creates it'
        }))
    : NEEDED_FOR_A_LIVE_STORE.filter((field) => body[field] === undefined).map((field) => ({
        field,
        code: 'required' as const,
        message: 'is required without sandbox'
      }))
  if (problems.length > 0) throw invalid(problems)
}

function clockFrom(text: string): Temporal.Instant {
  try {
    return Temporal.Instant.from(text)
  } catch {
    throw invalidField('clock', `must be ${ACCEPTED_CLOCK}`)
  }
}
