import { Type } from 'typebox'
import { listActiveOffers } from '#churn'
import { findCredit } from '#credits'
import { decimalOf } from '#kit/money'
import { listOwnContracts } from '#lifecycle'
import { findKeptCustomerId } from '#members'
import { findPoints } from '#points'
import { exampleOf } from '#resources'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { customerOf } from '../shoppers.ts'
import { AccountContract, presentAccountContract } from './account-contract.ts'

const Account = Type.Object(
  {
    currency: Type.String({ description: 'Of the store credit; ISO 4217' }),
    timezone: Type.String({ description: "The shop's, in which the times are" }),
    store_credit: Type.String({ description: 'What the customer can spend; a decimal' }),
    loyalty_points: Type.Integer({ description: 'What the customer can spend' }),
    contracts: Type.Array(AccountContract, {
      description: 'Those that live, and those whose cancellation can be taken back; the newest 250, newest first'
    })
  },
  {
    title: 'Account',
    description: 'What a customer has.',
    examples: [
      {
        currency: 'USD',
        timezone: 'America/New_York',
        store_credit: '12.50',
        loyalty_points: 380,
        contracts: [exampleOf(AccountContract)]
      }
    ]
  }
)

/** GET /membership/account: a page of the shop finds the contracts of the customer who is logged in, and what they may do with them. */
export function getAccountRoute(storefront: Surface, { db }: Pick<HttpDeps, 'db'>): void {
  storefront.get(
    '/membership/account',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'getAccount',
        summary: 'Read what the customer has',
        description:
          'The contracts that the customer who is logged in pays for, their store credit and their points. One of whom the store has nothing yet has no contracts.',
        response: { 200: Account }
      }
    },
    (request) => {
      const { store, customerId } = customerOf(request)
      const { storeId, currency, timezone } = store
      return db.inStore(storeId, async (ctx) => {
        const memberId = await findKeptCustomerId(ctx, { memberId: null, platformId: customerId })
        const contracts = memberId === null ? [] : await listOwnContracts(ctx, memberId)
        const offers = await listActiveOffers(
          ctx,
          contracts.map(({ subscription }) => subscription.id)
        )
        const credit = memberId === null ? 0 : (await findCredit(ctx, memberId)).availableMinor
        return {
          currency,
          timezone,
          store_credit: decimalOf(credit, currency),
          loyalty_points: memberId === null ? 0 : ((await findPoints(ctx, [memberId])).get(memberId)?.balance ?? 0),
          contracts: contracts.map((one) =>
            presentAccountContract(one, offers.get(one.subscription.id) ?? null, timezone)
          )
        }
      })
    }
  )
}
