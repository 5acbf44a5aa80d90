import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { createPlan, listPlans, type Plan } from '#plans'
import { connectorFor } from '#platform'
import { platformAccess, theStore } from '#stores'
import type { HttpDeps } from '../deps.ts'
import type { Surface } from '../surface.ts'
import { amount, StoreParams, text } from './fields.ts'

const PlanBody = Type.Object({
  id: Type.String(),
  name: Type.String(),
  type: Type.String(),
  tier: Type.String(),
  price: Type.Number(),
  currency: Type.String(),
  interval: Type.String(),
  interval_count: Type.Integer(),
  trial_days: Type.Integer(),
  credit: Type.Number(),
  selling_plan_id: Type.String(),
  created_at: Type.String()
})

/** A store's membership plans. */
export function registerPlans(admin: Surface, { db, vault }: Pick<HttpDeps, 'db' | 'vault'>): void {
  admin.post(
    '/stores/:store/plans',
    {
      schema: {
        params: StoreParams,
        body: Type.Object({
          name: text(100),
          type: Type.Union([Type.Literal('vip'), Type.Literal('elite')], { description: 'vip or elite' }),
          price: amount(),
          interval: Type.Union(
            [Type.Literal('day'), Type.Literal('week'), Type.Literal('month'), Type.Literal('year')],
            {
              description: 'day, week, month or year'
            }
          ),
          interval_count: Type.Optional(
            Type.Integer({ minimum: 1, maximum: 28, description: 'an integer from 1 to 28' })
          ),
          tier: Type.Optional(text(100)),
          trial_days: Type.Optional(
            Type.Integer({ minimum: 0, maximum: 365, description: 'an integer from 0 to 365' })
          ),
          credit: Type.Optional(amount())
        }),
        response: { 201: PlanBody }
      }
    },
    async (request, reply) => {
      const { storeId } = await theStore(db, request.params.store)
      const { interval_count, trial_days, ...wish } = request.body
      const connector = connectorFor(await platformAccess(db, vault, storeId))
      const plan = await createPlan(db, storeId, connector, {
        ...wish,
        intervalCount: interval_count ?? 1,
        trialDays: trial_days
      })
      return reply.code(201).send(presentPlan(plan))
    }
  )

  admin.get(
    '/stores/:store/plans',
    { schema: { params: StoreParams, response: { 200: Type.Object({ data: Type.Array(PlanBody) }) } } },
    async (request) => {
      const { storeId } = await theStore(db, request.params.store)
      return { data: (await db.inStore(storeId, listPlans)).map(presentPlan) }
    }
  )
}

function presentPlan(plan: Plan): Static<typeof PlanBody> {
  return {
    id: publicId('plan', plan.id),
    name: plan.name,
    type: plan.type,
    tier: plan.tierName,
    price: numberOf(plan.priceMinor, plan.currency),
    currency: plan.currency,
    interval: plan.interval,
    interval_count: plan.intervalCount,
    trial_days: plan.trialDays,
    credit: numberOf(plan.creditMinor, plan.currency),
    selling_plan_id: plan.platformSellingPlanId,
    created_at: isoOf(plan.createdAt)
  }
}
