import { Type } from 'typebox'
import { numberOf } from '#kit/money'
import { Amount, OrNull } from '#resources'
import { compareWithPlatform, reconcileWithPlatform } from '#spending'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { creditCustomer } from './one-credit.ts'

const Reconciled = Type.Object(
  {
    scope: Type.String({
      description: '`store` or `customer`: whose accounts are compared. The rest is there for a customer'
    }),
    way: Type.Optional(
      OrNull(Type.String({ description: 'How the customer spends credit, by the plan; null without a plan' }))
    ),
    available: Type.Optional(Amount('What the customer can spend, by the ledger')),
    on_platform: Type.Optional(
      OrNull(Amount('What the account and the gift card on the platform have; null where they could not be read'))
    ),
    waits: Type.Optional(
      OrNull(Type.String({ description: 'Since when the account is to be compared; null where nothing waits' }))
    ),
    problem: Type.Optional(OrNull(Type.String({ description: 'Why the account is not as it should be' })))
  },
  {
    title: 'CreditReconciliation',
    description: 'Accounts that are compared right now.',
    examples: [{ scope: 'customer', way: 'storecredit', available: 15, on_platform: 15, waits: null, problem: null }]
  }
)

/** POST /stores/{store}/store-credits/reconcile */
export function reconcileWithPlatformRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/store-credits/reconcile',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'reconcileWithPlatform',
        summary: "Compare store credit with the platform's accounts",
        description:
          'Compares the account or gift card on the platform of one customer, or of all with credit, with the ledger, without waiting for the schedule. What was spent there becomes a redemption, what somebody else changed there an entry of type `reconciled`, and what is missing there is sent. For a sandbox store the response comes when that is done; for a live store it happens in the background.',
        params: StoreParams,
        body: Type.Object(
          {
            customer: Type.Optional(
              Type.String({ description: "a customer id, the platform's number or its global id; default: all" })
            )
          },
          { examples: [{ customer: 'cust_24' }] }
        ),
        response: { 202: Reconciled }
      }
    },
    async (request, reply) => {
      const store = storeOf(request)
      const { storeId, currency } = store
      const { customer } = request.body
      const memberId =
        customer === undefined
          ? null
          : await request.inStore((ctx) => creditCustomer(ctx, customer, store.platformProfile))
      await request.inStore((ctx) => reconcileWithPlatform(ctx, memberId))
      await startDueWork(deps, store)
      if (memberId === null) return reply.code(202).send({ scope: 'store' })
      const { way, availableMinor, platformMinor, waits, problem } = await compareWithPlatform(deps, storeId, memberId)
      return reply.code(202).send({
        scope: 'customer',
        way,
        available: numberOf(availableMinor, currency),
        on_platform: platformMinor === null ? null : numberOf(platformMinor, currency),
        waits,
        problem
      })
    }
  )
}
