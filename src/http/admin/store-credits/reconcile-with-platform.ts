import { Type } from 'typebox'
import { numberOf } from '#kit/money'
import { Amount } from '#resources'
import { compareWithPlatform, countReconciled, endOfLedger, reconcileWithPlatform } from '#spending'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { creditCustomer } from './one-credit.ts'
import { comparisonExample, comparisonFields, presentComparison } from './present-comparison.ts'

const Reconciled = Type.Object(
  {
    scope: Type.String({ description: '`store` or `customer`: whose accounts are compared' }),
    accounts: Type.Optional(Type.Integer({ description: 'Accounts that are kept on the platform' })),
    compared: Type.Optional(Type.Integer({ description: 'Of those, the ones that were compared now' })),
    waiting: Type.Optional(Type.Integer({ description: 'And the ones that are still to be compared' })),
    drift_entries: Type.Optional(
      Type.Integer({ description: 'Entries of what somebody else had changed on the platform, so far' })
    ),
    drift_amount: Type.Optional(Amount('The sum of those entries, in the currency of the store')),
    ...Type.Partial(Type.Object(comparisonFields)).properties
  },
  {
    title: 'CreditReconciliation',
    description:
      'Accounts that are compared right now. Of a store: how many, what was found, and what waits. Of a customer: what the account has.',
    examples: [
      { scope: 'store', accounts: 57, compared: 57, waiting: 0, drift_entries: 1, drift_amount: -5 },
      { scope: 'customer', ...comparisonExample }
    ]
  }
)

/** POST /stores/{store}/store-credits/reconcile */
export function reconcileWithPlatformRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/store-credits/reconcile',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'reconcileWithPlatform',
        summary: "Compare store credit with the platform's accounts",
        description:
          'Compares the account or gift card on the platform of one customer, or of all with credit, with the ledger, without waiting for the schedule. What was spent there becomes a redemption, what somebody else changed there an entry of type `reconciled`, and what is missing there is sent. What cancelled and refunded orders should have given back is restored. For a sandbox store the response comes when that is done; for a live store it happens in the background.',
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
      const since = await request.inStore(async (ctx) => {
        await reconcileWithPlatform(ctx, memberId)
        return endOfLedger(ctx)
      })
      await startDueWork(deps, store)
      if (memberId === null) {
        const { accounts, waiting, drift } = await request.inStore((ctx) => countReconciled(ctx, since))
        return reply.code(202).send({
          scope: 'store',
          accounts,
          compared: accounts - waiting,
          waiting,
          drift_entries: drift.entries,
          drift_amount: numberOf(drift.minor, currency)
        })
      }
      const compared = await compareWithPlatform(deps, storeId, memberId)
      return reply.code(202).send({ scope: 'customer', ...presentComparison(compared, currency) })
    }
  )
}
