import { type Static, Type } from 'typebox'
import type { RewardIntegration } from '#exports'
import { isoOf } from '#kit/clock'
import { StoreParams } from '../store.ts'

export const IntegrationParams = Type.Object({
  ...StoreParams.properties,
  integration: Type.String({ description: 'the key of an integration', examples: ['smile'] })
})

export const IntegrationBody = Type.Object(
  {
    key: Type.String({ description: 'Its key: rows of members have the field `<key>_points`' }),
    active: Type.Boolean({ description: 'Whether rows of members have that field' }),
    shown: Type.Boolean({
      description: 'Whether the shop shows the balances in its storefront; if not, the field is ` - ` everywhere'
    }),
    balances: Type.Integer({ description: 'Of how many customers a balance is known' }),
    created_at: Type.String({ format: 'date-time', description: 'When it was added' }),
    updated_at: Type.String({ format: 'date-time', description: 'When its settings last changed' })
  },
  {
    title: 'RewardIntegration',
    description: 'A service that keeps reward points for the shop',
    examples: [
      {
        key: 'smile',
        active: true,
        shown: true,
        balances: 0,
        created_at: '2026-09-15T05:25:00.000Z',
        updated_at: '2026-09-15T05:25:00.000Z'
      }
    ]
  }
)

export const presentIntegration = (one: RewardIntegration): Static<typeof IntegrationBody> => ({
  key: one.key,
  active: one.isActive,
  shown: one.isShown,
  balances: one.balances,
  created_at: isoOf(one.createdAt),
  updated_at: isoOf(one.updatedAt)
})
