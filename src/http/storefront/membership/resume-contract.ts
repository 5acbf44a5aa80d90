import { Type } from 'typebox'
import { resumeSubscription } from '#lifecycle'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { ContractParams } from '../churn/own-subscription.ts'
import { AccountContract } from './account-contract.ts'
import { changeOwnContract } from './contract-change.ts'

/** POST /membership/contracts/{contract_id}/resume */
export function resumeContractRoute(storefront: Surface, deps: Pick<HttpDeps, 'db' | 'wake'>): void {
  storefront.post(
    '/membership/contracts/:contract_id/resume',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'resumeContract',
        summary: 'Resume a contract',
        description:
          'A contract that the customer has paused goes on; its next charge is on the next date of its schedule.',
        params: ContractParams,
        body: Type.Object({}),
        response: { 200: AccountContract }
      }
    },
    (request) => changeOwnContract(deps, request, 'resume', (ctx, id, by) => resumeSubscription(ctx, id, null, by))
  )
}
