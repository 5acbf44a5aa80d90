import { bool, int, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'

const ENDED_BY = ['used', 'removed', 'revoked', 'refused', 'over'] as const

/** What a grant gives: a share or an amount off each of a number of renewals, free delivery, or one piece of a product with each. */
export type GrantTerms = {
  /** For how many renewals; null: without an end. */
  cycles: number | null
} & (
  | { kind: 'discount'; percent: number }
  | { kind: 'discount'; amountMinor: number; isOfEachItem?: boolean }
  | { kind: 'free_shipping' }
  | { kind: 'free_product'; productId: string }
)

/** The columns of what a grant gives, as they are stored. */
export const termColumns = (terms: GrantTerms) => ({
  kind: terms.kind,
  percent: 'percent' in terms ? terms.percent : null,
  amountMinor: 'amountMinor' in terms ? terms.amountMinor : null,
  isOfEachItem: 'isOfEachItem' in terms && terms.isOfEachItem === true,
  productId: 'productId' in terms ? terms.productId : null,
  cycles: terms.cycles
})

/** A grant with what its contract has to have of it. */
export const Grant = row({
  id: int,
  memberId: int,
  subscriptionId: nullable(int),
  label: text,
  key: text,
  kind: oneOf('discount', 'free_shipping', 'free_product'),
  percent: nullable(int),
  amountMinor: nullable(int),
  /** Of an amount: it is off each piece, and not once. */
  isOfEachItem: bool,
  productId: nullable(text),
  cycles: nullable(int),
  isTransferable: bool,
  status: oneOf('pending', 'active', 'ended'),
  endedBy: nullable(oneOf(...ENDED_BY)),
  /** The contract has it on the platform, as far as is known. */
  isOn: bool,
  /** Renewals that had it, on all contracts; and on those before the present one. */
  usedCycles: int,
  usedBefore: int,
  /** Of a free product: renewals of the present contract that had it, by their orders. */
  orderedTimes: int
})
export type Grant = RowOf<typeof Grant>

/** How many renewals it has left; null: without an end. */
export const cyclesLeft = (grant: Pick<Grant, 'cycles'>, used: number): number | null =>
  grant.cycles === null ? null : Math.max(0, grant.cycles - used)
