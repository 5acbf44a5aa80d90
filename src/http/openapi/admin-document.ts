import { Refusal } from '#kit/refusal'
import { exampleOf } from '#resources'
import { errorBody, statusOf } from '../admin/errors.ts'
import { ADMIN_PREFIX } from '../admin/index.ts'
import { TooManyGuesses } from '../rate-limits/guess-limiter.ts'
import type { JsonSchema } from '../shared/json-schema.ts'
import { invalid } from '../shared/validation.ts'
import { surfaceDocument } from './document.ts'
import type { DocumentDialect, DocumentedRoute, ErrorKind, OpenApiDocument, Tag } from './document-types.ts'
import { IDEMPOTENCY_KEY } from './operations.ts'
import { codedError, HEADERS, namesObject } from './responses.ts'

const SANDBOX: Tag = {
  name: 'Sandbox',
  description:
    'Scripts the sandbox platform of a sandbox store. Each response comes when everything that followed is done, deliveries included. For a live store these are 409.'
}
const LISTENERS: Tag = {
  name: 'Webhook listeners',
  description: 'Receivers on developers’ machines: each `perennial listen` is a listener while it runs.'
}
const STORES: Tag = { name: 'Stores', description: 'Stores, their settings, and their connection to their platform.' }

const PLANS: Tag = {
  name: 'Plans',
  description: `What can be joined, at which price, with which perks. \`perks\` is an object of up to four parts, and what a response shows can be sent back:

${[
  '`discount`, the prices of members: `value`, `type` (`percentage`, above 0 to 100, or `fixed`), `applies_to` (`all`, `product` with `product_ids`, `collection` with `collection_ids`; at most 250), `steps` (`quantity` from 1 to 20, rising, with `value` and `type`: the highest step that is reached counts), `price_base` (`original`, the compare-at price where there is one, or `sale`), `stack_with_subscriptions`',
  '`welcome_offer`, off the cheapest product of the first membership order: `value`, `type`, `applies_to`, `product_ids`, `collection_ids`',
  '`free_shipping`: `countries` (ISO codes; empty is everywhere), `message`, `method_name` (at most 255 characters), `threshold` (null, or `type` `items` or `subtotal` with its `value`)',
  '`store_credit` for each paid cycle: `amount`, required when the plan is created; it is the `credit` of the plan and changes with a new version only. `type` is `coupon`, `function`, `storecredit` or `giftcard`: how the credit is spent. It is issued whatever the type'
]
  .map((part) => `- ${part}`)
  .join('\n')}

A plan of products accepts no perks but \`store_credit\`. Store credit is issued by each paid cycle. What the other perks come to for a cart is shown by [pricing](#pricing).`
}

const PRICING: Tag = {
  name: 'Pricing',
  description: `What members pay. \`cart\` describes what is bought, at prices without a membership:

${[
  '`lines`, 1 to 250, whose order does not matter: `product_id`; `price` of one piece, with the discount of its subscription where it has one; `quantity` (1 by default); `compare_at_price`, the price before a sale; `collection_ids`; `tags` of the product; `variant_id`; `id`, by default the number of the line. A line of the product of a membership plan sells that membership',
  '`charge`: `checkout` (the default), or `recurring` for the renewal of product subscriptions',
  '`country`: where it is sent, an ISO code such as US; without it the country is not known',
  '`shipping`: `method` and `price` of the chosen shipping method'
]
  .map((part) => `- ${part}`)
  .join('\n')}`
}

/** By the part of a path behind the store, or the first part. */
const TAGS: Record<string, Tag> = {
  stores: STORES,
  keys: { name: 'API keys', description: 'Keys of the REST API.' },
  plans: PLANS,
  pricing: PRICING,
  platform: {
    name: 'Platform',
    description:
      'The app on the platform, and how a store is connected to it: access token, scopes, webhooks of the platform ([connect a store](connect-a-store.md)).'
  },
  analytics: {
    name: 'Analytics',
    description: 'What a store and its members did, in figures: docs/analytics.md has what each means.'
  },
  search: { name: 'Search', description: 'Customers, orders and subscriptions by what people know of them.' },
  members: { name: 'Members', description: 'Customers who hold or held a membership or a subscription.' },
  customers: { name: 'Customers', description: 'People whom the service knows, members or not.' },
  subscriptions: { name: 'Subscriptions', description: 'Subscriptions of a store, and what an operator does to them.' },
  'billing-attempts': { name: 'Billing attempts', description: 'Tries to charge the cycles of subscriptions.' },
  webhooks: { name: 'Webhook endpoints', description: "The URLs that receive a store's events." },
  'webhook-deliveries': {
    name: 'Webhook deliveries',
    description: 'What was sent to endpoints, and sending it again.'
  },
  'webhook-listeners': LISTENERS,
  alerts: { name: 'Alerts', description: 'What the people who run a store need to know.' },
  events: { name: 'Events', description: 'What happened in a store, as its receivers get it.' },
  tags: {
    name: 'Tags',
    description: 'The tags that the service keeps on customers and orders of the platform.'
  },
  privacy: {
    name: 'Privacy',
    description:
      'Requests about personal data: what is held about a customer, and its erasure. The platform sends them as compliance webhooks; an operator can make them too.'
  },
  metafields: {
    name: 'Metafields',
    description: 'The metafields that the service keeps on the shop and its customers.'
  },
  'storefront-settings': {
    name: 'Storefront settings',
    description: 'What an operator enters for the storefront, which reads it in metafields of the shop.'
  },
  'dead-letters': {
    name: 'Dead letters',
    description: 'Events that a part of the service could not handle, and trying them again.'
  },
  orders: { name: 'Orders', description: 'The orders of the shop, and reading those that it had before.' },
  'store-credits': { name: 'Store credit', description: 'Store credit of customers, by hand and by import.' },
  'reward-integrations': {
    name: 'Reward points of others',
    description: 'Services that keep reward points for the shop, and their balances: pushed here, or pulled from a URL.'
  },
  loyalty: {
    name: 'Loyalty',
    description:
      'For what customers earn points and rewards, the tiers that they reach, and the coupons that points can buy ([loyalty](loyalty.md)).'
  },
  churn: {
    name: 'Churn',
    description: 'What people who cancel are asked and offered, and what comes of it ([churn](churn.md)).'
  },
  wallet: {
    name: 'Wallet passes',
    description: 'Membership cards in the wallets of phones, and the sales that they show.'
  },
  imports: { name: 'Imports', description: 'Taking over contracts that others have billed until now.' },
  team: {
    name: 'Team',
    description: 'People who sign in to the admin interface, and what they changed ([team](team.md)).'
  },
  sandbox: SANDBOX,
  installation: { name: 'Installation', description: 'What is about the whole installation.' }
}

/** Paths whose tag is not named like them. */
const TAG_OF: Record<string, string> = {
  connect: 'stores',
  disconnect: 'stores',
  delete: 'stores',
  settings: 'stores',
  reconcile: 'stores',
  release: 'stores',
  'order-import': 'orders',
  'webhook-samples': 'webhook-listeners',
  clock: 'sandbox',
  seed: 'sandbox',
  me: 'team',
  changes: 'team',
  requests: 'events',
  doctor: 'installation',
  status: 'installation',
  'openapi.json': 'installation'
}

const isWrite = ({ method }: DocumentedRoute) => method !== 'GET'

/** Every way in which the admin API refuses, with a response that it really gives. */
const ERRORS: Record<string, ErrorKind> = {
  InvalidRequest: {
    meaning:
      'The request is malformed or cannot be carried out. The message names the field and says what is accepted.',
    refusal: invalid([
      { field: 'limit', code: 'invalid', message: 'must be an integer from 1 to 100' },
      { field: 'stat', code: 'unknown', message: 'is not a parameter here; this route accepts before, limit' }
    ])
  },
  AuthenticationFailed: {
    meaning: 'There is neither a valid operator token nor the cookie of a session.',
    refusal: new Refusal(
      'authentication_failed',
      'A valid operator token is needed, or a session of the admin interface'
    ),
    headers: ['WWW-Authenticate']
  },
  Forbidden: {
    meaning:
      'The role of the person may not do this ([roles](team.md)), or another site asks. The operator token may call every operation.',
    refusal: new Refusal('forbidden', 'This is for the roles owner, developer; yours is support')
  },
  NotFound: {
    meaning: 'There is no such store or object, or no such path or method.',
    refusal: new Refusal('not_found', 'There is no store nope.example'),
    isFor: namesObject
  },
  Conflict: {
    meaning: 'It is not possible in the present state: a disabled endpoint, a store that is not a sandbox store.',
    refusal: new Refusal('conflict', 'Store books.example is not a sandbox store'),
    isFor: isWrite
  },
  RateLimited: {
    meaning:
      'This address has sent 10 wrong operator tokens within the minute. `Retry-After` says when it may send one again; other addresses are not affected.',
    refusal: new TooManyGuesses(42, 'operator tokens'),
    headers: ['Retry-After']
  },
  InternalError: {
    meaning: 'An internal error. The log has the details under the `X-Request-Id`.',
    refusal: null
  },
  Unavailable: {
    meaning: 'The platform did not answer, or the service is too busy. Repeat the request.',
    refusal: new Refusal('unavailable', 'The platform did not answer')
  }
}

const CODES = [
  'invalid_request',
  'authentication_failed',
  'forbidden',
  'not_found',
  'conflict',
  'rate_limited',
  'unavailable',
  'internal_error'
]

const GUIDE = `Everything that the \`perennial\` command does, over HTTP with JSON, for programs that run stores. The operator token gives access to every store of the installation; programs of one store use the REST API.

${[
  'Every request has the operator token: `Authorization: Bearer <token>`. The token is `PERENNIAL_TOKEN`, or the content of `DATA_DIR/operator.token`. Keep it like a root password, and do not let a proxy show `/admin/api` to the internet.',
  'A store in a path is its domain or its id (`books.example`, `store_2`).',
  'Bodies are JSON objects with `Content-Type: application/json`, of at most 256 KiB. A body that may be empty may be missing. Fields and parameters that an operation does not declare are refused. In the body of a POST `null` stands for a field that is left out.',
  "Times are ISO 8601 in UTC, in the store's time where nothing else is said. A date without a time means midnight in the shop.",
  'Fields may be added to responses: ignore those that you do not know.'
]
  .map((point) => `- ${point}`)
  .join('\n')}`

const DIALECT: DocumentDialect = {
  prefix: ADMIN_PREFIX,
  info: {
    title: 'Perennial admin API',
    summary: 'What operators do in every store of an installation.',
    description: GUIDE
  },
  tags: TAGS,
  tagOf: (path) => {
    const [, first = '', store, part = 'stores'] = path.split('/')
    const name = first === 'stores' && store ? part : first
    return TAG_OF[name] ?? name
  },
  securitySchemes: {
    operatorToken: { type: 'http', scheme: 'bearer', description: 'The operator token of the installation.' }
  },
  accessOf: (allow) => ({ security: [{ operatorToken: [] }], 'x-allow': allow }),
  isIdempotent: ({ schema }) => schema?.isIdempotent === true,
  headersOfEveryResponse: ['X-Request-Id'],
  headers: Object.fromEntries(Object.entries(HEADERS).filter(([name]) => !/^X-RateLimit/.test(name))),
  errors: ERRORS,
  errorSchema: codedError(CODES, errorBody(new Refusal('not_found', 'There is no store nope.example'))),
  wordErrors: { statusOf, errorBody },
  successOf: (schema) => ({ description: aboutSuccess(schema), example: exampleOf(schema) })
}

/** The document of the admin API, made from its routes. */
export const adminDocument = (routes: DocumentedRoute[]): OpenApiDocument =>
  surfaceDocument(routes, DIALECT, { parameters: { IdempotencyKey: IDEMPOTENCY_KEY } })

function aboutSuccess({ title, properties = {} }: JsonSchema): string {
  if (title) return `The ${title}.`
  const item = properties.data?.items?.title
  return item ? `\`data\` has each ${item}.` : 'What came of it.'
}
