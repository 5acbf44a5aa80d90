import { Type } from 'typebox'
import { invalidField, Refusal } from '#kit/refusal'
import { exampleOf } from '#resources'
import { RateLimited } from '../rate-limits/rate-limited.ts'
import { errorBody, statusOf } from '../storefront/errors.ts'
import { STOREFRONT_PREFIX } from '../storefront/index.ts'
import { surfaceDocument } from './document.ts'
import type { DocumentDialect, DocumentedRoute, ErrorKind, OpenApiDocument, Tag } from './document-types.ts'
import { HEADERS, namesObject, RATE_LIMIT_HEADERS, TOO_BUSY } from './responses.ts'

/** How the platform's app proxy shows that a request came through it. */
export const APP_PROXY = {
  type: 'apiKey',
  in: 'query',
  name: 'signature',
  description: "The HMAC of the query's other parameters, which the platform's app proxy adds."
}

/** The key of a program. */
export const QUERY_KEY = {
  type: 'apiKey',
  in: 'query',
  name: 'key',
  description: 'An API key of the store.'
}

/** Those that programs call with a key have documents of their own; the files of `http/assets` are not called by programs. */
const isElsewhere = (path: string) => /^\/(data|collection|storefront)(\/|$)/.test(path)

/** By a part of a path. */
const TAGS: Record<string, Tag> = {
  churn: {
    name: 'Churn API',
    description:
      'Why customers leave, what is offered to them, and leaving. Programs call it with a key of the store; the customer who is logged in needs none, for their own contracts. Here null stands for nothing, and times are ISO 8601.'
  },
  identification: {
    name: 'Identification',
    description:
      'Shows customers who are not logged in their prices and their store credit, by a code that is mailed to them.'
  },
  membership: { name: 'Membership', description: 'What a customer has, and does with it.' },
  loyalty: {
    name: 'Loyalty API',
    description:
      'For what customers earn, how far they are, and what they have. Dates are days of the shop, `Y-m-d`, and here null stands for nothing.'
  },
  wallet: { name: 'Wallet passes', description: 'The membership card of a customer for the wallet of a phone.' }
}

const tooLong = invalidField('reason', 'must be a text of 1 to 200 characters that is not blank')

/** Every way in which the storefront refuses, with a response that it really gives. */
const ERRORS: Record<string, ErrorKind> = {
  AuthenticationFailed: {
    meaning:
      'The app proxy of a known shop did not sign the request, or signed it too long ago; or a token is not good.',
    refusal: new Refusal(
      'authentication_failed',
      'The request is not signed by the app proxy of a shop that is known here'
    )
  },
  Forbidden: {
    meaning:
      'Nobody is logged in, it belongs to another customer, a rule of the Churn API does not allow it, or the shop does not offer it.',
    refusal: new Refusal('forbidden', 'This contract belongs to another customer')
  },
  NotFound: {
    meaning: 'There is no such object in the store, or no such path or method.',
    refusal: new Refusal('not_found', 'There is no contract 9264106591'),
    isFor: namesObject
  },
  InvalidRequest: {
    meaning: 'The request is malformed. `errors` has the fields that are wrong.',
    refusal: tooLong
  },
  RateLimited: {
    meaning: 'The rate limit of the customer is reached, or without one that of the address.',
    refusal: new RateLimited({ limit: 60, window: 'minute' }),
    headers: ['Retry-After']
  },
  InternalError: {
    meaning: 'An internal error. The log has the details under the `X-Request-Id`.',
    refusal: null
  },
  Unavailable: TOO_BUSY
}

export const StorefrontError = Type.Object(
  {
    message: Type.String({ description: 'What is wrong, for people; the text may change' }),
    errors: Type.Optional(
      Type.Record(Type.String(), Type.Array(Type.String()), { description: 'What is wrong with each field' })
    )
  },
  { title: 'Error', description: 'Why the request failed.', examples: [errorBody(tooLong)] }
)

const NOTES: Record<string, string> = {
  visitor: 'Nobody needs to be logged in.',
  customer: 'A customer must be logged in to the shop.'
}

const DIALECT: DocumentDialect = {
  prefix: STOREFRONT_PREFIX,
  has: (path) => !isElsewhere(path),
  info: {
    title: 'Perennial storefront API',
    summary: "What a shop's storefront reaches through the platform's app proxy.",
    description:
      "The platform's app proxy adds `shop`, `logged_in_customer_id`, `timestamp` and `signature` to the query of each request and signs it; the store is the shop that it signed for. Times are shop time, `Y-m-d H:i`, and there are no nulls outside of the Loyalty API: an empty text stands for nothing."
  },
  tags: TAGS,
  tagOf: (path) => path.split('/').findLast((part) => part in TAGS) ?? '',
  securitySchemes: { appProxy: APP_PROXY, apiKey: QUERY_KEY },
  accessOf: (allow) => ({
    security: [...(NOTES[allow] ? [] : [{ appProxy: [], apiKey: [] } as Record<string, string[]>]), { appProxy: [] }],
    'x-allow': allow,
    note:
      NOTES[allow] ??
      `A key needs the scope \`${allow}\`; without one a customer must be logged in to the shop, and the contract their own. A key wins.`
  }),
  isIdempotent: () => false,
  headersOfEveryResponse: ['X-Request-Id', ...RATE_LIMIT_HEADERS],
  headers: Object.fromEntries(
    Object.entries(HEADERS).filter(([name]) => !['Idempotent-Replayed', 'WWW-Authenticate'].includes(name))
  ),
  errors: ERRORS,
  errorSchema: StorefrontError,
  wordErrors: { statusOf, errorBody },
  successOf: (schema) => ({ description: schema.description ?? 'Done.', example: exampleOf(schema) })
}

/** The document of the storefront, made from its routes. */
export const storefrontDocument = (routes: DocumentedRoute[]): OpenApiDocument => surfaceDocument(routes, DIALECT)
