import { Type } from 'typebox'
import { createPlan, PLAN_TYPES } from '#plans'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { amount, oneOf, text } from '../fields.ts'
import { StoreParams, storeOf } from '../store.ts'
import { credit, interval, intervalCount, maxCycles, planSettings, settingsFrom, trialType } from './plan-fields.ts'
import { PlanBody, presentPlan } from './present-plan.ts'

const NewPlanBody = Type.Object(
  {
    name: text(100, undefined, { examples: ['VIP'] }),
    type: oneOf(PLAN_TYPES, { meaning: 'A membership, or a subscription of products', examples: ['vip'] }),
    price: amount({ meaning: 'The price of a cycle' }),
    interval: interval(),
    interval_count: Type.Optional(intervalCount()),
    tier: Type.Optional(
      text(100, 'a text of 1 to 31 characters', {
        meaning: 'The tier that a membership gives; its name by default',
        examples: ['VIP']
      })
    ),
    trial_type: Type.Optional(trialType()),
    credit: Type.Optional(credit()),
    max_cycles: Type.Optional(maxCycles()),
    ...planSettings
  },
  { examples: [{ name: 'Elite', type: 'elite', price: '79.00', interval: 'month', credit: '5.00' }] }
)

/** POST /stores/{store}/plans */
export function createPlanRoute(admin: Surface, { db, connectorOf }: AdminDeps): void {
  admin.post(
    '/stores/:store/plans',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'createPlan',
        summary: 'Create a plan',
        description:
          'Creates a membership plan and its product on the platform, or a plan of products that are there already. A field of `perks` that is wrong is named by its path, such as `perks.discount.steps[1].value`.',
        params: StoreParams,
        body: NewPlanBody,
        response: { 201: PlanBody }
      }
    },
    async (request, reply) => {
      const { storeId } = storeOf(request)
      const { interval_count, credit, tier, max_cycles, ...settings } = request.body
      const plan = await createPlan(db, storeId, await connectorOf(storeId), {
        ...settingsFrom(settings),
        name: settings.name,
        type: settings.type,
        price: settings.price,
        interval: settings.interval,
        intervalCount: interval_count ?? 1,
        tier,
        credit,
        maxCycles: max_cycles
      })
      return reply.code(201).send(presentPlan(plan))
    }
  )
}
