import { Type } from 'typebox'
import { pauseSubscription } from '#lifecycle'
import { daysAhead } from '../../shared/dates.ts'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { ContractParams } from '../churn/own-subscription.ts'
import { customerOf } from '../shoppers.ts'
import { AccountContract } from './account-contract.ts'
import { changeOwnContract } from './contract-change.ts'

/** POST /membership/contracts/{contract_id}/pause */
export function pauseContractRoute(storefront: Surface, deps: Pick<HttpDeps, 'db' | 'wake'>): void {
  storefront.post(
    '/membership/contracts/:contract_id/pause',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'pauseContract',
        summary: 'Pause a contract',
        description: 'Nothing is charged while it is paused. 403 where the store does not allow it.',
        params: ContractParams,
        body: Type.Object({
          duration: Type.Optional(
            Type.Integer({
              minimum: 1,
              maximum: 365,
              description: 'an integer from 1 to 365',
              meaning: 'For how many days; until it is resumed where it is left out',
              examples: [30]
            })
          )
        }),
        response: { 200: AccountContract }
      }
    },
    (request) => {
      const { duration } = request.body ?? {}
      const { timezone } = customerOf(request).store
      return changeOwnContract(deps, request, 'pause', (ctx, id, by) =>
        pauseSubscription(ctx, id, daysAhead(ctx.now, duration, timezone), by)
      )
    }
  )
}
