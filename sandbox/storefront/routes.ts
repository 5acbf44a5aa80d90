import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { Dispatcher } from 'undici'
import { Refusal } from '#kit/refusal'
import { chargeOf } from '../billing/charge.ts'
import { holdingsOf } from '../checkout/holdings.ts'
import { kindOf, listOffers, type OfferKind } from '../checkout/offers.ts'
import { statusAt } from '../controls/checkout.ts'
import type { Controls } from '../controls/index.ts'
import type { Platform } from '../http.ts'
import { forwardToApp } from '../proxy/forward.ts'
import {
  isOwnForm,
  keepNotice,
  loggedInCustomer,
  logIn,
  logOut,
  type Notice,
  readCart,
  takeNotice
} from '../session.ts'
import type { Shop } from '../shop.ts'
import { type Attempt, findAttemptByChallenge, listAttemptsOf } from '../state/attempts.ts'
import { findCheckout, listUndecidedCheckouts } from '../state/checkouts.ts'
import { type Contract, findContract } from '../state/contracts.ts'
import { listCreditAccounts } from '../state/credit.ts'
import { findCustomer, findCustomerByEmail } from '../state/customers.ts'
import { listSpendableGiftCards } from '../state/gift-cards.ts'
import { listOrdersOf } from '../state/orders.ts'
import { listPaymentMethods } from '../state/payment-methods.ts'
import { findProducts } from '../state/products.ts'
import { isNumericId } from '../wire/gid.ts'
import { cartFrom, piecesIn } from './cart.ts'
import { type Challenge, challengePage, challengeTitle } from './challenge-page.ts'
import { type Account, accountBar, accountPage, startedText, visitorPage } from './home.ts'
import { html } from './html.ts'
import { CSS, type PageBody, page, SCRIPT } from './layout.ts'
import { notFoundPage } from './not-found-page.ts'
import { shopLinks } from './shop-pages.ts'
import { shopRoutes } from './shop-routes.ts'
import { SIDE_CART_SCRIPT } from './side-cart.ts'

const LOOKS = 40
const LOOK_AGAIN_MS = 50

const PICKABLE_CUSTOMERS = 50
const SHOWN_ORDERS = 24
/** How long a checkout that was not confirmed in time is shown as that. */
const SHOWN_CHECKOUT_HOURS = 24
const POLICY =
  "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self'; img-src data:; form-action 'self'; base-uri 'none'; frame-ancestors 'none'"

/** The storefront page: plain HTML and forms, and the elements of the app where a theme would have them. */
export function storefrontRoutes(platform: Platform, controls: Controls, agent: Dispatcher) {
  const { db, clock } = platform

  /** What each contract is, by the products of its lines. */
  const kindsOf = async (shop: Shop, contracts: Contract[]): Promise<OfferKind[]> => {
    const ids = contracts.flatMap(({ lines }) => lines.flatMap(({ productId }) => productId ?? []))
    const products = await findProducts(db.direct, shop.storeId, ids)
    const kindOfProduct = new Map(products.map((product) => [product.id, kindOf(product)]))
    return contracts.map(({ lines }) => {
      const kinds = lines.flatMap(({ productId }) => kindOfProduct.get(productId ?? '') ?? [])
      return kinds.length > 0 && kinds.every((kind) => kind === 'subscription') ? 'subscription' : 'membership'
    })
  }

  const accountOf = async (shop: Shop, customerId: string): Promise<Account | null> => {
    const customer = await findCustomer(db.direct, shop.storeId, customerId)
    if (!customer) return null
    const now = await clock(shop.domain)
    const today = now.toZonedDateTimeISO(shop.timezone).toPlainDate().toString()
    const [holdings, orders, methods, checkouts, credits, giftCards] = await Promise.all([
      holdingsOf(db.direct, shop.storeId, customerId),
      listOrdersOf(db.direct, shop.storeId, customerId, SHOWN_ORDERS),
      listPaymentMethods(db.direct, shop.storeId, [customerId]),
      listUndecidedCheckouts(db.direct, shop.storeId, customerId, now.subtract({ hours: SHOWN_CHECKOUT_HOURS })),
      listCreditAccounts(db.direct, shop.storeId, [customerId]),
      listSpendableGiftCards(db.direct, shop.storeId, customerId, today)
    ])
    const { own, given } = holdings
    const attempts = await listAttemptsOf(
      db.direct,
      shop.storeId,
      [...own, ...given.map(({ contract }) => contract)].map(({ id }) => id)
    )
    const kinds = await kindsOf(shop, own)
    return {
      customer,
      card: methods[0] ?? null,
      holdings,
      contracts: own.map((contract, i) => ({ ...contract, kind: kinds[i]! })).toReversed(),
      challenged: attempts.filter((attempt) => attempt.status === 'challenged'),
      checkouts: checkouts.map((one) => ({ ...one, status: statusAt(one, now) })),
      orders,
      creditMinor: credits.find(({ currency }) => currency === shop.currency)?.balanceMinor ?? 0,
      giftCards
    }
  }

  const send = async (request: FastifyRequest, reply: FastifyReply, body: PageBody) => {
    const { shop } = request.shopRequest
    const notice = takeNotice(request, reply) ?? body.notice
    return reply
      .header('content-security-policy', POLICY)
      .header('cache-control', 'no-store')
      .type('text/html')
      .send(page(shop, basePathOf(request), await clock(shop.domain), { ...body, notice }))
  }

  const show = async (request: FastifyRequest, reply: FastifyReply) => {
    const { shop } = request.shopRequest
    const basePath = basePathOf(request)
    const customerId = loggedInCustomer(request)
    const [offers, account] = await Promise.all([
      listOffers(db.direct, shop.storeId),
      customerId ? accountOf(shop, customerId) : null
    ])
    const main = account
      ? accountPage(shop, basePath, offers, account)
      : visitorPage(shop, basePath, offers, await controls.listCustomers(shop.storeId, PICKABLE_CUSTOMERS))
    const links = shopLinks(basePath, piecesIn(cartFrom(readCart(request))))
    const bar = html`${links}${account && accountBar(basePath, account.customer)}`
    const elements = account ? ['perennial-cancel'] : []
    return send(request, reply, { title: account ? 'My membership' : 'Memberships', main, account: bar, elements })
  }

  /**
   * Runs the action of a form and redirects, also after a refusal, so that a reload repeats nothing. The next page shows the
   * notice. `to` is below the address of the shop.
   */
  const act = async (
    request: FastifyRequest,
    reply: FastifyReply,
    work: () => Promise<{ notice?: Notice; to?: string }>,
    toAfterRefusal = '/'
  ) => {
    if (!isOwnForm(request)) return reply.code(403).send({ errors: 'Forms are taken from this page only' })
    const redirect = (to: string, notice?: Notice) => {
      if (notice) keepNotice(request, reply, notice)
      return reply.redirect(`${basePathOf(request)}${to}`, 303)
    }
    try {
      const { notice, to = '/' } = await work()
      return redirect(to, notice)
    } catch (err) {
      if (!(err instanceof Refusal)) throw err
      return redirect(toAfterRefusal, { kind: 'problem', title: err.message })
    }
  }

  const newCustomer = async (storeId: number, fields: ReturnType<typeof fieldsOf>): Promise<string> => {
    const { email = '', first_name: firstName, last_name: lastName } = fields
    if (email.trim() && (await findCustomerByEmail(db.direct, storeId, email.trim()))) {
      throw new Refusal('conflict', `There is an account for ${email.trim()}: log in under “Existing customer”`)
    }
    return (await controls.createCustomer({ storeId, email, firstName, lastName })).id
  }

  const customerOf = (request: FastifyRequest): string => {
    const customerId = loggedInCustomer(request)
    if (!customerId) throw new Refusal('authentication_failed', 'Log in first')
    return customerId
  }

  return (parent: FastifyInstance) => {
    parent.register(async (scope) => {
      scope.addContentTypeParser('application/x-www-form-urlencoded', { parseAs: 'string' }, (_request, body, done) =>
        done(null, Object.fromEntries(new URLSearchParams(body as string)))
      )

      scope.get('/', (request, reply) => show(request, reply))
      shopRoutes(platform, controls, scope, { send, act, basePathOf, fieldsOf })
      scope.get('/storefront.css', (_request, reply) => reply.type('text/css').send(CSS))
      scope.get('/storefront.js', (_request, reply) => reply.type('text/javascript').send(SCRIPT + SIDE_CART_SCRIPT))

      scope.post('/session', (request, reply) =>
        act(request, reply, async () => {
          const { shop } = request.shopRequest
          const fields = fieldsOf(request)
          const { customer } = fields
          const knownEmail = fields.known_email?.trim()
          const { storeId } = shop
          const find = async () => {
            if (knownEmail) return findCustomerByEmail(db.direct, storeId, knownEmail)
            return customer && isNumericId(customer) ? findCustomer(db.direct, storeId, customer) : null
          }
          const known = await find()
          if ((customer || knownEmail) && !known) throw new Refusal('not_found', 'There is no such customer')
          logIn(request, reply, known?.id ?? (await newCustomer(storeId, fields)))
          return {}
        })
      )
      scope.post('/session/end', (request, reply) =>
        act(request, reply, async () => {
          logOut(request, reply)
          return {}
        })
      )
      scope.post('/join', (request, reply) =>
        act(request, reply, async () => {
          const { shop } = request.shopRequest
          const plan = fieldsOf(request).plan ?? ''
          const done = await controls.checkout({ storeId: shop.storeId, customerId: customerOf(request), plan })
          if (done.challenge !== null) return { to: challengePath(done.challenge) }
          const contract = await findContract(db.direct, shop.storeId, done.contractId)
          const [kind] = await kindsOf(shop, [contract!])
          return { notice: { kind: 'done', title: `Welcome! ${startedText(kind!, done.contractId)}` } }
        })
      )
      scope.post('/card', (request, reply) =>
        act(request, reply, async () => {
          const { storeId } = request.shopRequest.shop
          const outcome = fieldsOf(request).outcome ?? ''
          await controls.setCard({ storeId, customerId: customerOf(request), outcome })
          return { notice: { kind: 'done', title: 'The card is set.' } }
        })
      )
      scope.post('/memberships/:id/cancel', (request, reply) =>
        act(request, reply, async () => ({ notice: await cancel(request, customerOf(request)) }))
      )

      scope.get('/challenges/:challenge', (request, reply) => showChallenge(request, reply))
      scope.post('/challenges/:challenge', async (request, reply) => {
        const { shop } = request.shopRequest
        const { challenge } = request.params as { challenge: string }
        const { decision } = fieldsOf(request)
        const found = await findChallenge(shop, challenge)
        if (!found) return reply.code(404).send({ errors: 'Not Found' })
        // The page of the challenge says the result, so it is shown again.
        const to = challengePath(challenge)
        const settle = found.isCheckout ? controls.settleCheckout : controls.settleChallenge
        const work = async () => {
          if (decision !== 'confirmed' && decision !== 'refused')
            throw new Refusal('invalid_request', 'Confirm the payment, or refuse it')
          await settle({ storeId: shop.storeId, challenge, decision })
          return { to }
        }
        return act(request, reply, work, to)
      })
    })
  }

  /** The payment of a checkout or of a renewal that the customer is asked to confirm, or was. */
  async function findChallenge(shop: Shop, challenge: string): Promise<Challenge | null> {
    const [attempt, checkout] = await Promise.all([
      findAttemptByChallenge(db.direct, shop.storeId, challenge),
      findCheckout(db.direct, shop.storeId, challenge)
    ])
    if (checkout) {
      const { amountMinor, currency, contractId, sellingPlanId } = checkout
      const status = statusAt(checkout, await clock(shop.domain))
      const offer = (await listOffers(db.direct, shop.storeId)).find(({ plan }) => plan.id === sellingPlanId)
      const kind = offer ? kindOf(offer.product) : 'membership'
      return { isCheckout: true, status, amountMinor, currency, contractId, kind }
    }
    const contract = attempt && (await findContract(db.direct, shop.storeId, attempt.contractId))
    if (!contract) return null
    return {
      isCheckout: false,
      status: stateOf(attempt),
      amountMinor: chargeOf(contract, attempt.cyclesBefore + attempt.cycleIndex).totalMinor,
      currency: contract.currency,
      contractId: contract.id,
      kind: (await kindsOf(shop, [contract]))[0]!
    }
  }

  /** Calls the app as a real storefront would: through the proxy, as the logged-in customer. */
  async function cancel(request: FastifyRequest, customerId: string): Promise<Notice> {
    const { shop } = request.shopRequest
    const { id } = request.params as { id: string }
    const { reason = 'other', comment } = fieldsOf(request)
    const ask = async () => {
      const forwarded = await forwardToApp(
        agent,
        shop,
        {
          method: 'POST',
          path: `/v1/membership/churn/${encodeURIComponent(id)}/cancellation`,
          query: new URLSearchParams(),
          headers: { accept: 'application/json', 'content-type': 'application/json' },
          address: request.ip,
          body: Buffer.from(JSON.stringify({ reason, ...(comment ? { comment } : {}) })),
          loggedInCustomerId: customerId
        },
        await clock(shop.domain)
      )
      // A body that breaks off is no answer either.
      const body = forwarded && (await text(forwarded.body).catch(() => null))
      return forwarded && body !== null ? { status: forwarded.status, body } : null
    }
    let response = await ask()
    // The app is notified of a new contract shortly after the checkout.
    const contract = isNumericId(id) ? await findContract(db.direct, shop.storeId, id) : null
    const kind = contract ? (await kindsOf(shop, [contract]))[0]! : 'membership'
    const mayBeNew = contract?.customerId === customerId
    for (let look = 0; look < LOOKS && mayBeNew && response?.status === 404; look++) {
      await setTimeout(LOOK_AGAIN_MS)
      response = await ask()
    }
    if (!response) return { kind: 'problem', title: 'The membership service does not answer. Look again in a moment.' }
    const done = response.status >= 200 && response.status < 300
    if (done) await untilTold(shop.storeId, id)
    return {
      kind: done ? 'done' : 'problem',
      title: done ? `Your ${kind} is cancelled.` : `The membership service refused (${response.status}).`,
      detail: readable(response.body)
    }
  }

  /** Waits until the app has updated the platform, shortly after its response: it ends the contract, or pauses it while that can be taken back. */
  async function untilTold(storeId: number, contractId: string): Promise<void> {
    for (let look = 0; look < LOOKS; look++) {
      const contract = await findContract(db.direct, storeId, contractId)
      if (contract?.status !== 'ACTIVE') return
      await setTimeout(LOOK_AGAIN_MS)
    }
  }

  async function showChallenge(request: FastifyRequest, reply: FastifyReply) {
    const { shop } = request.shopRequest
    const { challenge } = request.params as { challenge: string }
    const found = await findChallenge(shop, challenge)
    if (!found)
      return reply
        .code(404)
        .type('text/html; charset=utf-8')
        .send(notFoundPage(shop, basePathOf(request)))
    const customerId = loggedInCustomer(request)
    const customer = customerId && (await findCustomer(db.direct, shop.storeId, customerId))
    return send(request, reply, {
      title: challengeTitle(found),
      main: challengePage(basePathOf(request), challenge, found),
      account: customer ? accountBar(basePathOf(request), customer) : undefined
    })
  }
}

const challengePath = (challenge: string) => `/challenges/${encodeURIComponent(challenge)}`

function stateOf({ status, errorCode }: Attempt): Challenge['status'] {
  if (status === 'challenged') return 'open'
  if (status === 'succeeded') return 'paid'
  return errorCode === 'EXPIRED_BUYER_ACTION' ? 'expired' : 'refused'
}

function basePathOf(request: FastifyRequest): string {
  return new URL(request.shopRequest.baseUrl).pathname.replace(/\/$/, '')
}

function fieldsOf(request: FastifyRequest): Record<string, string | undefined> {
  return (request.body ?? {}) as Record<string, string | undefined>
}

function readable(body: string): string {
  try {
    return JSON.stringify(JSON.parse(body), null, 2)
  } catch {
    return body.slice(0, 1000)
  }
}
