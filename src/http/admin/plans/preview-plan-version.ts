import { type Static, Type } from 'typebox'
import { internalId, publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { nextPlanVersion } from '#plans'
import { OrNull } from '#resources'
import { previewPlanVersion } from '#subscriptions'
import { idInPath, noSuch } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import { amountText, oneOf, PageLimit, text } from '../fields.ts'
import { INTERVALS, interval, intervalCount } from './plan-fields.ts'
import { PlanParams } from './plan-params.ts'
import { targetOf } from './version-fields.ts'

type Shown = Awaited<ReturnType<typeof previewPlanVersion>>['subscriptions'][number]

const TermsBody = Type.Object({
  price: OrNull(
    Type.Number({ description: 'What a cycle costs; null where that is known only when the contract is edited' })
  ),
  unit_price: OrNull(
    Type.Number({ description: 'What one of what the plan sells costs, before discounts; null where it is not known' })
  ),
  interval: oneOf(INTERVALS, { description: 'The unit of a cycle' }),
  interval_count: Type.Integer({ description: 'How many units a cycle lasts' })
})

const PreviewedBody = Type.Object({
  subscription_id: Type.String({ description: 'The subscription id, `sub_24`' }),
  customer_id: Type.String({ description: 'Who pays, `cust_24`' }),
  email: OrNull(Type.String({ description: "The customer's e-mail address" })),
  status: Type.String({
    description: 'Of the subscription: `active`, `paused`, or `cancelled` while it can be reactivated'
  }),
  outcome: oneOf(['changed', 'same', 'kept'], {
    description:
      '`changed`: its contract is edited; `same`: it gets the version, which changes nothing of its contract; `kept`: it keeps its terms and its version'
  }),
  reason: OrNull(
    oneOf(['own_price', 'own_interval', 'plan_change'], {
      description:
        'Why it keeps its terms: its price was agreed with one person; it has an interval of its own, at its own price; it waits for its move to another plan'
    })
  ),
  from: TermsBody,
  to: TermsBody
})

const PreviewBody = Type.Object(
  {
    plan_id: Type.String({ description: 'The plan id, `plan_3`' }),
    version: Type.Integer({ description: 'The number that the version would get' }),
    apply_to: oneOf(['list_price', 'all'], { description: 'Whom the preview is for' }),
    preview: Type.String({
      description:
        'Give it as `preview` when the version is added; it is another one when anything that the preview shows has changed, on any page'
    }),
    currency: Type.String({ description: 'ISO 4217' }),
    price: Type.Number({ description: 'Of the version' }),
    interval: oneOf(INTERVALS, { description: 'Of the version: the unit of a cycle' }),
    interval_count: Type.Integer({ description: 'Of the version: how many units a cycle lasts' }),
    credit: Type.Number({ description: 'Of the version: store credit for each paid cycle' }),
    totals: Type.Object(
      {
        subscriptions: Type.Integer({ description: 'The sum of the others' }),
        changed: Type.Integer({ description: 'How many contracts are edited' }),
        same: Type.Integer({ description: 'How many get the version without a change of their contract' }),
        kept_own_price: Type.Integer({ description: 'How many keep a price that was agreed with one person' }),
        kept_own_interval: Type.Integer({ description: 'How many keep an interval of their own and its price' }),
        kept_plan_change: Type.Integer({ description: 'How many wait for their move to another plan' })
      },
      { description: 'Of all running subscriptions of the plan that have an earlier version' }
    ),
    data: Type.Array(PreviewedBody, { description: 'Those subscriptions, in order of their ids' }),
    next: OrNull(Type.String({ description: 'The `after` of the next page; null on the last page' }))
  },
  {
    title: 'PlanVersionPreview',
    description: 'What a new version of a plan would do to its running subscriptions.',
    examples: [
      {
        plan_id: 'plan_3',
        version: 2,
        apply_to: 'list_price',
        preview: '0f3a5c0d8e6b4a7f9c1d2e3f40516273',
        currency: 'EUR',
        price: 35,
        interval: 'month',
        interval_count: 1,
        credit: 0,
        totals: {
          subscriptions: 812,
          changed: 790,
          same: 0,
          kept_own_price: 19,
          kept_own_interval: 2,
          kept_plan_change: 1
        },
        data: [
          {
            subscription_id: 'sub_24',
            customer_id: 'cust_24',
            email: 'hanna.ito@example.com',
            status: 'active',
            outcome: 'changed',
            reason: null,
            from: { price: 29, unit_price: 29, interval: 'month', interval_count: 1 },
            to: { price: 35, unit_price: 35, interval: 'month', interval_count: 1 }
          }
        ],
        next: 'sub_24'
      }
    ]
  }
)

/** GET /stores/{store}/plans/{plan}/versions/preview */
export function previewPlanVersionRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/plans/:plan/versions/preview',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'previewPlanVersion',
        summary: 'Preview a version of a plan',
        description:
          'Who would get which price by a version, before it is added: totals, and the subscriptions page by page. Nothing is changed. What a version leaves out stays.',
        params: PlanParams,
        querystring: Type.Object({
          price: Type.Optional(amountText({ meaning: 'The price of a cycle', examples: ['35.00'] })),
          interval: Type.Optional(interval()),
          interval_count: Type.Optional(intervalCount()),
          credit: Type.Optional(
            amountText({ meaning: 'Store credit that each paid cycle issues', examples: ['35.00'] })
          ),
          apply_to: Type.Optional(
            oneOf(['list_price', 'all', 'running'], {
              description:
                'list_price (running subscriptions that pay the old list price), all, or running, which is list_price',
              meaning: 'Whom the version is to be for; `list_price` by default',
              examples: ['list_price']
            })
          ),
          after: Type.Optional(
            text(30, 'the id of the last subscription of the page before', { examples: ['sub_24'] })
          ),
          limit: PageLimit
        }),
        response: { 200: PreviewBody }
      }
    },
    async (request): Promise<Static<typeof PreviewBody>> => {
      const planId = idInPath('plan', request.params.plan)
      const { apply_to = 'list_price', after, limit = 50, interval_count: intervalCount, ...terms } = request.query
      const afterId = after === undefined ? 0 : internalId('sub', after)
      if (afterId === null) throw noSuch('sub', after!)
      const target = targetOf(apply_to)
      return request.inStore(async (ctx) => {
        const { plan, version } = await nextPlanVersion(ctx, planId, { ...terms, intervalCount })
        const preview = await previewPlanVersion(ctx, planId, version, { target, afterId, limit })
        const { changed, same, kept } = preview.totals
        const amountOf = (minor: number) => numberOf(minor, plan.currency)
        return {
          plan_id: publicId('plan', planId),
          version: version.version,
          apply_to: target,
          preview: preview.id,
          currency: plan.currency,
          price: amountOf(version.priceMinor),
          interval: version.interval,
          interval_count: version.intervalCount,
          credit: amountOf(version.creditMinor),
          totals: {
            subscriptions: changed + same + kept.own_price + kept.own_interval + kept.plan_change,
            changed,
            same,
            kept_own_price: kept.own_price,
            kept_own_interval: kept.own_interval,
            kept_plan_change: kept.plan_change
          },
          data: preview.subscriptions.map((one) => presentPreviewed(one, amountOf)),
          next: preview.nextAfterId === null ? null : publicId('sub', preview.nextAfterId)
        }
      })
    }
  )
}

function presentPreviewed(
  { subscription: s, plan }: Shown,
  amountOf: (minor: number) => number
): Static<typeof PreviewedBody> {
  const from = {
    price: amountOf(s.priceMinor),
    unit_price: s.unitPriceMinor === null ? null : amountOf(s.unitPriceMinor),
    interval: s.interval,
    interval_count: s.intervalCount
  }
  const about = {
    subscription_id: publicId('sub', s.id),
    customer_id: publicId('cust', s.memberId),
    email: s.email,
    status: s.status
  }
  if (plan.outcome !== 'changed') {
    return { ...about, outcome: plan.outcome, reason: plan.outcome === 'kept' ? plan.reason : null, from, to: from }
  }
  const { priceMinor, linePriceMinor, interval, intervalCount } = plan
  const keepsPrice = priceMinor === null && linePriceMinor === null
  const to = {
    price: priceMinor === null ? (keepsPrice ? from.price : null) : amountOf(priceMinor),
    unit_price: linePriceMinor === null ? from.unit_price : amountOf(linePriceMinor),
    interval: interval ?? s.interval,
    interval_count: intervalCount ?? s.intervalCount
  }
  return { ...about, outcome: 'changed', reason: null, from, to }
}
