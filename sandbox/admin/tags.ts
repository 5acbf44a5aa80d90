import { type Queries, sql } from '#kit/postgres'
import { wholeOrderPayload } from '../orders/whole-order-payload.ts'
import { reportProduct } from '../outgoing/catalogue-messages.ts'
import { customerTagMessages } from '../outgoing/customer-tag-messages.ts'
import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import type { Shop } from '../shop.ts'
import { findCustomer } from '../state/customers.ts'
import { findOrder } from '../state/orders.ts'
import { findProducts } from '../state/products.ts'
import { accessDenied, isGranted, SCOPE_OF_TAGGED } from '../wire/access.ts'
import type { Api, Resolver, Resolvers } from '../wire/api.ts'
import { invalidId, isNumericId, parseGid } from '../wire/gid.ts'
import { findNode } from './nodes.ts'
import { normalTags, splitTags, withoutTags, withTags } from './tag-list.ts'
import { userError } from './user-errors.ts'

const MAX_TAGS = 250
/** The longest tag, by the type of its owner. */
const LONGEST = { Customer: 255, Order: 40, Product: 255 } as const
type Tagged = keyof typeof LONGEST

type Change = (old: string[], given: string[]) => string[]

function tagMutation(field: 'tagsAdd' | 'tagsRemove', change: Change): Resolver {
  return async (_root: unknown, args: { id: string; tags: string[] }, api: Api) => {
    const parsed = parseGid(api.shop, args.id)
    if (!parsed || !(parsed.type in LONGEST) || !isNumericId(parsed.id)) throw invalidId()
    const type = parsed.type as Tagged
    if (!isGranted(api.shop, SCOPE_OF_TAGGED[type])) throw accessDenied(field, SCOPE_OF_TAGGED[type])
    const refused = (field: string, message: string) => ({ node: null, userErrors: [userError([field], message)] })
    if (splitTags(args.tags).some((tag) => tag.length > LONGEST[type])) {
      return refused('tags', `Tags must be ${LONGEST[type]} characters or less`)
    }
    const outcome = await api.write((q, now) => WRITE[type](q, api.shop, parsed.id, args.tags, change, now))
    if (outcome === 'missing') return refused('id', `${type} does not exist`)
    if (outcome === 'too many') return refused('tags', `A maximum of ${MAX_TAGS} tags is allowed`)
    return { node: await findNode(api, args.id), userErrors: [] }
  }
}

type Outcome = 'done' | 'missing' | 'too many'
type Write = (
  q: Queries,
  shop: Shop,
  id: string,
  given: string[],
  change: Change,
  now: Temporal.Instant
) => Promise<Outcome>

function changed(old: string[], given: string[], change: Change): string[] | 'too many' | 'same' {
  const tags = change(old, given)
  if (tags.length > MAX_TAGS) return 'too many'
  return tags.length === old.length && tags.every((tag, i) => tag === old[i]) ? 'same' : tags
}

/** Changes the tags of a customer. */
export const changeCustomerTags: Write = async (q, shop, id, given, change, now) => {
  await q.run(sql`select from sandbox.customers where store_id = ${shop.storeId} and id = ${id} for update`)
  const customer = await findCustomer(q, shop.storeId, id)
  if (!customer) return 'missing'
  const tags = changed(customer.tags, given, change)
  if (tags === 'too many') return tags
  if (tags === 'same') return 'done'
  await q.run(sql`
    update sandbox.customers set tags = ${tags}, updated_at = ${now} where store_id = ${shop.storeId} and id = ${id}`)
  await queueWebhooks(q, shop, webhookMessage(customerTagMessages(shop, customer, tags, now)), now)
  return 'done'
}

const WRITE: Record<Tagged, Write> = {
  Customer: changeCustomerTags,

  async Order(q, shop, id, given, change, now) {
    await q.run(sql`select from sandbox.orders where store_id = ${shop.storeId} and id = ${id} for update`)
    const order = await findOrder(q, shop.storeId, id)
    if (!order) return 'missing'
    const tags = changed(order.tags, given, change)
    if (tags === 'too many') return tags
    if (tags === 'same') return 'done'
    await q.run(sql`
      update sandbox.orders set tags = ${tags}, updated_at = ${now} where store_id = ${shop.storeId} and id = ${id}`)
    const payload = await wholeOrderPayload(q, shop, { ...order, tags, updatedAt: now })
    await queueWebhooks(q, shop, webhookMessage([{ topic: 'orders/updated', payload }]), now)
    return 'done'
  },

  async Product(q, shop, id, given, change, now) {
    await q.run(sql`select from sandbox.products where store_id = ${shop.storeId} and id = ${id} for update`)
    const [product] = await findProducts(q, shop.storeId, [id])
    if (!product) return 'missing'
    const tags = changed(product.tags, given, change)
    if (tags === 'too many') return tags
    if (tags === 'same') return 'done'
    await q.run(sql`
      update sandbox.products set tags = ${tags}, updated_at = ${now} where store_id = ${shop.storeId} and id = ${id}`)
    await reportProduct(q, shop, id, 'update', now)
    return 'done'
  }
}

export const tagResolvers: Resolvers = {
  Mutation: {
    tagsAdd: tagMutation('tagsAdd', withTags),
    tagsRemove: tagMutation('tagsRemove', (old, given) => normalTags(withoutTags(old, given)))
  }
}
