import { Refusal } from '#kit/refusal'
import { exampleOf } from '#resources'
import type { RatePlan } from '#stores'
import type { Budget } from '../rate-limits/budgets.ts'
import { RateLimited } from '../rate-limits/rate-limited.ts'
import { pagingOf } from '../rest/envelope.ts'
import { REST_PREFIX } from '../rest/index.ts'
import { errorBody, statusOf } from '../shared/error-body.ts'
import type { JsonSchema } from '../shared/json-schema.ts'
import { invalid } from '../shared/validation.ts'
import { surfaceDocument } from './document.ts'
import type { DocumentDialect, DocumentedRoute, ErrorKind, RestDocument, Tag } from './document-types.ts'
import { guideAsMarkdown, guideOf } from './guide.ts'
import { IDEMPOTENCY_KEY } from './operations.ts'
import { codedError, HEADERS, namesObject, RATE_LIMIT_HEADERS, TOO_BUSY } from './responses.ts'
import { SIGNATURE_HEADERS, webhooksOf } from './webhooks.ts'

/** By the first part of a path. */
const TAGS: Record<string, Tag> = {
  members: { name: 'Members', description: 'People who hold or held a membership or a subscription.' },
  subscriptions: { name: 'Subscriptions', description: 'What is billed on a schedule, and its lifecycle.' },
  'billing-attempts': { name: 'Billing attempts', description: 'Each try to charge one cycle.' },
  'store-credits': { name: 'Store credits', description: "A customer's balance of store credit and its ledger." },
  loyalty: { name: 'Loyalty', description: 'What customers did elsewhere, for loyalty rules.' },
  analytics: { name: 'Analytics', description: 'Aggregate metrics of the store.' },
  events: { name: 'Events', description: 'What happened, for a receiver that missed deliveries.' },
  'webhook-endpoints': { name: 'Webhook endpoints', description: 'The receivers of events.' },
  'webhook-deliveries': { name: 'Webhook deliveries', description: 'One event for one endpoint.' }
}

/** Every way in which the direct API refuses, with a response that it really gives. */
const ERRORS: Record<string, ErrorKind> = {
  InvalidRequest: {
    meaning:
      'The request is malformed or cannot be carried out. The message names the field and says what is accepted.',
    refusal: invalid([
      { field: 'limit', code: 'invalid', message: 'must be an integer from 1 to 100' },
      {
        field: 'stat',
        code: 'unknown',
        message: 'is not a parameter here; this route accepts limit, offset, status, plan_id, email'
      }
    ])
  },
  AuthenticationFailed: {
    meaning: 'The API key is missing, unknown or revoked.',
    refusal: new Refusal('authentication_failed', 'A valid API key is needed'),
    headers: ['WWW-Authenticate']
  },
  Forbidden: {
    meaning: 'The API key does not have the scope that the message names.',
    refusal: new Refusal('forbidden', 'This key lacks the scope read:members')
  },
  NotFound: {
    meaning: 'The object does not exist in the store of the API key, or the path or method does not exist.',
    refusal: new Refusal('not_found', 'There is no member mem_999', [
      { field: 'member_id', code: 'not_found', message: 'names nothing in the store' }
    ]),
    isFor: namesObject
  },
  RateLimited: {
    meaning: 'The rate limit is exceeded. `Retry-After` says how long to wait.',
    refusal: new RateLimited({ limit: 60, window: 'minute' }),
    headers: ['Retry-After']
  },
  InternalError: {
    meaning: 'An internal error. The log has the details under the `X-Request-Id`.',
    refusal: null
  },
  Unavailable: TOO_BUSY
}

const CODES = ['invalid_request', 'authentication_failed', 'forbidden', 'not_found', 'rate_limited', 'internal_error']

/** The document of the direct API, made from its routes. */
export function restDocument(routes: DocumentedRoute[], budgets: Record<RatePlan, Budget>): RestDocument {
  const dialect: DocumentDialect = {
    prefix: REST_PREFIX,
    info: {
      title: 'Perennial API',
      summary: 'Subscriptions, memberships, billing attempts and store credit of one store.',
      description: guideAsMarkdown(guideOf(budgets))
    },
    tags: TAGS,
    tagOf: (path) => path.split('/')[1] ?? '',
    securitySchemes: {
      apiKey: {
        type: 'http',
        scheme: 'bearer',
        bearerFormat: 'svc_live_… or svc_test_…',
        description: 'An API key of a store. The roles of an operation are the scopes that the key needs.'
      }
    },
    accessOf: (scope) => ({
      security: [{ apiKey: [scope] }],
      'x-required-scope': scope,
      note: `Requires the scope \`${scope}\`.`
    }),
    isIdempotent: ({ method }) => method !== 'GET',
    headersOfEveryResponse: ['X-Request-Id', ...RATE_LIMIT_HEADERS],
    headers: HEADERS,
    errors: ERRORS,
    errorSchema: codedError(CODES, errorBody(new RateLimited({ limit: 60, window: 'minute' }))),
    wordErrors: { statusOf, errorBody },
    successOf: enveloped
  }
  return surfaceDocument(routes, dialect, {
    parameters: { IdempotencyKey: IDEMPOTENCY_KEY, ...SIGNATURE_HEADERS },
    webhooks: webhooksOf
  }) as RestDocument
}

/** `data` and `meta`, shown by the example of the schema and what the operation changes of it. */
function enveloped(schema: JsonSchema, changes: Record<string, unknown> | undefined) {
  const { data = {} } = schema.properties ?? {}
  const { data: shown, meta: single } = exampleOf(schema) as { data: unknown; meta: object }
  const meta = data.items ? { ...single, ...pagingOf({}) } : single
  const name = (data.items ?? data).title ?? 'object'
  return {
    description: data.items ? `A page of the list: \`data\` is a list of ${name}.` : `\`data\` is the ${name}.`,
    example: changes ? { data: { ...(shown as object), ...changes }, meta } : { data: shown, meta }
  }
}
