import { randomUUID } from 'node:crypto'
import { Type } from 'typebox'
import { type CreditChange, changeCredits, findCredit, listCreditEntries } from '#credits'
import { minorOf } from '#kit/money'
import type { Ctx, Database } from '#kit/postgres'
import { Refusal } from '#kit/refusal'
import { findCustomerId, findCustomerIds, parseCustomerId } from '#members'
import { CreditBody, CreditEntryBody } from '#resources'
import type { PlatformProfileName } from '#stores'
import { IsoDate, instantOrUndefined } from '../shared/dates.ts'
import type { Surface } from '../shared/surface.ts'
import { batchedWrites } from './batched-writes.ts'
import { callerOf } from './caller.ts'
import { Envelope, envelope, PagingFields, pageEnvelope, pagingOf } from './envelope.ts'
import { presentCredit, presentCreditEntry } from './present-credit.ts'

/** Above it the decimals of some currencies would get lost in a JSON number. */
const MAX_AMOUNT = 1_000_000_000

const CustomerParams = Type.Object({
  customer_id: Type.String({
    description: "a customer id, the platform's number or its global id",
    examples: ['cust_24']
  })
})

const amount = Type.Number({
  exclusiveMinimum: 0,
  maximum: MAX_AMOUNT,
  description: `a number above 0 and at most ${MAX_AMOUNT}, with no more decimals than the store's currency has`,
  examples: [5]
})
const reason = (example: string) =>
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '\\S',
    description: 'a text of 1 to 500 characters',
    meaning: 'Why, for the history and the event',
    examples: [example]
  })

const AddBody = Type.Object({
  amount,
  reason: reason('Sorry for the late parcel'),
  expires_at: IsoDate('When what is left of it is taken off; without it the credit does not expire', '2030-01-31')
})
const DeductBody = Type.Object({ amount, reason: reason('Taken back, the parcel came in time') })

/** A change that is wanted of a customer who is yet to be found. */
type Wanted = {
  customer: string
  profile: PlatformProfileName
  currency: string
  change: Omit<CreditChange, 'memberId'>
}

/** Spec 1, Endpoints: /store-credits. */
export function registerStoreCredits(rest: Surface, db: Database): void {
  const answerTogether = batchedWrites(db, change)

  rest.get(
    '/store-credits/:customer_id',
    {
      config: { scope: 'read:store_credits' },
      schema: {
        operationId: 'getStoreCredit',
        summary: "Read a customer's store credit",
        description: 'The balance; zero for a customer who never had credit.',
        params: CustomerParams,
        response: { 200: Envelope(CreditBody) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const memberId = await theCustomer(ctx, request.params.customer_id, callerOf(request).profile)
        return envelope(presentCredit(await findCredit(ctx, memberId), callerOf(request).currency))
      })
  )

  rest.get(
    '/store-credits/:customer_id/history',
    {
      config: { scope: 'read:store_credits' },
      schema: {
        operationId: 'listStoreCreditHistory',
        summary: 'List the history of store credit',
        description: 'Every entry of the ledger, newest first; their sum is the balance.',
        params: CustomerParams,
        querystring: Type.Object(PagingFields),
        response: { 200: Envelope(Type.Array(CreditEntryBody)) }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const paging = pagingOf(request.query)
        const memberId = await theCustomer(ctx, request.params.customer_id, callerOf(request).profile)
        const { rows, total } = await listCreditEntries(ctx, memberId, paging)
        const { currency } = callerOf(request)
        return pageEnvelope(
          rows.map((entry) => presentCreditEntry(entry, currency)),
          total,
          paging
        )
      })
  )

  rest.post(
    '/store-credits/:customer_id/add',
    {
      config: { scope: 'write:store_credits' },
      schema: {
        operationId: 'addStoreCredit',
        summary: 'Add store credit',
        description: 'Adds to the balance and answers the new one. Credit that expires is spent first.',
        params: CustomerParams,
        body: AddBody,
        response: { 200: Envelope(CreditBody) },
        responseExample: { balance: 30, available: 30, updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const { currency, profile, timezone } = callerOf(request)
      const { amount, reason, expires_at } = request.body
      const amountMinor = minorOf(amount, currency)
      const expiresAt = instantOrUndefined(expires_at, timezone) ?? null
      return answerTogether(request, reply, {
        customer: request.params.customer_id,
        profile,
        currency,
        change: { type: 'manual_add', amountMinor, reason, operationId: operationOfApi(), expiresAt }
      })
    }
  )

  rest.post(
    '/store-credits/:customer_id/deduct',
    {
      config: { scope: 'write:store_credits' },
      schema: {
        operationId: 'deductStoreCredit',
        summary: 'Deduct store credit',
        description:
          'Takes from the balance and answers the new one. More than is available is refused and changes nothing.',
        params: CustomerParams,
        body: DeductBody,
        response: { 200: Envelope(CreditBody) },
        responseExample: { balance: 20, available: 20, updated_at: '2026-11-20T09:00:00.000Z' }
      }
    },
    (request, reply) => {
      const { currency, profile } = callerOf(request)
      const { amount, reason } = request.body
      const amountMinor = -minorOf(amount, currency)
      return answerTogether(request, reply, {
        customer: request.params.customer_id,
        profile,
        currency,
        change: { type: 'manual_deduct', amountMinor, reason, operationId: operationOfApi() }
      })
    }
  )
}

/** Requests are told apart by their Idempotency-Key; without one each is a change of its own. */
const operationOfApi = () => `api:${randomUUID()}`

async function change(ctx: Ctx, wanted: Wanted[]) {
  const memberIds = await findCustomerIds(
    ctx,
    wanted.map(({ customer, profile }) => parseCustomerId(customer, profile))
  )
  const known = wanted.flatMap(({ change }, i) =>
    memberIds[i] === null ? [] : [{ ...change, memberId: memberIds[i]! }]
  )
  const outcomes = (await changeCredits(ctx, known)).values()
  return wanted.map(({ customer, currency }, i) => {
    if (memberIds[i] === null) return noSuchCustomer(customer)
    const { refusal, credit } = outcomes.next().value!
    return refusal ?? envelope(presentCredit(credit!, currency))
  })
}

async function theCustomer(ctx: Ctx, customer: string, profile: PlatformProfileName): Promise<number> {
  const id = await findCustomerId(ctx, parseCustomerId(customer, profile))
  if (id === null) throw noSuchCustomer(customer)
  return id
}

const noSuchCustomer = (customer: string) => new Refusal('not_found', `There is no customer ${customer.slice(0, 100)}`)
