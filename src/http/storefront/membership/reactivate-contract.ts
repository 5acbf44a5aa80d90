import { Type } from 'typebox'
import { reactivateSubscription } from '#lifecycle'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { ContractParams } from '../churn/own-subscription.ts'
import { AccountContract } from './account-contract.ts'
import { changeOwnContract } from './contract-change.ts'

/** POST /membership/contracts/{contract_id}/reactivation */
export function reactivateContractRoute(storefront: Surface, deps: Pick<HttpDeps, 'db' | 'wake'>): void {
  storefront.post(
    '/membership/contracts/:contract_id/reactivation',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'reactivateContract',
        summary: 'Take a cancellation back',
        description:
          'The contract goes on as before, within the time that the store allows for it (reactivation_grace_hours); an active offer stays.',
        params: ContractParams,
        body: Type.Object({}),
        response: { 200: AccountContract }
      }
    },
    (request) => changeOwnContract(deps, request, 'reactivate', reactivateSubscription)
  )
}
