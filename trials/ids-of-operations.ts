import assert from 'node:assert/strict'
import type { Operation } from '../test/openapi.ts'
import type { StoreOfThings, Thing, Things } from './store-of-things.ts'

/** What each path parameter names. One that is missing here fails the trial, and so does a filter or a field of a body below. */
export const PATH_IDS: Record<string, Thing[]> = {
  member_id: ['member'],
  customer_id: ['customer', 'platformCustomer'],
  customer: ['customer', 'platformCustomer'],
  subscription_id: ['subscription'],
  id: ['subscription'],
  attempt_id: ['attempt'],
  attempt: ['attempt'],
  endpoint_id: ['endpoint'],
  endpoint: ['endpoint'],
  delivery_id: ['delivery'],
  reservation_id: ['reservation'],
  code_id: ['code'],
  order: ['order'],
  webhook_id: ['delivery'],
  key: ['key'],
  plan: ['plan'],
  listener: ['listener'],
  import: ['import'],
  dead_letter: ['deadLetter'],
  integration: ['integration'],
  privacy_request: ['privacyRequest'],
  campaign: ['campaign'],
  rule: ['rule'],
  tier: ['tier'],
  template: ['template'],
  coupon: ['coupon'],
  receipt: ['receipt'],
  reward: ['reward'],
  offer: ['offer'],
  accepted_offer: ['acceptedOffer']
}

/** Parameters of paths that name the same thing in every store, with one that exists. */
const NAMES_IN_PATHS: Record<string, string> = {
  setting: 'general',
  wallet: 'google',
  reason: 'other',
  // Of the whole installation: nobody's data of a store.
  person: 'nobody',
  invitation: 'none'
}

export const FILTER_IDS: Record<string, Thing[]> = {
  plan_id: ['plan'],
  customer_id: ['customer', 'platformCustomer'],
  subscription_id: ['subscription'],
  customer: ['customer', 'platformCustomer'],
  endpoint: ['endpoint'],
  object: ['subscription'],
  order: ['order'],
  email: ['email'],
  contract: ['contract', 'subscription'],
  offer: ['offer']
}

const FIELD_IDS: Record<string, Thing[]> = {
  customer: ['customer', 'platformCustomer', 'email'],
  customer_id: ['customer', 'platformCustomer'],
  into: ['platformCustomer'],
  receiver: ['customer', 'platformCustomer', 'email'],
  order: ['order'],
  order_id: ['order'],
  plan_id: ['plan'],
  payment_method_id: ['paymentMethod'],
  endpoint: ['endpoint'],
  results: ['handle']
}

/** Names of parameters and fields that look like ids of a store's objects, and why they are none. */
const NO_IDS: Record<string, string> = {
  store: 'the store itself, which the operator names',
  variant_id: "the platform's number of a product's variant, which is not ours",
  product_ids: "the platform's numbers of products, which are not ours",
  before: 'a place in a list, which the store of the path bounds',
  after: 'a place in a list, which the store of the path bounds',
  plan: 'the name of a tariff, or of a plan in the sandbox',
  plans: 'names of plans in the sandbox',
  pass_type_id: 'what Apple calls a type of passes',
  team_id: 'what Apple calls a team',
  issuer_id: 'what Google calls an issuer',
  event_id: 'the id that another program gives an event of a customer',
  webhook_id: 'the id that the sandbox gives a message to the store of the path',
  'member.email': 'a new address'
}
/**
 * Fields whose ids only the platform knows: what is asked of it waits, and the platform refuses it. The other store must not
 * change.
 */
export const ASKED_OF_THE_PLATFORM = new Set(['payment_method_id'])
/** Fields that name anyone: the store answers a request about privacy also for a customer of whom it has nothing. */
export const FOR_ANYONE = new Set(['customer createPrivacyRequest'])
const LOOKS_LIKE_AN_ID =
  /(_ids?|^customer|^order|^receiver|^plan|^endpoint|^into|^object|^handle|^results|^before|^after|^store)$/

/** Bodies with which an operation works, in place of its example; ids in them are filled in. */
const BODIES: Record<string, object> = {
  createWebhookEndpoint: { url: 'http://127.0.0.1:9/hooks' },
  updateWebhookEndpoint: { description: 'Walk' },
  updateMember: { loyalty_points: 7 },
  'rest changeSubscription': { price: 31 },
  cancelSubscription: { reason: 'too_expensive' },
  pauseSubscription: { duration: 3 },
  resumeSubscription: {},
  fetchWebhookDeliveries: { wait_seconds: 0, max: 1 },
  joinSandboxPlan: { customer: '', plan: 'VIP' },
  deleteStore: { name: 'Nobody' }
}

/** What may be sent with a field of a body where the example is about something else. */
export const FIELDS_WITH: Record<string, object> = {
  'payment_method_id createSubscription': { customer: 'own', plan_id: 'own', next_billing_date: '2030-01-31' },
  'receiver createSubscription': { customer: 'own', plan_id: 'own', next_billing_date: '2030-01-31' }
}

function refuseUnlisted(what: string, name: string): void {
  if (name in NO_IDS || !LOOKS_LIKE_AN_ID.test(name)) return
  assert.fail(`${what} takes ${name}: name in ids-of-operations.ts what it is, or why it is no id`)
}

export function idsOf(operation: Operation, place: 'path' | 'query', known: Record<string, Thing[]>) {
  return operation.parameters.flatMap(({ name, in: where }) => {
    if (where !== place) return []
    if (place === 'path' && name !== 'store' && !(name in known) && !(name in NAMES_IN_PATHS)) {
      assert.fail(`${operation.id} has a path with ${name}, which ids-of-operations.ts does not know`)
    }
    if (name in NAMES_IN_PATHS) return []
    if (!(name in known)) refuseUnlisted(operation.id, name)
    return (known[name] ?? []).map((thing) => ({ name, thing }))
  })
}

export function fieldsOf(operation: Operation) {
  return Object.keys(operation.body?.properties ?? {}).flatMap((name) => {
    if (!(name in FIELD_IDS)) refuseUnlisted(operation.id, name)
    return (FIELD_IDS[name] ?? []).map((thing) => ({ name, thing }))
  })
}

/** A request of the operation about the store's own things. */
export function ownRequest(operation: Operation, surface: string, store: StoreOfThings) {
  const path = operation.path
    .replace('{store}', store.id)
    .replace(/\{(\w+)\}/g, (_, name: string) =>
      encodeURIComponent(NAMES_IN_PATHS[name] ?? store.things[PATH_IDS[name]![0]!])
    )
  const body = BODIES[`${surface} ${operation.id}`] ?? BODIES[operation.id] ?? (operation.example as object | undefined)
  return { path, body: withOwn(typeof body === 'object' ? body : {}, store) }
}

export function withOwn(body: object, { things }: StoreOfThings): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(body).map(([name, value]) => {
      const thing = typeof value === 'string' ? FIELD_IDS[name]?.[0] : undefined
      return [name, thing ? things[thing === 'customer' && /^\d*$/.test(value) ? 'platformCustomer' : thing] : value]
    })
  )
}

export function fieldValue(name: string, thing: Thing, things: Things): unknown {
  if (name !== 'results') return things[thing]
  return [{ handle: things.handle, duration_ms: 3, response_code: 204, failure: null, response_text: '' }]
}
