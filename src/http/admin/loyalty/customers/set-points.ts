import { Type } from 'typebox'
import { adjustPoints } from '#points'
import type { Surface } from '../../../shared/surface.ts'
import { storeOf } from '../../store.ts'
import { operationOfRequest, Reason } from '../../store-credits/credit-fields.ts'
import { LoyaltyCustomerParams, namedCustomer } from '../loyalty-customer.ts'

/** As many as a file of balances may set. */
const MAX_POINTS = 1_000_000_000

const ACCEPTED_POINTS = `an integer from 0 to ${MAX_POINTS}`

/** POST /stores/{store}/loyalty/customers/{customer}/points */
export function setPointsRoute(admin: Surface): void {
  admin.post(
    '/stores/:store/loyalty/customers/:customer/points',
    {
      config: { allow: 'support' },
      schema: {
        operationId: 'setCustomerPoints',
        summary: "Set a customer's points",
        description:
          'Sets the points that can be spent, by an entry of type `adjusted` of the difference. What is added does not expire and does not count as ever earned; what is taken is taken from what expires first. Nothing happens where they are right already.',
        params: LoyaltyCustomerParams,
        body: Type.Object({
          balance: Type.Integer({
            minimum: 0,
            maximum: MAX_POINTS,
            description: ACCEPTED_POINTS,
            meaning: 'The points that the customer is to have',
            examples: [500]
          }),
          reason: Reason('Counted again')
        }),
        response: {
          200: Type.Object({
            balance: Type.Integer({ description: 'The points that can be spent now', examples: [500] }),
            changed: Type.Boolean({ description: 'Whether there was anything to change', examples: [true] })
          })
        }
      }
    },
    (request) =>
      request.inStore(async (ctx) => {
        const memberId = await namedCustomer(ctx, request.params.customer, storeOf(request).platformProfile)
        const { balance, reason } = request.body
        const written = await adjustPoints(ctx, [{ memberId, balance, reason, operationId: operationOfRequest() }])
        return { balance, changed: written.length > 0 }
      })
  )
}
