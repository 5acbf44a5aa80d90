import { Type } from 'typebox'
import { invalidBody } from '#kit/refusal'
import { TRIAL_TYPES, updatePlan } from '#plans'
import { walkSpendingNow } from '#spending'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { inWords } from '../fields.ts'
import { storeOf } from '../store.ts'
import { maxCycles, planSettings, settingsFrom, trialType } from './plan-fields.ts'
import { PlanParams } from './plan-params.ts'
import { PlanBody, presentPlan } from './present-plan.ts'

/** These are part of contracts, orders and tags, and of events that were sent. */
const UNCHANGED = ['name', 'tier', 'type'] as const

const unchanged = (field: (typeof UNCHANGED)[number]) =>
  Type.Optional(
    Type.Never({
      description: `left out: a plan keeps its ${field}; create another plan and move subscriptions to it`
    })
  )

const PlanChange = Type.Object(
  {
    name: unchanged('name'),
    tier: unchanged('tier'),
    type: unchanged('type'),
    trial_type: Type.Optional(
      Type.Union([trialType(), Type.Null()], {
        description: `${inWords(TRIAL_TYPES)}; or null for no trial`,
        meaning: 'Until when the trial lasts: one interval, or `trial_days`',
        examples: ['days']
      })
    ),
    max_cycles: Type.Optional(
      Type.Union([maxCycles(), Type.Null()], {
        description: 'an integer from 1 to 1000, or null for no end',
        meaning: 'How many cycles are paid',
        examples: [12]
      })
    ),
    ...planSettings
  },
  { examples: [{ trial_days: 14, trial_price: '1.00' }] }
)

/** PATCH /stores/{store}/plans/{plan} */
export function updatePlanRoute(admin: Surface, { db, connectorOf }: AdminDeps): void {
  admin.patch(
    '/stores/:store/plans/:plan',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'updatePlan',
        summary: 'Update a plan',
        description:
          'Changes the fields that are given. Subscriptions that run keep their terms. Name, tier and type never change: create another plan and move subscriptions to it. A change while another of the same plan is under way is a `conflict`.',
        params: PlanParams,
        body: PlanChange,
        response: { 200: PlanBody }
      }
    },
    async (request) => {
      const { params, body } = request
      if (Object.keys(body).length === 0) throw nothingGiven()
      const { storeId } = storeOf(request)
      const change = { ...settingsFrom(body), maxCycles: body.max_cycles }
      const plan = await updatePlan(db, storeId, await connectorOf(storeId), idInPath('plan', params.plan), change)
      // Its members, and those without a membership, may spend their credit in another way now.
      if (body.perks?.store_credit !== undefined || body.status !== undefined) await request.inStore(walkSpendingNow)
      return presentPlan(plan)
    }
  )
}

function nothingGiven() {
  const accepted = Object.keys(PlanChange.properties).filter((field) => !UNCHANGED.some((name) => name === field))
  return invalidBody(`must hold one of ${accepted.join(', ')}`, 'required')
}
