import type { FastifyError, FastifyRequest } from 'fastify'
import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import { receiveReceipt } from '#loyalty'
import { resolveCustomer } from '#members'
import type { Budget } from '../../rate-limits/budgets.ts'
import { RateLimited } from '../../rate-limits/rate-limited.ts'
import type { BodyShare } from '../../shared/body-share.ts'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf, refuseVisitors } from '../shoppers.ts'
import { presentShopperReceipt, ShopperReceipt } from './present-receipt.ts'
import { MAX_RECEIPT_FORM_BYTES, parseReceiptForm, RECEIPT_FORM, readReceiptForm } from './receipt-form.ts'

/** What one customer may send, receipts that are refused included. */
const PER_CUSTOMER: Budget = { perMinute: 10, perDay: 50 }

/** Of a form that is too large so much is received, and dropped; a larger one ends with its connection. */
const MAX_DROPPED_BYTES = 64 * 1024 * 1024

const text = (description: string, meaning: string, example: string) =>
  Type.String({ description, meaning, examples: [example] })

type Deps = Pick<HttpDeps, 'db' | 'connectorOf' | 'wake' | 'limiter' | 'receiptFiles'>

/** POST /loyalty/receipts: what the contract's API, which only reads, lacks. */
export function sendReceiptRoute(storefront: Surface, deps: Deps): void {
  const { db, connectorOf, wake, limiter, receiptFiles: files } = deps
  storefront.register(async (receipts) => {
    receipts.removeAllContentTypeParsers()
    receipts.addContentTypeParser(RECEIPT_FORM, { parseAs: 'buffer' }, parseReceiptForm)
    receipts.addHook('onRequest', async (request) => {
      // Before the body is read.
      refuseVisitors(request)
      const { store, customerId } = customerOf(request)
      const status = await limiter.count(store.storeId, `receipts:${customerId}`, PER_CUSTOMER)
      if (status.admitted) return
      // The headers are those of the limit that was reached.
      request.counted = Promise.resolve({ rateLimitStatus: status })
      throw new RateLimited(status, 'receipts')
    })
    receipts.setErrorHandler((err: FastifyError, request, reply) => {
      if (err.code !== 'FST_ERR_CTP_BODY_TOO_LARGE') throw err
      if (Number(request.headers['content-length']) <= MAX_DROPPED_BYTES) {
        // A sender whose connection ends while they send does not read why.
        reply.removeHeader('connection')
        request.raw.resume()
      }
      throw invalidField('file', 'must be at most 5 MB')
    })
    receipts.post(
      '/loyalty/receipts',
      {
        bodyLimit: MAX_RECEIPT_FORM_BYTES,
        config: { allow: 'customer', bodyShares: sharesOf },
        // `readReceiptForm` reads the form.
        validatorCompiler: () => (value) => ({ value }),
        schema: {
          operationId: 'sendReceipt',
          summary: 'Send a receipt',
          description:
            'The customer who is logged in sends a receipt of a purchase elsewhere, with what is printed on it. It waits until an operator approves or refuses it, unless its rule approves receipts at once. Each file counts once, and so does each purchase. 403 where the rule is not active or not for this customer, loyalty is off, or 20 receipts of the customer wait. At most 10 a minute and 50 a day.',
          bodyType: RECEIPT_FORM,
          body: Type.Object({
            file: Type.String({
              format: 'binary',
              description: 'a JPEG, PNG or WebP image of at most 64 megapixels, or a PDF, of at most 5 MB',
              meaning: 'The receipt',
              examples: ['(binary)']
            }),
            rule_id: text('the id of a loyalty rule', 'The rule by which it is to count', '12'),
            retailer: text(
              'a text of 1 to 255 characters; one of the accepted retailers of the rule, if it names some',
              'The shop',
              'Corner Store'
            ),
            amount: text("an amount above 0 in the shop's currency, such as 29.00", 'What was paid', '29.00'),
            purchased_on: text(
              'a day such as 2026-11-27, from the first day of the rule to today',
              'The day of the purchase',
              '2026-11-27'
            ),
            receipt_number: Type.Optional(
              text('a text of at most 100 characters', 'The number that is printed on it', 'A-1007')
            )
          }),
          response: { 200: Type.Object({ data: ShopperReceipt }, { description: 'The receipt.' }) }
        }
      },
      async (request) => {
        const { store, customerId: platformId } = customerOf(request)
        const { storeId, currency } = store
        const form = await readReceiptForm(request.body, currency)
        const reference = { memberId: null, platformId, email: null }
        // The platform is asked before the transaction, which must not wait for it.
        const customerId = await resolveCustomer(
          db,
          storeId,
          () => connectorOf(storeId),
          reference,
          'logged_in_customer_id'
        )
        try {
          const receipt = await receiveReceipt({ db, files }, storeId, { ...form, customerId })
          return { data: presentShopperReceipt(receipt, currency) }
        } catch (err) {
          const { cause } = err as Error
          if (cause) request.log.error({ err: cause, store: { id: storeId } }, 'A receipt could not be stored')
          throw err
        } finally {
          // Also for the file of one that was refused.
          wake(storeId)
        }
      }
    )
  })
}

/** Receipts leave room for all other requests, those of one shop for other shops, and those of one customer for others. */
function sharesOf(request: FastifyRequest): BodyShare[] {
  const { store, customerId } = customerOf(request)
  return [
    { of: 'receipts', part: 0.5 },
    { of: `receipts of ${store.storeId}`, part: 0.375 },
    { of: `receipts of ${store.storeId} ${customerId}`, part: 0.1 }
  ]
}
