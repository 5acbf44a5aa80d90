import { Type } from 'typebox'
import { compareWithPlatform, reconcileWithPlatform } from '#spending'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { startDueWork } from '../start-due-work.ts'
import { StoreParams, storeOf } from '../store.ts'
import { creditCustomer } from './one-credit.ts'
import { comparisonExample, comparisonFields, presentComparison } from './present-comparison.ts'

const Reconciled = Type.Object(
  {
    scope: Type.String({
      description: '`store` or `customer`: whose accounts are compared. The rest is there for a customer'
    }),
    ...Type.Partial(Type.Object(comparisonFields)).properties
  },
  {
    title: 'CreditReconciliation',
    description: 'Accounts that are compared right now.',
    examples: [{ scope: 'customer', ...comparisonExample }]
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
      await request.inStore((ctx) => reconcileWithPlatform(ctx, memberId))
      await startDueWork(deps, store)
      if (memberId === null) return reply.code(202).send({ scope: 'store' })
      const compared = await compareWithPlatform(deps, storeId, memberId)
      return reply.code(202).send({ scope: 'customer', ...presentComparison(compared, currency) })
    }
  )
}
