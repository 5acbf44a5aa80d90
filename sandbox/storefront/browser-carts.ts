import type { FastifyRequest } from 'fastify'
import { listOffers } from '../checkout/offers.ts'
import type { Controls } from '../controls/index.ts'
import type { Platform } from '../http.ts'
import { loggedInCustomer, readCart } from '../session.ts'
import type { Shop } from '../shop.ts'
import { listCreditAccounts } from '../state/credit.ts'
import { findCustomer } from '../state/customers.ts'
import { findOrderOfCart } from '../state/orders.ts'
import { findProducts, findVariants, listActiveProducts } from '../state/products.ts'
import { type BrowserCart, cartFrom, isEmpty, linesOf, nextCart, orderOf } from './cart.ts'
import type { PricedCart } from './cart-json.ts'
import { checkDetails } from './check-details.ts'

/** The carts of browsers, and what they cost who is logged in. */
export function browserCarts({ db }: Platform, controls: Controls) {
  const customerOf = async (request: FastifyRequest) => {
    const id = loggedInCustomer(request)
    return id === null ? null : findCustomer(db.direct, request.shopRequest.shop.storeId, id)
  }

  /** The browser's cart, without what the shop no longer sells; a new one if it was bought, maybe in another tab. */
  const currentCart = async (request: FastifyRequest): Promise<BrowserCart> => {
    const cart = cartFrom(readCart(request))
    const { storeId } = request.shopRequest.shop
    if (await findOrderOfCart(db.direct, storeId, cart.token)) return nextCart(cart)
    const [offers, products] = [await listOffers(db.direct, storeId), await listActiveProducts(db.direct, storeId)]
    const variants = await findVariants(
      db.direct,
      storeId,
      cart.items.map(({ variant }) => variant)
    )
    const sold = variants.filter(({ productId }) => products.some(({ id }) => id === productId))
    return {
      ...cart,
      items: cart.items.filter(({ variant }) => sold.some(({ id }) => id === variant)),
      plans: cart.plans.filter((id) => offers.some(({ plan }) => plan.id === id))
    }
  }

  /** The cart with its prices, before the checkout asks where it is sent. */
  const priced = async (request: FastifyRequest, cart: BrowserCart): Promise<PricedCart> => {
    if (isEmpty(cart)) return { cart, preview: null, products: [] }
    const { storeId } = request.shopRequest.shop
    const customerId = loggedInCustomer(request)
    const preview = await controls.previewOrder({ storeId, customerId, lines: linesOf(cart) })
    const ids = preview.goods.flatMap(({ productId }) => productId ?? [])
    return { cart, preview, products: await findProducts(db.direct, storeId, ids) }
  }

  const previewOf = async (request: FastifyRequest, cart: BrowserCart, details: BrowserCart['details']) => {
    const { shop } = request.shopRequest
    const customer = await customerOf(request)
    const variants = await findVariants(
      db.direct,
      shop.storeId,
      cart.items.map(({ variant }) => variant)
    )
    const ships = variants.some(({ requiresShipping }) => requiresShipping)
    const order = orderOf(shop, { ...cart, details }, { ships, home: customer?.country ?? null })
    return { order, preview: await controls.previewOrder({ ...order, customerId: customer?.id ?? null }) }
  }

  const creditOf = async ({ storeId, currency }: Shop, customer: { id: string } | null): Promise<number | null> => {
    if (!customer) return null
    const accounts = await listCreditAccounts(db.direct, storeId, [customer.id])
    return accounts.find((account) => account.currency === currency)?.balanceMinor ?? 0
  }

  /** The order of the cart with its details, as far as they apply. */
  const checkedPreview = async (request: FastifyRequest, cart: BrowserCart) => {
    const { shop } = request.shopRequest
    const creditMinor = await creditOf(shop, await customerOf(request))
    return checkDetails(shop, cart.details, creditMinor, (details) => previewOf(request, cart, details))
  }

  return { customerOf, currentCart, priced, creditOf, checkedPreview }
}
