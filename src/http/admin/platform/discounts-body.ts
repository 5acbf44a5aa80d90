import { type Static, Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import type { DiscountsShown } from '#mirror'
import { OrNull, Timestamp } from '#resources'
import { NextComparison } from '../next-comparison.ts'

const Discount = Type.Object({
  slot: Type.String({
    description:
      'What it is for: `prices` and `shipping` run the function; `vip_prices`, `elite_prices`, `vip_shipping` and `elite_shipping` are native'
  }),
  platform_id: OrNull(Type.String({ description: "The platform's number of the discount; null where there is none" })),
  active: Type.Boolean({ description: 'Whether it was active when it was last compared' }),
  problem: OrNull(Type.String({ description: 'Why it cannot be as it is to be' }))
})

const NotEnforced = Type.Object({
  plan_type: Type.String({ description: 'The type of the main plan, `vip` or `elite`' }),
  field: Type.String({ description: 'The perk, as the field of the plan' }),
  message: Type.String({ description: 'What members do not get' })
})

export const DiscountsBody = Type.Object(
  {
    enforced_by: Type.String({ description: 'The setting `discounts.enforced_by`: `off`, `native` or `function`' }),
    function_handle: OrNull(
      Type.String({ description: 'The handle of the discount function; null where none is set' })
    ),
    discounts: Type.Array(Discount, {
      description:
        'The automatic discounts that the service has made, as they were when they were last compared (`compared_at`)'
    }),
    not_enforced: Type.Array(NotEnforced, {
      description:
        'Perks of the main plans that members do not get, at the checkout or on renewals of product subscriptions'
    }),
    compared_at: OrNull(
      Timestamp(
        'As of when `discounts` is: when they were last compared with the platform, in real time; null before the first comparison'
      )
    ),
    next_comparison_at: NextComparison,
    last_error: OrNull(Type.String({ description: 'Why the last comparison came to nothing' }))
  },
  {
    title: 'PlatformDiscounts',
    description: 'The automatic discounts that give members their prices and free shipping.',
    examples: [
      {
        enforced_by: 'native',
        function_handle: null,
        discounts: [{ slot: 'vip_prices', platform_id: '1640505475378', active: true, problem: null }],
        not_enforced: [{ plan_type: 'vip', field: 'perks.welcome_offer', message: 'there is no welcome offer' }],
        compared_at: '2026-11-15T06:25:00.000Z',
        next_comparison_at: '2026-11-15T07:23:41.000Z',
        last_error: null
      }
    ]
  }
)

export const presentDiscounts = (shown: DiscountsShown): Static<typeof DiscountsBody> => ({
  enforced_by: shown.enforcedBy,
  function_handle: shown.functionHandle === '' ? null : shown.functionHandle,
  discounts: shown.nodes.map(({ slot, platformId, isActive, problem }) => ({
    slot,
    platform_id: platformId,
    active: isActive,
    problem
  })),
  not_enforced: shown.notEnforced.map(({ tier, field, message }) => ({ plan_type: tier, field, message })),
  compared_at: isoOrNull(shown.comparedAt),
  next_comparison_at: isoOrNull(shown.nextComparisonAt),
  last_error: shown.lastError
})
