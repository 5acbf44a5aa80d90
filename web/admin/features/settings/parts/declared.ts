import type { Field } from '../fields/fields.ts'

/** Which of two lists of days is drawn as a ladder below its form, and what follows its end. */
export type Drawn = { days: string; end: string }

export type Form = { id: string; fields: Field[]; ladder?: Drawn }

/** The settings of a store, by the tabs that have them. Each form is saved on its own. */
export const FORMS = {
  billing: [
    {
      id: 'dunning',
      fields: [
        { name: 'dunning.retry_after_days', kind: 'numbers' },
        { name: 'dunning.on_failure', kind: 'choice', options: ['cancel', 'pause', 'fail'] },
        { name: 'dunning.hard_decline_wait_days', kind: 'number', isNullable: true }
      ],
      ladder: { days: 'dunning.retry_after_days', end: 'dunning.on_failure' }
    },
    {
      id: 'inventory',
      fields: [
        { name: 'dunning.inventory.retry_after_days', kind: 'numbers' },
        { name: 'dunning.inventory.on_failure', kind: 'choice', options: ['skip', 'pause', 'cancel', 'fail'] }
      ],
      ladder: { days: 'dunning.inventory.retry_after_days', end: 'dunning.inventory.on_failure' }
    },
    { id: 'confirm', fields: [{ name: 'action_required.remind_after_hours', kind: 'numbers' }] },
    { id: 'missed', fields: [{ name: 'billing.catch_up', kind: 'choice', options: ['latest', 'all'] }] }
  ],
  customers: [
    {
      id: 'actions',
      fields: [
        { name: 'customers.may_pause', kind: 'flag' },
        { name: 'customers.may_skip', kind: 'flag' }
      ]
    },
    {
      id: 'cancellation',
      fields: [
        { name: 'reactivation_grace_hours', kind: 'number' },
        { name: 'credit_on_cancellation', kind: 'choice', options: ['keep', 'forfeit'] }
      ]
    },
    { id: 'disputes', fields: [{ name: 'disputes.on_lost', kind: 'choice', options: ['alert', 'cancel'] }] }
  ],
  loyalty: [
    {
      id: 'points',
      fields: [
        { name: 'loyalty.enabled', kind: 'flag' },
        { name: 'loyalty.hold_days', kind: 'number' },
        { name: 'loyalty.points_expire_after_days', kind: 'number', isNullable: true }
      ]
    },
    {
      id: 'tiers',
      fields: [
        { name: 'loyalty.tiers', kind: 'flag' },
        { name: 'loyalty.tier_review', kind: 'choice', options: ['rolling_year', 'calendar_year'] }
      ]
    },
    {
      id: 'rewards',
      fields: [
        { name: 'loyalty.coupons_expire_after_days', kind: 'number', isNullable: true },
        { name: 'loyalty.receipt_file_days', kind: 'number', isNullable: true }
      ]
    }
  ],
  plans: [
    {
      id: 'main',
      fields: [
        { name: 'main_plan.vip', kind: 'plan', type: 'vip' },
        { name: 'main_plan.elite', kind: 'plan', type: 'elite' }
      ]
    },
    {
      id: 'checkout',
      fields: [
        { name: 'discounts.enforced_by', kind: 'choice', options: ['off', 'native', 'function'] },
        { name: 'discounts.function_handle', kind: 'text' }
      ]
    },
    { id: 'creditTitle', fields: [{ name: 'credit_function.title', kind: 'text' }] },
    {
      id: 'brand',
      fields: [
        { name: 'brand.attribute', kind: 'text' },
        { name: 'brand.default', kind: 'text' }
      ]
    }
  ],
  wallet: [
    {
      id: 'pass',
      fields: [
        { name: 'wallet.organization', kind: 'text' },
        {
          name: 'wallet.background',
          kind: 'choice',
          options: ['black', 'white', 'blue', 'green', 'red', 'purple']
        },
        { name: 'wallet.ended', kind: 'choice', options: ['void', 'keep'] }
      ]
    }
  ]
} satisfies Record<string, Form[]>

export type Part = keyof typeof FORMS
export const isPart = (part: string): part is Part => Object.hasOwn(FORMS, part)
