import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '#kit/refusal'
import { ensureCatalogue } from '../catalogue.ts'
import { contractsHeld, holdingsOf } from '../checkout/holdings.ts'
import { memberPricesOf } from '../checkout/member-prices.ts'
import { kindOf, listOffers } from '../checkout/offers.ts'
import { heldContract } from '../controls/checkout.ts'
import type { Controls } from '../controls/index.ts'
import { goodsOf } from '../controls/place-order.ts'
import type { Platform } from '../http.ts'
import { findMail, listMails } from '../mail/mails.ts'
import { keepCart, loggedInCustomer, type Notice } from '../session.ts'
import type { Shop } from '../shop.ts'
import { listCollections } from '../state/collections.ts'
import { listContractsOf } from '../state/contracts.ts'
import { listMetafields } from '../state/metafields.ts'
import { listActiveProducts, listVariants } from '../state/products.ts'
import { browserCarts } from './browser-carts.ts'
import {
  type BrowserCart,
  detailsFrom,
  isEmpty,
  linesOf,
  nextCart,
  piecesIn,
  withItem,
  withPlan,
  withQuantity
} from './cart.ts'
import { cartApi } from './cart-api.ts'
import { accountBar, startedText } from './home.ts'
import { html } from './html.ts'
import type { PageBody } from './layout.ts'
import { mailPage } from './mail-page.ts'
import { printedData } from './printed-data.ts'
import { type Catalogue, cartPage, cataloguePage, checkoutPage, emptyCartPage, shopLinks } from './shop-pages.ts'
import { sideCart } from './side-cart.ts'
import { themePage } from './theme-page.ts'

/** What the storefront's own routes lend to these. */
export type Pages = {
  send(request: FastifyRequest, reply: FastifyReply, body: PageBody): Promise<unknown>
  act(
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<{ notice?: Notice; to?: string }>,
    toAfterRefusal?: string
  ): Promise<unknown>
  basePathOf(request: FastifyRequest): string
  fieldsOf(request: FastifyRequest): Record<string, string | undefined>
}

/** A mail is the app's own page, with styles in its text and nothing else. */
const MAIL_POLICY = "default-src 'none'; style-src 'unsafe-inline'; sandbox; frame-ancestors 'none'"

const noticeOf = (problems: string[]): Notice =>
  problems.length === 1
    ? { kind: 'problem', title: problems[0]! }
    : { kind: 'problem', title: 'These fields do not apply:', detail: problems }

/** The catalogue, the cart and the checkout. */
export function shopRoutes(platform: Platform, controls: Controls, scope: FastifyInstance, pages: Pages): void {
  const { db, clock } = platform
  const { send, act, basePathOf, fieldsOf } = pages

  const { customerOf, currentCart, priced, checkedPreview, creditOf } = browserCarts(platform, controls)

  const show = async (
    request: FastifyRequest,
    reply: FastifyReply,
    cart: BrowserCart,
    body: Omit<PageBody, 'account'> & { hasSideCart?: boolean }
  ) => {
    const { shop } = request.shopRequest
    const customer = await customerOf(request)
    const basePath = basePathOf(request)
    const account = html`${shopLinks(basePath, piecesIn(cart))}${customer && accountBar(basePath, customer)}`
    const { hasSideCart } = body
    if (hasSideCart === undefined) return send(request, reply, { ...body, account })
    const all = await priced(request, cart)
    const printed = await printedData(db, shop, basePath, customer, all, 'header nav')
    const beside = html`${hasSideCart && sideCart(shop, basePath, all)}${printed}`
    return send(request, reply, { ...body, account, beside, elements: [...(body.elements ?? []), 'perennial-cart'] })
  }

  const catalogueOf = async (shop: Shop): Promise<Catalogue> => {
    await ensureCatalogue(db.direct, shop, await clock(shop.domain))
    const offered = (await listOffers(db.direct, shop.storeId)).filter(
      ({ product }) => kindOf(product) === 'membership'
    )
    // Memberships are on the first page.
    const memberships = new Set(offered.map(({ product }) => product.id))
    const products = (await listActiveProducts(db.direct, shop.storeId)).filter(({ id }) => !memberships.has(id))
    const variants = await listVariants(
      db.direct,
      shop.storeId,
      products.map(({ id }) => id)
    )
    // A product that an app has made for itself has no price yet.
    const priced = variants.filter(({ priceMinor }) => priceMinor > 0)
    const collections = await listCollections(db.direct, shop.storeId)
    return {
      collections,
      products: products.filter(({ id }) => priced.some((one) => one.productId === id)),
      variants: priced
    }
  }

  cartApi(db, scope, { currentCart, priced })

  scope.get('/membership', async (request, reply) => {
    const { shop } = request.shopRequest
    const customer = await customerOf(request)
    const ofShop = await listMetafields(db.direct, shop.storeId, [`Shop/${shop.id}`])
    const ofCustomer = customer && (await listMetafields(db.direct, shop.storeId, [`Customer/${customer.id}`]))
    const own = customer ? await listContractsOf(db.direct, shop.storeId, [customer.id]) : []
    const visitor = ofCustomer && { metafields: ofCustomer, contractIds: own.map(({ id }) => id) }
    const main = themePage(shop, basePathOf(request), ofShop, visitor)
    const elements = customer ? ['perennial-account', 'perennial-cancel'] : []
    const cart = await currentCart(request)
    return show(request, reply, cart, { title: 'Membership', main, elements, hasSideCart: true })
  })

  scope.get('/mail', async (request, reply) => {
    const { shop } = request.shopRequest
    const main = mailPage(shop, basePathOf(request), await listMails(db.direct, shop.storeId))
    return show(request, reply, await currentCart(request), { title: 'Mail', main })
  })

  scope.get('/mail/:id', async (request, reply) => {
    const { id } = request.params as { id: string }
    const mail = /^[0-9]{1,15}$/.test(id)
      ? await findMail(db.direct, request.shopRequest.shop.storeId, Number(id))
      : null
    if (!mail) return reply.callNotFound()
    return reply
      .header('content-security-policy', MAIL_POLICY)
      .header('cache-control', 'no-store')
      .type('text/html')
      .send(mail.contentHtml)
  })

  scope.get('/products', async (request, reply) => {
    const { shop } = request.shopRequest
    const cart = await currentCart(request)
    const catalogue = await catalogueOf(shop)
    const goods = catalogue.variants.map((variant) =>
      goodsOf(catalogue.products.find(({ id }) => id === variant.productId)!, variant, 1)
    )
    const prices = await memberPricesOf(db.direct, shop, await customerOf(request), goods, await clock(shop.domain))
    const memberPrices = new Map(goods.map(({ variantId }, i) => [variantId!, prices[i]!]))
    const main = cataloguePage(shop, basePathOf(request), catalogue, memberPrices)
    return show(request, reply, cart, { title: 'Products', main, hasSideCart: true })
  })

  scope.post('/cart/add', (request, reply) =>
    act(
      request,
      reply,
      async () => {
        const fields = fieldsOf(request)
        // A theme's form has the platform's own names.
        const { variant = fields.id, quantity = '1', plan = fields.selling_plan } = fields
        const before = await currentCart(request)
        const cart = plan ? withPlan(before, plan) : withItem(before, variant ?? '', Number(quantity))
        keepCart(request, reply, cart)
        return { to: '/cart' }
      },
      '/products'
    )
  )

  scope.get('/cart', async (request, reply) => {
    const { shop } = request.shopRequest
    const basePath = basePathOf(request)
    const cart = await currentCart(request)
    if (isEmpty(cart)) return show(request, reply, cart, { title: 'Cart', main: emptyCartPage(basePath) })
    const { storeId } = shop
    const customerId = loggedInCustomer(request)
    const preview = await controls.previewOrder({ storeId, customerId, lines: linesOf(cart) })
    const held = customerId === null ? [] : contractsHeld(await holdingsOf(db.direct, storeId, customerId))
    const all = await listOffers(db.direct, storeId)
    const chosen = all.filter(({ plan }) => cart.plans.includes(plan.id))
    const hasMembership = chosen.some(({ product }) => kindOf(product) === 'membership')
    const offers = all.filter(
      (offer) =>
        !heldContract(held, offer) &&
        !chosen.includes(offer) &&
        !(hasMembership && kindOf(offer.product) === 'membership')
    )
    return show(request, reply, cart, {
      title: 'Cart',
      main: cartPage(shop, basePath, cart, preview, offers),
      hasSideCart: false
    })
  })

  scope.post('/cart', (request, reply) =>
    act(
      request,
      reply,
      async () => {
        const fields = fieldsOf(request)
        let cart = await currentCart(request)
        for (const { variant } of cart.items) {
          const quantity = fields[`q_${variant}`]
          if (quantity !== undefined) cart = withQuantity(cart, variant, Number(quantity.trim() || '0'))
        }
        keepCart(request, reply, { ...cart, plans: cart.plans.filter((plan) => fields[`keep_${plan}`] !== undefined) })
        return { to: '/cart' }
      },
      '/cart'
    )
  )

  scope.get('/checkout', async (request, reply) => {
    const { shop } = request.shopRequest
    const basePath = basePathOf(request)
    const cart = await currentCart(request)
    if (isEmpty(cart)) return show(request, reply, cart, { title: 'Checkout', main: emptyCartPage(basePath) })
    const customer = await customerOf(request)
    const { details, problems, result } = await checkedPreview(request, cart)
    const buyer = customer && { home: customer.country, creditMinor: (await creditOf(shop, customer)) ?? 0 }
    const main = checkoutPage(shop, basePath, details, result.preview, buyer)
    return show(request, reply, cart, {
      title: 'Checkout',
      main,
      ...(problems.length > 0 && { notice: noticeOf(problems) })
    })
  })

  scope.post('/checkout', (request, reply) =>
    act(
      request,
      reply,
      async () => {
        const fields = fieldsOf(request)
        const customer = await customerOf(request)
        if (!customer) throw new Refusal('authentication_failed', 'Log in first')
        const filled = { ...(await currentCart(request)), details: detailsFrom(fields) }
        if (isEmpty(filled)) throw new Refusal('conflict', 'Your cart is empty')
        const { details, problems, result } = await checkedPreview(request, filled)
        // What was refused is not kept: it would be refused again, on a page that somebody opens later.
        const cart = { ...filled, details }
        keepCart(request, reply, cart)
        if (problems.length > 0) return { to: '/checkout', notice: noticeOf(problems) }
        if (fields.do !== 'pay') return { to: '/checkout' }
        const { storeId } = request.shopRequest.shop
        const { name, contractIds } = await controls.order({ ...result.order, customerId: customer.id })
        keepCart(request, reply, nextCart(cart))
        const offer = (await listOffers(db.direct, storeId)).find(({ plan }) => plan.id === cart.plans[0])
        const begun = offer && contractIds.length > 0 ? ` ${startedText(kindOf(offer.product), contractIds[0]!)}` : ''
        return { notice: { kind: 'done', title: `Thank you! Your order is ${name}.${begun}` } }
      },
      '/checkout'
    )
  )
}
