import type { Command } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import {
  characters,
  instant,
  isYes,
  jsonObject,
  needed,
  numberFlag,
  oneOf,
  optional,
  orWord,
  wholeNumber,
  yesOrNo
} from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag } from '../store-flag.ts'
import { loyaltyPath } from './loyalty-flags.ts'

const id = numberFlag('a coupon template')
const name = characters(1, 255)
const type = oneOf('percentage', 'fixed_amount')
const rules = jsonObject('amount, applies_to, product_ids, collection_ids, minimum_subtotal, expires_after_days')
const points = wholeNumber(1, 1_000_000_000)
const changeable = {
  prefix: optional('--prefix <text>', characters(0, 20)),
  starts: optional('--starts <instant>', orWord('none', instant)),
  ends: optional('--ends <instant>', orWord('none', instant)),
  enabled: yesOrNo('--enabled <yes|no>')
}
const FIELDS = { points: 'required_points', prefix: 'discount_code_prefix', starts: 'starts_at', ends: 'ends_at' }

export function addTemplateCommands(loyalty: Command, terminal: Terminal): void {
  const template = loyalty.command('template').description('the coupons that points can buy')

  addCommand(template, terminal, {
    name: 'create',
    summary: 'create a coupon template',
    flags: {
      store: storeFlag,
      name: needed('--name <name>', name),
      type: needed('--type <type>', type),
      rules: needed('--rules <json>', rules),
      points: needed('--points <n>', points),
      ...changeable
    },
    fields: FIELDS,
    run: ({ store, ...given }, { api }) => api().post(loyaltyPath(store, 'templates'), templateOf(given)),
    show: facts
  })

  addCommand(template, terminal, {
    name: 'list',
    summary: 'list the coupon templates',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(loyaltyPath(store, 'templates')),
    show: table(
      ['id', 'status', 'name', 'type', 'required_points', 'starts_at', 'ends_at'],
      'The store has no coupon templates yet.'
    )
  })

  addCommand(template, terminal, {
    name: 'show',
    summary: 'show a coupon template',
    flags: { store: storeFlag, id },
    run: ({ store, id }, { api }) => api().get(loyaltyPath(store, 'templates', id)),
    show: facts
  })

  const change = {
    name: optional('--name <name>', name),
    type: optional('--type <type>', type),
    rules: optional('--rules <json>', rules),
    points: optional('--points <n>', points),
    ...changeable
  }
  addCommand(template, terminal, {
    name: 'update',
    summary: 'change a coupon template; what is left out stays, and rules are replaced as a whole',
    flags: { store: storeFlag, id, ...change },
    fields: FIELDS,
    run: ({ store, id, ...given }, { api }) => {
      requireOneOf(change, given)
      return api().patch(loyaltyPath(store, 'templates', id), templateOf(given))
    },
    show: facts
  })

  for (const [verb, enabled, summary] of [
    ['disable', false, 'have points buy a coupon no more; coupons that were bought stay'],
    ['enable', true, 'have points buy a coupon again']
  ] as const) {
    addCommand(template, terminal, {
      name: verb,
      summary,
      flags: { store: storeFlag, id },
      run: ({ store, id }, { api }) => api().patch(loyaltyPath(store, 'templates', id), { enabled }),
      show: facts
    })
  }
}

type Given = {
  name: string | undefined
  type: string | undefined
  rules: object | undefined
  points: number | undefined
  prefix: string | undefined
  starts: string | undefined
  ends: string | undefined
  enabled: 'yes' | 'no' | undefined
}

const templateOf = ({ points: requiredPoints, prefix, starts, ends, enabled, ...given }: Given) => ({
  ...given,
  required_points: requiredPoints,
  discount_code_prefix: prefix,
  starts_at: starts === 'none' ? null : starts,
  ends_at: ends === 'none' ? null : ends,
  enabled: isYes(enabled)
})
