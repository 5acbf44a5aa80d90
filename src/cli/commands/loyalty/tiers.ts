import type { Command } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import {
  characters,
  isYes,
  jsonObject,
  matching,
  needed,
  numberFlag,
  optional,
  wholeNumber,
  yesOrNo
} from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag } from '../store-flag.ts'
import { loyaltyPath } from './loyalty-flags.ts'

const id = numberFlag('a loyalty tier')
const changeable = {
  description: optional('--description <text>', characters(0, 1000)),
  entry: optional('--entry <json>', jsonObject('points_earned, min_spend, min_orders')),
  reward: optional('--reward <json>', jsonObject('points, discount, shipping_discount (only 100)')),
  multiplier: optional(
    '--multiplier <number>',
    matching('a number above 0 to 100 with at most 2 decimals', /^\d{1,3}(\.\d{1,9})?$/)
  ),
  order: optional('--order <n>', wholeNumber(0, 1000)),
  tag: optional('--tag <tag>', characters(0, 255)),
  active: yesOrNo('--active <yes|no>')
}
const FIELDS = {
  entry: 'entry_rules',
  reward: 'reward_rules',
  multiplier: 'multiplier_points',
  active: 'is_active'
}

export function addTierCommands(loyalty: Command, terminal: Terminal): void {
  const tier = loyalty.command('tier').description('the tiers that customers reach')

  addCommand(tier, terminal, {
    name: 'create',
    summary: 'create a tier, above all others unless it says where',
    flags: { store: storeFlag, name: needed('--name <name>', characters(1, 255)), ...changeable },
    fields: FIELDS,
    run: ({ store, ...given }, { api }) => api().post(loyaltyPath(store, 'tiers'), tierOf(given)),
    show: facts
  })

  addCommand(tier, terminal, {
    name: 'list',
    summary: 'list the tiers, the lowest first',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(loyaltyPath(store, 'tiers')),
    show: table(
      ['id', 'order', 'name', 'is_active', 'customers', 'entry_rules', 'reward_rules', 'multiplier_points', 'tag'],
      'The store has no loyalty tiers yet.'
    )
  })

  addCommand(tier, terminal, {
    name: 'show',
    summary: 'show a tier',
    flags: { store: storeFlag, id },
    run: ({ store, id }, { api }) => api().get(loyaltyPath(store, 'tiers', id)),
    show: facts
  })

  const change = { name: optional('--name <name>', characters(1, 255)), ...changeable }
  addCommand(tier, terminal, {
    name: 'update',
    summary: 'change a tier; what is left out stays, and entry and reward are replaced as a whole',
    flags: { store: storeFlag, id, ...change },
    fields: FIELDS,
    run: ({ store, id, ...given }, { api }) => {
      requireOneOf(change, given)
      return api().patch(loyaltyPath(store, 'tiers', id), tierOf(given))
    },
    show: facts
  })

  for (const [name, isActive, summary] of [
    ['disable', false, 'take a tier out of use: its customers go to the next lower one that is theirs'],
    ['enable', true, 'take a tier into use again']
  ] as const) {
    addCommand(tier, terminal, {
      name,
      summary,
      flags: { store: storeFlag, id },
      run: ({ store, id }, { api }) => api().patch(loyaltyPath(store, 'tiers', id), { is_active: isActive }),
      show: facts
    })
  }
}

type Given = {
  name?: string | undefined
  description: string | undefined
  entry: object | undefined
  reward: object | undefined
  multiplier: string | undefined
  order: number | undefined
  tag: string | undefined
  active: 'yes' | 'no' | undefined
}

const tierOf = ({ entry, reward, multiplier, active, ...given }: Given) => ({
  ...given,
  entry_rules: entry,
  reward_rules: reward,
  multiplier_points: multiplier,
  is_active: isYes(active)
})
