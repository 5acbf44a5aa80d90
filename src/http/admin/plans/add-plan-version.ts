import { Type } from 'typebox'
import type { Ctx } from '#kit/postgres'
import { invalidField } from '#kit/refusal'
import { addPlanVersion, type VersionOffer, type VersionTarget } from '#plans'
import { assertPreviewed } from '#subscriptions'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { actorIdOf } from '../caller.ts'
import type { AdminDeps } from '../deps.ts'
import { amount, oneOf, text } from '../fields.ts'
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
  }),
  preview: Type.Optional(
    text(64, "the `preview` of the version's preview", {
      meaning: 'Required unless `apply_to` is `new`: what was previewed is what is done',
      examples: ['0f3a5c0d8e6b4a7f9c1d2e3f40516273']
    })
  )
})

/** POST /stores/{store}/plans/{plan}/versions */
export function addPlanVersionRoute(admin: Surface, { db, connectorOf }: AdminDeps): void {
  admin.post(
    '/stores/:store/plans/:plan/versions',
    {
      config: { allow: 'manage' },
      schema: {
        operationId: 'addPlanVersion',
        summary: 'Add a version of a plan',
        description:
          'Puts a new price, interval or credit on sale. With `apply_to` `list_price` or `all` the contracts of active and paused subscriptions are edited on the platform one by one, and the version holds from their next cycle on. With `list_price` a subscription whose price was agreed with one person keeps its terms. [Preview](#preview-a-version-of-a-plan) it first, and give the `preview` of that response: when a subscription, a price or the plan has changed since, the version is refused (409, `preview` in `details`), and nothing is changed. A price that is agreed after that, while the version is being brought to subscriptions, stays, also that of a subscription which is created or imported then. What a version leaves out stays. While an earlier version is still being brought to subscriptions it is 409.',
        params: PlanParams,
        body: NewVersionBody,
        response: { 201: PlanWithVersionsBody }
      }
    },
    async (request, reply) => {
      const { storeId } = storeOf(request)
      const { interval_count, apply_to, preview, ...terms } = request.body
      const planId = idInPath('plan', request.params.plan)
      const plan = await addPlanVersion(db, storeId, await connectorOf(storeId), planId, {
        ...terms,
        intervalCount: interval_count,
        actorId: actorIdOf(request),
        ...followersOf(planId, targetOf(apply_to), preview)
      })
      const shown = await request.inStore((ctx) => planWithVersions(ctx, plan.id))
      return reply.code(201).send(shown!)
    }
  )
}

/** Whom the version is for. With running subscriptions it has to have been previewed. */
function followersOf(planId: number, target: VersionTarget, preview: string | undefined) {
  if (target === 'new') return { appliesTo: target }
  if (preview === undefined) {
    throw invalidField(
      'preview',
      'must be that of a preview of the version, with apply_to list_price or all',
      'required'
    )
  }
  return {
    appliesTo: target,
    assertPreviewed: (ctx: Ctx, version: VersionOffer) => assertPreviewed(ctx, planId, version, { target, preview })
  }
}
