import type { Command } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import {
  characters,
  isYes,
  jsonObject,
  list,
  needed,
  numberFlag,
  oneOf,
  optional,
  orWord,
  wholeNumber,
  yesOrNo
} from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { addAcceptedOfferCommands } from './accepted-offers.ts'

const id = numberFlag('an offer')
const name = characters(1, 255)
const type = oneOf('discount_price', 'change_frequency', 'add_store_credits')
const rules = jsonObject('the keys of its type, such as {"discount_type":"percentage","discount_value":25}')
const reasons = list('the aliases of its reasons')
const changeable = {
  description: optional('--description <text>', orWord('none', characters(1, 1000))),
  target: optional('--target <what>', oneOf('LINE_ITEM', 'SHIPPING_LINE')),
  eachItem: yesOrNo('--each-item <yes|no>'),
  minMemberDays: optional('--min-member-days <n>', wholeNumber(0, 3660)),
  minDaysSinceOffer: optional('--min-days-since-offer <n>', wholeNumber(0, 3660)),
  inTrial: yesOrNo('--in-trial <yes|no>'),
  enabled: yesOrNo('--enabled <yes|no>')
}
const FIELDS = {
  target: 'target_type',
  eachItem: 'applies_on_each_item',
  minMemberDays: 'eligibility.min_member_days',
  minDaysSinceOffer: 'eligibility.min_days_since_offer',
  inTrial: 'eligibility.in_trial'
}

/** What may be offered to people who cancel. */
export function addOfferCommands(churn: Command, terminal: Terminal): void {
  const offer = churn.command('offer').description('what may be offered to people who cancel')

  addCommand(offer, terminal, {
    name: 'create',
    summary: 'create an offer',
    flags: {
      store: storeFlag,
      name: needed('--name <name>', name),
      type: needed('--type <type>', type),
      rules: needed('--rules <json>', rules),
      reasons: needed('--reasons <aliases>', reasons),
      ...changeable
    },
    fields: FIELDS,
    run: ({ store, ...given }, { api }) => api().post(storePath(store, '/churn/offers'), offerOf(given)),
    show: facts
  })

  addCommand(offer, terminal, {
    name: 'list',
    summary: 'list the offers',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(storePath(store, '/churn/offers')),
    show: table(['id', 'enabled', 'type', 'name', 'rules', 'reasons', 'eligibility'], 'The store has no offers yet.')
  })

  addCommand(offer, terminal, {
    name: 'show',
    summary: 'show an offer',
    flags: { store: storeFlag, id },
    run: ({ store, id }, { api }) => api().get(storePath(store, `/churn/offers/${id}`)),
    show: facts
  })

  const change = {
    name: optional('--name <name>', name),
    type: optional('--type <type>', type),
    rules: optional('--rules <json>', rules),
    reasons: optional('--reasons <aliases>', reasons),
    ...changeable
  }
  addCommand(offer, terminal, {
    name: 'update',
    summary: 'change an offer; what is left out stays, and rules and reasons are replaced as a whole',
    flags: { store: storeFlag, id, ...change },
    fields: FIELDS,
    run: ({ store, id, ...given }, { api }) => {
      requireOneOf(change, given)
      return api().patch(storePath(store, `/churn/offers/${id}`), offerOf(given))
    },
    show: facts
  })

  for (const [verb, enabled, summary] of [
    ['disable', false, 'have nobody accept an offer any more; what was accepted stays'],
    ['enable', true, 'have an offer accepted again']
  ] as const) {
    addCommand(offer, terminal, {
      name: verb,
      summary,
      flags: { store: storeFlag, id },
      run: ({ store, id }, { api }) => api().patch(storePath(store, `/churn/offers/${id}`), { enabled }),
      show: facts
    })
  }

  addAcceptedOfferCommands(offer, terminal)
}

type YesOrNo = 'yes' | 'no' | undefined
type Given = {
  name: string | undefined
  description: string | undefined
  type: string | undefined
  rules: object | undefined
  reasons: string[] | undefined
  target: string | undefined
  eachItem: YesOrNo
  minMemberDays: number | undefined
  minDaysSinceOffer: number | undefined
  inTrial: YesOrNo
  enabled: YesOrNo
}

const offerOf = ({ target, eachItem, minMemberDays, minDaysSinceOffer, inTrial, enabled, ...given }: Given) => ({
  ...given,
  description: given.description === 'none' ? null : given.description,
  target_type: target,
  applies_on_each_item: isYes(eachItem),
  enabled: isYes(enabled),
  eligibility: {
    min_member_days: minMemberDays,
    min_days_since_offer: minDaysSinceOffer,
    in_trial: isYes(inTrial)
  }
})
