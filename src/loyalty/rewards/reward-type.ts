import {
  type Money,
  meaning,
  type ObjectShape,
  type ObjectValue,
  textLike,
  textOf,
  withDefault
} from '#kit/json-fields'

/** A kind of reward: which keys `reward_rules` has beside `reward_type`, and how a sentence names it. */
export type RewardType<N extends string = string, S extends ObjectShape = ObjectShape> = {
  name: N
  /** What it is, in a sentence: for the docs. */
  help: string
  keys: (money: Money) => S
  /** What is wrong with the keys together, by key; none where all is well. */
  refuse: (reward: ObjectValue<S>, money: Money) => { field: string; message: string }[]
  /** What comes after "get" in a sentence: "500 points", "10% off". */
  words: (reward: ObjectValue<S>, money: Money) => string
}

type Declared<N extends string, S extends ObjectShape> = Omit<RewardType<N, S>, 'refuse'> &
  Partial<Pick<RewardType<N, S>, 'refuse'>>

/** Declares a kind of reward; a line in `reward-type-list.ts` adds it. Each also has the key `message`. */
export function defineRewardType<const N extends string, S extends ObjectShape>(declared: Declared<N, S>) {
  const keys = (money: Money) => ({ ...declared.keys(money), message: message() })
  return { refuse: () => [], ...declared, keys } as unknown as RewardType<
    N,
    S & { message: ReturnType<typeof message> }
  >
}

const message = () => meaning('What the customer is shown with it', withDefault(textOf(500), ''))

/** How the codes of a reward begin. */
export const codePrefix = () =>
  meaning('How its codes begin', withDefault(textLike('at most 20 letters, digits, - or _', /^[\w-]{0,20}$/), ''))
