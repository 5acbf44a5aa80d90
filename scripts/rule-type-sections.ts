import { describeOfferTypes } from '#churn'
import type { DescribedKey } from '#kit/json-fields'
import { commonRuleKeys, describeRuleTypes } from '#loyalty'
import { cell, code, table } from './markdown.ts'

const keyTable = (keys: DescribedKey[]): string =>
  table(
    ['key', 'accepts', 'default', 'what it does'],
    keys.map(({ key, accepts, default: usual, meaning }) => [
      code(key),
      cell(accepts),
      usual === null ? 'has to be given' : code(usual),
      cell(meaning)
    ])
  )

/** Each type of rules with its own keys and an example. */
export const ruleTypeSections = (): string =>
  describeRuleTypes()
    .map(({ type, kind, help, keys, example, sentence }) =>
      [
        `### ${type}`,
        `${help} In the metafield its kind is ${code(kind)}.`,
        keys.length > 0 ? keyTable(keys) : 'It has no keys of its own.',
        `\`--rules '${JSON.stringify(example.rules)}' --reward '${JSON.stringify(example.reward_rules)}'\`: “${sentence}”.`
      ].join('\n\n')
    )
    .join('\n\n')
    .concat('\n')

/** The keys that all types have. */
export const commonRuleKeyTable = (): string => `${keyTable(commonRuleKeys())}\n`

/** Each reward with its keys, and the types that give it. */
export function rewardSections(): string {
  const types = describeRuleTypes()
  const rewards = new Map(types.flatMap((type) => type.rewards.map((reward) => [reward.help, reward] as const)))
  return [...rewards.values()]
    .map(({ rewardType, help, keys }) => {
      const by = types
        .filter((type) => type.rewards.some((reward) => reward.help === help))
        .map(({ type }) => code(type))
      const whose =
        by.length < types.length / 2
          ? `Given by rules of the ${by.length === 1 ? 'type' : 'types'} ${by.join(' and ')}.`
          : 'Given by rules of every other type.'
      return `### ${rewardType}\n\n${help} ${whose}\n\n${keyTable(keys)}`
    })
    .join('\n\n')
    .concat('\n')
}

/** Each type of offers to people who cancel, with its keys. */
export const offerTypeSections = (): string =>
  describeOfferTypes()
    .map(({ type, help, keys, example }) =>
      [`### ${type}`, help, keyTable(keys), `\`--rules '${JSON.stringify(example)}'\``].join('\n\n')
    )
    .join('\n\n')
    .concat('\n')
