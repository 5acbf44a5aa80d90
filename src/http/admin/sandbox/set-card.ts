import { Type } from 'typebox'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { platformNumber, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const ACCEPTED_OUTCOME =
  'success, a decline code, 3ds, late, never, lost, duplicate, reported_failed, corrected or reversed; of several, with commas between, each for one charge and the last for all that follow'

const CardSet = Type.Object(
  {
    customer: Type.String({ description: "The platform's number of the customer" }),
    outcome: Type.String({ description: 'The outcomes, with commas between' })
  },
  {
    title: 'SandboxCard',
    description: 'The outcomes of the next charges of a customer.',
    examples: [{ customer: '7064055069370', outcome: 'insufficient_funds,success' }]
  }
)

/** POST /stores/{store}/sandbox/cards */
export function setCardRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/cards',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'setSandboxCard',
        summary: 'Script the charges of a customer',
        description: "Sets the outcomes of the next charges of the customer's card.",
        params: StoreParams,
        body: Type.Object({
          customer: platformNumber('the customer'),
          outcome: text(300, ACCEPTED_OUTCOME, { examples: ['insufficient_funds,success'] })
        }),
        response: { 200: CardSet }
      }
    },
    async (request) => {
      const { customer, outcome } = request.body
      const outcomes = outcome.split(',').map((one) => one.trim())
      await play(deps, request, ({ storeId }) =>
        deps.sandbox.setCard(storeId, { customerId: customer, outcome: outcomes })
      )
      return { customer, outcome: outcomes.join(',') }
    }
  )
}
