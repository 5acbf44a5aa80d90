import { bool, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

/** The reasons that a customer can give (spec 2, Churn API), in the order in which they are shown where the store has no other. */
export const REASON_ALIASES = [
  'too_expensive',
  'not_using_enough',
  'enough_items',
  'not_need_subscription',
  'not_found_products',
  'order_issues',
  'technical_issues',
  'use_another_service',
  'other'
] as const
export type ReasonAlias = (typeof REASON_ALIASES)[number]

/** Their words where a store has no others. */
export const REASON_TITLES: Record<ReasonAlias, string> = {
  too_expensive: 'It is too expensive',
  not_using_enough: 'I do not use it enough',
  enough_items: 'I have enough for now',
  not_need_subscription: 'I do not need a subscription',
  not_found_products: 'I do not find products that I like',
  order_issues: 'There were problems with my orders',
  technical_issues: 'Something on the site does not work',
  use_another_service: 'I use another service',
  other: 'Another reason'
}

export const ReasonRow = row({
  alias: oneOf(...REASON_ALIASES),
  title: text,
  description: nullable(text),
  position: int,
  isOn: bool
})

/** A reason as a store has it. `id`: the same in every store. */
export type Reason = RowOf<typeof ReasonRow> & { id: number }

/** What an operator can change of a reason. */
export type ReasonChange = Partial<Pick<Reason, 'title' | 'description' | 'position' | 'isOn'>>

export const isReasonAlias = (alias: string): alias is ReasonAlias =>
  (REASON_ALIASES as readonly string[]).includes(alias)

/** The number of a reason in the Churn API. */
export const reasonId = (alias: ReasonAlias): number => REASON_ALIASES.indexOf(alias) + 1
