import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import {
  characters,
  date,
  isYes,
  jsonObject,
  needed,
  numberFlag,
  optional,
  orWord,
  text,
  yesOrNo
} from '../../flags.ts'
import { facts, lines, table } from '../../print.ts'
import { storeFlag } from '../store-flag.ts'
import { loyaltyPath } from './loyalty-flags.ts'

const id = numberFlag('a loyalty rule')
const rules = jsonObject('the keys of its type (`loyalty rule types` lists them)')
const reward = jsonObject('reward_type and the keys of that reward')
const changeable = {
  description: optional('--description <text>', characters(0, 1000)),
  start: optional('--start <date>', date),
  end: optional('--end <date>', orWord('none', date)),
  enabled: yesOrNo('--enabled <yes|no>')
}
const FIELDS = { reward: 'reward_rules', start: 'start_date', end: 'end_date' }

export function addRuleCommands(loyalty: Command, terminal: Terminal): void {
  const rule = loyalty.command('rule').description('for what customers earn points and rewards')

  addCommand(rule, terminal, {
    name: 'create',
    summary: 'create a rule',
    flags: {
      store: storeFlag,
      type: needed('--type <type>', text('a type of rules (`loyalty rule types` lists them)')),
      name: needed('--name <name>', characters(1, 255)),
      rules: optional('--rules <json>', { ...rules, accepts: `${rules.accepts} (default: {})` }),
      reward: needed('--reward <json>', reward),
      ...changeable
    },
    fields: FIELDS,
    run: ({ store, type, ...given }, { api }) => api().post(loyaltyPath(store, 'rules'), { type, ...ruleOf(given) }),
    show: facts
  })

  addCommand(rule, terminal, {
    name: 'list',
    summary: 'list the rules that are not archived',
    flags: { store: storeFlag },
    run: ({ store }, { api }) => api().get(loyaltyPath(store, 'rules')),
    show: table(
      ['id', 'status', 'type', 'name', 'reward_text', 'start_date', 'end_date'],
      'The store has no loyalty rules yet.'
    )
  })

  addCommand(rule, terminal, {
    name: 'show',
    summary: 'show a rule',
    flags: { store: storeFlag, id },
    run: ({ store, id }, { api }) => api().get(loyaltyPath(store, 'rules', id)),
    show: facts
  })

  const change = {
    name: optional('--name <name>', characters(1, 255)),
    rules: optional('--rules <json>', rules),
    reward: optional('--reward <json>', reward),
    ...changeable
  }
  addCommand(rule, terminal, {
    name: 'update',
    summary: 'change a rule; what is left out stays, and rules and reward are replaced as a whole',
    flags: { store: storeFlag, id, ...change },
    fields: FIELDS,
    run: ({ store, id, ...given }, { api }) => {
      requireOneOf(change, given)
      return api().patch(loyaltyPath(store, 'rules', id), ruleOf(given))
    },
    show: facts
  })

  for (const [name, enabled, summary] of [
    ['disable', false, 'end a rule; it can be enabled again'],
    ['enable', true, 'have a rule reward again']
  ] as const) {
    addCommand(rule, terminal, {
      name,
      summary,
      flags: { store: storeFlag, id },
      run: ({ store, id }, { api }) => api().patch(loyaltyPath(store, 'rules', id), { enabled }),
      show: facts
    })
  }

  addCommand(rule, terminal, {
    name: 'archive',
    summary: 'end a rule for good: it is not listed any more, and what was earned by it stays',
    flags: { store: storeFlag, id },
    run: ({ store, id }, { api }) => api().delete(loyaltyPath(store, 'rules', id)),
    show: ({ id: archived }) => `Rule ${archived} is archived.\n`
  })

  addCommand(rule, terminal, {
    name: 'types',
    summary: 'list the types of rules with their keys and rewards',
    flags: {},
    run: (_, { api }) => api().get('/loyalty/rule-types'),
    show: ({ data }) => (data as Document[]).map(shownType).join('\n')
  })
}

type Given = {
  name?: string | undefined
  description: string | undefined
  rules: object | undefined
  reward: object | undefined
  start: string | undefined
  end: string | undefined
  enabled: 'yes' | 'no' | undefined
}

const ruleOf = ({ reward: rewardRules, start, end, enabled, ...given }: Given) => ({
  ...given,
  reward_rules: rewardRules,
  start_date: start,
  end_date: end === 'none' ? null : end,
  enabled: isYes(enabled)
})

type Key = { key: string; accepts: string; meaning: string; default: string | null }
type Reward = { reward_type: string; keys: Key[] }

function shownType({ type, help, rules: keys, rewards, example, sentence }: Document): string {
  const { rules: exampleRules, reward_rules } = example as Document
  const usual = (of: Key) => (of.default === null ? '' : ` (default: ${of.default})`)
  return lines([
    `${type}: ${help}`,
    '  rules:',
    ...(keys as Key[]).map((of) => `    ${of.key}: ${of.accepts}${usual(of)}`),
    '  reward:',
    ...(rewards as Reward[]).flatMap((one) => [
      `    reward_type ${one.reward_type}`,
      ...one.keys.map((of) => `      ${of.key}: ${of.accepts}${usual(of)}`)
    ]),
    `  ${sentence}: --rules '${JSON.stringify(exampleRules)}' --reward '${JSON.stringify(reward_rules)}'`
  ])
}
