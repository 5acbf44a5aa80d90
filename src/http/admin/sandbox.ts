import { Type } from 'typebox'
import { minorOf } from '#kit/money'
import type { Database } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { requireStore, type Store } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { amount, platformNumber, StoreParams, text } from './fields.ts'

/** Scripts the sandbox platform. Each answer comes once all that followed is done, deliveries included. */
export function registerSandbox(
  admin: Surface,
  { db, sandbox, settle }: Pick<HttpDeps, 'db' | 'sandbox' | 'settle'>
): void {
  /** Does one thing in the store's shop and lets the story that it sets off come to its end. */
  const play = async <T>(reference: string, act: (store: Store) => Promise<T>): Promise<T> => {
    const store = await sandboxStore(db, reference)
    const done = await act(store)
    await settle(store.storeId)
    return done
  }

  admin.post(
    '/stores/:store/sandbox/customers',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          email: Type.String({ pattern: '^[^@\\s]{1,64}@[^@\\s]{1,250}$', description: 'an e-mail address' }),
          first_name: Type.Optional(text(200)),
          last_name: Type.Optional(text(200)),
          country: Type.Optional(
            Type.String({ pattern: '^[A-Z]{2}$', description: 'an ISO 3166 country code such as US' })
          ),
          province: Type.Optional(text(10, 'a province code such as NY'))
        }),
        response: { 201: Type.Object({ id: Type.String(), gid: Type.String(), email: Type.String() }) }
      }
    },
    async (request, reply) => {
      const { email, first_name = null, last_name = null, country = null, province = null } = request.body
      const customer = {
        email,
        firstName: first_name,
        lastName: last_name,
        countryCode: country,
        provinceCode: province
      }
      const made = await play(request.params.store, ({ storeId }) => sandbox.createCustomer(storeId, customer))
      return reply.code(201).send({ id: made.id, gid: made.gid, email: made.email })
    }
  )

  admin.post(
    '/stores/:store/sandbox/joins',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({ customer: platformNumber('the customer'), plan: text(100, 'the name of a plan') }),
        response: { 201: Type.Object({ order_id: Type.String(), contract_id: Type.String() }) }
      }
    },
    async (request, reply) => {
      const requested = { customerId: request.body.customer, planName: request.body.plan }
      const { orderId, contractId } = await play(request.params.store, ({ storeId }) =>
        sandbox.join(storeId, requested)
      )
      return reply.code(201).send({ order_id: orderId, contract_id: contractId })
    }
  )

  admin.post(
    '/stores/:store/sandbox/cards',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer'),
          outcome: text(
            300,
            'success, a decline code, 3ds, late, lost, duplicate or told_failed; of several, with commas between, each for one charge and the last for all that follow'
          )
        }),
        response: { 200: Type.Object({ customer: Type.String(), outcome: Type.String() }) }
      }
    },
    async (request) => {
      const { customer, outcome } = request.body
      const outcomes = outcome.split(',').map((one) => one.trim())
      await play(request.params.store, ({ storeId }) =>
        sandbox.setCard(storeId, { customerId: customer, outcome: outcomes })
      )
      return { customer, outcome: outcomes.join(',') }
    }
  )

  admin.post(
    '/stores/:store/sandbox/orders',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer'),
          total: amount(),
          credit: Type.Optional(amount()),
          coupon: Type.Optional(text(100)),
          channel: Type.Optional(text(100))
        }),
        response: { 201: Type.Object({ id: Type.String(), name: Type.String() }) }
      }
    },
    async (request, reply) => {
      const { customer, total, credit = 0, coupon = null, channel = null } = request.body
      const { id, name } = await play(request.params.store, ({ storeId, currency }) =>
        sandbox.placeOrder(storeId, {
          customerId: customer,
          totalMinor: notNegative('total', total, currency),
          creditMinor: notNegative('credit', credit, currency),
          coupon,
          channel
        })
      )
      return reply.code(201).send({ id, name })
    }
  )

  admin.post(
    '/stores/:store/sandbox/refunds',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({ order: platformNumber('the order'), amount: Type.Optional(amount()) }),
        response: { 201: Type.Object({ id: Type.String() }) }
      }
    },
    async (request, reply) => {
      const { order, amount: given } = request.body
      const { id } = await play(request.params.store, ({ storeId, currency }) => {
        const amountMinor = given === undefined ? null : notNegative('amount', given, currency)
        return sandbox.refund(storeId, { orderId: order, amountMinor })
      })
      return reply.code(201).send({ id })
    }
  )

  admin.post(
    '/stores/:store/sandbox/disputes',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          order: platformNumber('the order'),
          outcome: Type.Union([Type.Literal('open'), Type.Literal('won'), Type.Literal('lost')], {
            description: 'open, won or lost'
          })
        }),
        response: { 201: Type.Object({ id: Type.String() }) }
      }
    },
    async (request, reply) => {
      const { order, outcome } = request.body
      const { id } = await play(request.params.store, ({ storeId }) =>
        sandbox.dispute(storeId, { orderId: order, outcome })
      )
      return reply.code(201).send({ id })
    }
  )
}

/** The store of the path, which must be a sandbox store: the real platform takes no script. */
export async function sandboxStore(db: Database, reference: string): Promise<Store> {
  const store = await requireStore(db, reference)
  if (!store.sandbox) throw new Refusal('conflict', `Store ${store.domain} is no sandbox store`)
  return store
}

function notNegative(field: string, given: string | number, currency: string): number {
  const minor = minorOf(given, currency, field)
  if (minor < 0) throw invalidField(field, 'takes an amount of 0 or more')
  return minor
}
