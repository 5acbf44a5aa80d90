import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Queries } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { kindOf, listOffers, type Offer } from '../checkout/offers.ts'
import { isOwnForm, keepCart } from '../session.ts'
import { findVariants } from '../state/products.ts'
import { type BrowserCart, withAttributes, withItem, withoutPlan, withPlan, withQuantity } from './cart.ts'
import { cartJson, type ItemJson, itemsJson, type PricedCart } from './cart-json.ts'

/** What the routes of the shop lend to these. */
export type CartPages = {
  currentCart(request: FastifyRequest): Promise<BrowserCart>
  priced(request: FastifyRequest, cart: BrowserCart): Promise<PricedCart>
}

type Body = Record<string, unknown>

/** An answer that the real platform gives to what it does not do. */
class CartError extends Error {
  readonly status: number
  readonly body: object
  constructor(status: number, description: string, body: object = { status, message: 'Cart Error', description }) {
    super(description)
    this.status = status
    this.body = body
  }
}

const NO_LINE = 'no valid id or line parameter'
const noLine = () => new CartError(400, NO_LINE, { status: 'bad_request', message: NO_LINE, description: NO_LINE })
const noVariant = () => new CartError(404, 'Cannot find variant')
const refused = (description: string) => new CartError(422, description)

/** The platform's cart API, as far as themes of this shop and the app's elements use it. A plan is in a cart once. */
export function cartApi(db: { direct: Queries }, scope: FastifyInstance, { currentCart, priced }: CartPages): void {
  const sell = async (request: FastifyRequest, cart: BrowserCart, item: Body): Promise<BrowserCart> => {
    const { storeId } = request.shopRequest.shop
    const id = String(item.id ?? '')
    const [variant] = /^\d{1,18}$/.test(id) ? await findVariants(db.direct, storeId, [id]) : []
    if (!variant) throw noVariant()
    const offers = (await listOffers(db.direct, storeId)).filter((offer) => offer.variant.id === id)
    if (item.selling_plan != null && item.selling_plan !== '') return sellPlan(cart, offers, String(item.selling_plan))
    if (offers.some(({ product }) => kindOf(product) === 'membership')) {
      throw refused('Variant can only be purchased with a selling plan')
    }
    return withItem(cart, id, quantityOf(item.quantity ?? 1))
  }

  const change = async (request: FastifyRequest, body: Body): Promise<BrowserCart> => {
    const before = await priced(request, await currentCart(request))
    const items = itemsJson(request.shopRequest.shop, before)
    const item = body.line === undefined ? lineOf(items, body.id) : items[Number(body.line) - 1]
    if (!item) throw noLine()
    const quantity = quantityOf(body.quantity ?? 1)
    const plan = item.selling_plan_allocation?.selling_plan.id
    if (!('selling_plan' in body) || quantity === 0) return withLine(before.cart, item, quantity)
    if (String(body.selling_plan ?? '') === String(plan ?? '')) return withLine(before.cart, item, quantity)
    const without = withLine(before.cart, item, 0)
    return sell(request, without, { id: item.id, quantity, selling_plan: body.selling_plan })
  }

  const update = async (request: FastifyRequest, { updates, attributes, note }: Body): Promise<BrowserCart> => {
    let { cart, ...rest } = await priced(request, await currentCart(request))
    const items = itemsJson(request.shopRequest.shop, { cart, ...rest })
    for (const [name, quantity] of Object.entries((updates as Body | undefined) ?? {})) {
      const item = Array.isArray(updates) ? items[Number(name)] : lineOf(items, name)
      if (item) cart = withLine(cart, item, quantityOf(quantity))
      else cart = await sell(request, cart, { id: name, quantity })
    }
    if (attributes) cart = withAttributes(cart, attributes as Body)
    return note === undefined ? cart : { ...cart, details: { ...cart.details, note: String(note).slice(0, 120) } }
  }

  const answer = (work: (request: FastifyRequest, body: Body) => Promise<BrowserCart>) =>
    answered(async (request, reply) => {
      const cart = await work(request, (request.body ?? {}) as Body)
      keepCart(request, reply, cart)
      return cartJson(request.shopRequest.shop, await priced(request, cart))
    })

  scope.get('/cart.js', async (request, reply) =>
    json(reply, cartJson(request.shopRequest.shop, await priced(request, await currentCart(request))))
  )
  scope.post(
    '/cart/add.js',
    answered(async (request, reply) => {
      const body = (request.body ?? {}) as Body
      const added = Array.isArray(body.items) ? (body.items as Body[]) : [body]
      let cart = await currentCart(request)
      for (const item of added) cart = await sell(request, cart, item)
      keepCart(request, reply, cart)
      const items = itemsJson(request.shopRequest.shop, await priced(request, cart))
      const lines = added.map(
        ({ id, selling_plan: plan }) =>
          items.find((item) => isOf(item, String(id), plan == null ? null : String(plan)))!
      )
      return Array.isArray(body.items) ? { items: lines } : lines[0]!
    })
  )
  scope.post('/cart/change.js', answer(change))
  scope.post('/cart/update.js', answer(update))
  scope.post(
    '/cart/clear.js',
    answer(async (request) => ({ ...(await currentCart(request)), items: [], plans: [] }))
  )
}

/** A form of another site is refused; what the cart refuses is said as the real platform says it. */
function answered(work: (request: FastifyRequest, reply: FastifyReply) => Promise<object>) {
  return async (request: FastifyRequest, reply: FastifyReply) => {
    if (!isOwnForm(request)) return reply.code(403).send({ errors: 'Carts are changed from this page only' })
    try {
      return json(reply, await work(request, reply))
    } catch (err) {
      if (err instanceof CartError) return json(reply.code(err.status), err.body)
      if (err instanceof Refusal) {
        return json(reply.code(422), { status: 422, message: 'Cart Error', description: err.message })
      }
      throw err
    }
  }
}

const json = (reply: FastifyReply, body: object) =>
  reply.header('cache-control', 'no-store').type('application/json').send(JSON.stringify(body))

function sellPlan(cart: BrowserCart, offers: Offer[], id: string): BrowserCart {
  const offer = offers.find(({ plan }) => plan.id === id)
  if (!offer) throw refused('The selling plan is not available for this variant')
  if (cart.plans.includes(id)) throw refused(`You can't add more ${offer.product.title} to the cart.`)
  return withPlan(cart, id)
}

/** The cart with so much of a line; a plan is there once or not. */
function withLine(cart: BrowserCart, item: ItemJson, quantity: number): BrowserCart {
  const plan = item.selling_plan_allocation?.selling_plan.id
  if (plan === undefined) return withQuantity(cart, String(item.variant_id), quantity)
  if (quantity > 1) throw refused(`You can't add more ${item.product_title} to the cart.`)
  return quantity === 1 ? cart : withoutPlan(cart, String(plan))
}

/** By the key of a line, or by its variant. */
const lineOf = (items: ItemJson[], id: unknown): ItemJson | undefined =>
  items.find(({ key }) => key === id) ?? items.find(({ variant_id }) => String(variant_id) === String(id))

const isOf = ({ variant_id, selling_plan_allocation }: ItemJson, variant: string, plan: string | null): boolean =>
  String(variant_id) === variant && String(selling_plan_allocation?.selling_plan.id ?? '') === (plan ?? '')

function quantityOf(given: unknown): number {
  const quantity = Number(given)
  if (!Number.isInteger(quantity) || quantity < 0) throw refused('Quantity must be a whole number of 0 or more')
  return quantity
}
