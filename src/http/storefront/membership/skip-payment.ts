import { Type } from 'typebox'
import { skipCycle } from '#lifecycle'
import type { HttpDeps } from '../../shared/deps.ts'
import type { Surface } from '../../shared/surface.ts'
import { ContractParams } from '../churn/own-subscription.ts'
import { AccountContract } from './account-contract.ts'
import { changeOwnContract } from './contract-change.ts'

/** POST /membership/contracts/{contract_id}/skip */
export function skipPaymentRoute(storefront: Surface, deps: Pick<HttpDeps, 'db' | 'wake'>): void {
  storefront.post(
    '/membership/contracts/:contract_id/skip',
    {
      config: { allow: 'customer' },
      schema: {
        operationId: 'skipPayment',
        summary: 'Skip the next payment',
        description:
          'The next payment is never charged, and the one after it keeps its date. 403 where the store does not allow it, and while a payment is open.',
        params: ContractParams,
        body: Type.Object({}),
        response: { 200: AccountContract }
      }
    },
    (request) => changeOwnContract(deps, request, 'skip', skipCycle)
  )
}
