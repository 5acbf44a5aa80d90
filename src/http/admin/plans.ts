import { type Static, Type } from 'typebox'
import { internalId } from '#kit/ids'
import { invalidField, Refusal } from '#kit/refusal'
import { addPlanVersion, createPlan, findPlan, listPlans, listPlanVersions, updatePlan } from '#plans'
import { requireStore } from '#stores'
import type { HttpDeps } from '../shared/deps.ts'
import type { Surface } from '../shared/surface.ts'
import { StoreParams } from './fields.ts'
import {
  ChangedPlanBody,
  NewPlanBody,
  NewVersionBody,
  PlanBody,
  PlanParams,
  PlanWithVersionsBody,
  presentPlan,
  presentPlanWithVersions,
  UNCHANGED
} from './plan-fields.ts'

/** A store's plans: what can be joined, at which price, with which perks. */
export function registerPlans(admin: Surface, { db, connectorOf }: Pick<HttpDeps, 'db' | 'connectorOf'>): void {
  const withVersions = (storeId: number, planId: number) =>
    db.inStore(storeId, async (ctx) => {
      const plan = await findPlan(ctx, planId)
      return plan && presentPlanWithVersions(plan, await listPlanVersions(ctx, planId))
    })

  admin.post(
    '/stores/:store/plans',
    { schema: { params: StoreParams, body: NewPlanBody, response: { 201: PlanBody } } },
    async ({ params, body }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const { interval_count, credit, tier, max_cycles, ...settings } = body
      const plan = await createPlan(db, storeId, await connectorOf(storeId), {
        ...settingsFrom(settings),
        name: body.name,
        type: body.type,
        price: body.price,
        interval: body.interval,
        intervalCount: interval_count ?? 1,
        tier,
        credit,
        maxCycles: max_cycles
      })
      return reply.code(201).send(presentPlan(plan))
    }
  )

  admin.get(
    '/stores/:store/plans',
    { schema: { params: StoreParams, response: { 200: Type.Object({ data: Type.Array(PlanBody) }) } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      return { data: (await db.inStore(storeId, listPlans)).map(presentPlan) }
    }
  )

  admin.get(
    '/stores/:store/plans/:plan',
    { schema: { params: PlanParams, response: { 200: PlanWithVersionsBody } } },
    async ({ params }) => {
      const { storeId } = await requireStore(db, params.store)
      const id = internalId('plan', params.plan)
      const shown = id && (await withVersions(storeId, id))
      if (!shown) throw noSuchPlan(params.plan)
      return shown
    }
  )

  admin.patch(
    '/stores/:store/plans/:plan',
    { schema: { params: PlanParams, body: ChangedPlanBody, response: { 200: PlanBody } } },
    async ({ params, body }) => {
      const taken = Object.keys(ChangedPlanBody.properties).filter((field) => !UNCHANGED.some((kept) => kept === field))
      if (Object.keys(body).length === 0) throw invalidField('The body', `must hold one of ${taken.join(', ')}`)
      const { storeId } = await requireStore(db, params.store)
      const change = { ...settingsFrom(body), maxCycles: body.max_cycles }
      return presentPlan(await updatePlan(db, storeId, await connectorOf(storeId), planIdFrom(params.plan), change))
    }
  )

  admin.post(
    '/stores/:store/plans/:plan/versions',
    { schema: { params: PlanParams, body: NewVersionBody, response: { 201: PlanWithVersionsBody } } },
    async ({ params, body }, reply) => {
      const { storeId } = await requireStore(db, params.store)
      const { interval_count, apply_to, ...numbers } = body
      const plan = await addPlanVersion(db, storeId, await connectorOf(storeId), planIdFrom(params.plan), {
        ...numbers,
        intervalCount: interval_count,
        appliesTo: apply_to
      })
      return reply.code(201).send((await withVersions(storeId, plan.id))!)
    }
  )
}

type SettingsBody = Pick<
  Static<typeof ChangedPlanBody>,
  'status' | 'trial_type' | 'trial_days' | 'trial_price' | 'allowed_countries' | 'product_ids' | 'perks'
>

const settingsFrom = (body: SettingsBody) => ({
  status: body.status,
  trialType: body.trial_type,
  trialDays: body.trial_days,
  trialPrice: body.trial_price,
  allowedCountries: body.allowed_countries,
  productIds: body.product_ids,
  perks: body.perks
})

const noSuchPlan = (given: string) => new Refusal('not_found', `There is no plan ${given.slice(0, 100)}`)

function planIdFrom(given: string): number {
  const id = internalId('plan', given)
  if (id === null) throw noSuchPlan(given)
  return id
}
