import { PARAMETERS, TooManyExports } from '#exports'
import { invalidField, Refusal } from '#kit/refusal'
import { exampleOf } from '#resources'
import { TooManyAtOnce } from '../rate-limits/too-many-at-once.ts'
import { errorBody, statusOf } from '../storefront/errors.ts'
import { STOREFRONT_PREFIX } from '../storefront/index.ts'
import { NOT_SIGNED } from '../storefront/proxy.ts'
import { surfaceDocument } from './document.ts'
import type { DocumentDialect, DocumentedRoute, ErrorKind, OpenApiDocument } from './document-types.ts'
import { HEADERS, TOO_BUSY } from './responses.ts'
import { APP_PROXY, QUERY_KEY, StorefrontError } from './storefront-document.ts'

/** How programs of integrators are let in: all of it must agree. */
export const KEY_AND_PROXY: Pick<DocumentDialect, 'securitySchemes' | 'accessOf'> = {
  securitySchemes: {
    appProxy: APP_PROXY,
    apiKey: QUERY_KEY
  },
  accessOf: (scope) => ({
    security: [{ appProxy: [], apiKey: [] }],
    'x-required-scope': scope,
    note: `Requires the scope \`${scope}\`.`
  })
}

/** The errors that both APIs of integrators have, in whatever shape. */
export const EXPORT_ERRORS = {
  AuthenticationFailed: {
    meaning:
      'The key is missing or not valid, it belongs to another store, or the app proxy of a known shop did not sign the request, or signed it too long ago.',
    refusal: new Refusal('authentication_failed', NOT_SIGNED)
  },
  Forbidden: {
    meaning: 'The key lacks the scope.',
    refusal: new Refusal('forbidden', 'This key lacks the scope read:data')
  },
  TooManyExports: {
    meaning:
      'The store has as many exports under way as it may have at once. Requests are not counted by minute or day.',
    refusal: new TooManyAtOnce(new TooManyExports(8)),
    headers: ['Retry-After']
  },
  InternalError: {
    meaning: 'An internal error. The log has the details under the `X-Request-Id`.',
    refusal: null
  },
  Unavailable: TOO_BUSY
} satisfies Record<string, ErrorKind>

export const EXPORT_HEADERS = Object.fromEntries(
  Object.entries(HEADERS).filter(([name]) => ['X-Request-Id', 'Retry-After'].includes(name))
)

const DIALECT: DocumentDialect = {
  prefix: STOREFRONT_PREFIX,
  has: (path) => path.startsWith('/data/'),
  info: {
    title: 'Perennial Data API',
    summary: 'The rows of a store, page by page, for a CRM or a warehouse.',
    description:
      "Requests go to the shop's domain, and the platform's app proxy signs them. Dates are shop time, there are no nulls (an empty text stands for nothing), and decimals are texts. Parameters that an endpoint does not have are ignored. Responses are compressed for `Accept-Encoding: zstd`, `br` or `gzip`. A response that ends early is broken off: it is never complete JSON. The header `Shop-Time` is the shop's time before the rows were read, from which the next `since_updated` follows."
  },
  tags: { data: { name: 'Data API', description: 'Rows of a store, page by page.' } },
  tagOf: () => 'data',
  ...KEY_AND_PROXY,
  isIdempotent: () => false,
  headersOfEveryResponse: ['X-Request-Id'],
  headers: EXPORT_HEADERS,
  errors: {
    ...EXPORT_ERRORS,
    InvalidRequest: {
      meaning: 'A parameter is malformed. `errors` says which.',
      refusal: invalidField('since_id', `must be ${PARAMETERS.since_id.accepts}`)
    }
  },
  errorSchema: StorefrontError,
  wordErrors: { statusOf, errorBody },
  successOf: (schema) => ({ description: schema.description ?? 'Done.', example: exampleOf(schema) })
}

/** The document of the Data API, made from its routes. */
export const dataDocument = (routes: DocumentedRoute[]): OpenApiDocument => surfaceDocument(routes, DIALECT)
