import { Type } from 'typebox'
import { addPlanVersion } from '#plans'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { amount, oneOf } from '../fields.ts'
import { storeOf } from '../store.ts'
import { credit, interval, intervalCount } from './plan-fields.ts'
import { PlanParams } from './plan-params.ts'
import { planWithVersions } from './plan-with-versions.ts'
import { PlanWithVersionsBody } from './present-plan.ts'
import { APPLY_TO, targetOf } from './version-fields.ts'

const NewVersionBody = Type.Object({
  price: Type.Optional(amount({ meaning: 'The price of a cycle', examples: ['35.00'] })),
  interval: Type.Optional(interval()),
  interval_count: Type.Optional(intervalCount()),
  credit: Type.Optional(credit()),
  apply_to: oneOf(APPLY_TO, {
    description:
      'new (who joins from now on), list_price (also running subscriptions that pay the list price of their version), all (also where another price was agreed with one person), or running, which is list_price',
    meaning: 'Whom it holds for',
    examples: ['new']
  })
})

/** POST /stores/{store}/plans/{plan}/versions */
export function addPlanVersionRoute(admin: Surface, { db, connectorOf }: AdminDeps): void {
  admin.post(
    '/stores/:store/plans/:plan/versions',
    {
      config: { allow: 'operator' },
      schema: {
        operationId: 'addPlanVersion',
        summary: 'Add a version of a plan',
        description:
          'Puts a new price, interval or credit on sale. With `apply_to` `list_price` or `all` the contracts of active and paused subscriptions are edited on the platform one by one, and the version holds from their next cycle on. With `list_price` a subscription whose price was agreed with one person keeps its terms. [Preview](#preview-a-version-of-a-plan) it first. What a version leaves out stays. While an earlier version is still being brought to subscriptions it is 409.',
        params: PlanParams,
        body: NewVersionBody,
        response: { 201: PlanWithVersionsBody }
      }
    },
    async (request, reply) => {
      const { storeId } = storeOf(request)
      const { interval_count, apply_to, ...terms } = request.body
      const planId = idInPath('plan', request.params.plan)
      const plan = await addPlanVersion(db, storeId, await connectorOf(storeId), planId, {
        ...terms,
        intervalCount: interval_count,
        appliesTo: targetOf(apply_to)
      })
      const shown = await request.inStore((ctx) => planWithVersions(ctx, plan.id))
      return reply.code(201).send(shown!)
    }
  )
}
