/** An order, as far as rules ask for it. Amounts are minor units of the shop's currency. */
export type OrderCause = {
  kind: 'order'
  orderId: number
  /** What was paid for each line after discounts, without tax; gift cards and the fee of a membership are not among them. */
  lines: { productId: string | null; collectionIds: readonly string[]; netMinor: number }[]
  /** Collections of which the products are not known yet: rules that are limited to one do not count the order yet. */
  unread: ReadonlySet<string>
  /** What store credit has paid. */
  creditMinor: number
  /** It is paid, and was not voided. */
  isPaid: boolean
  /** Which part of it refunds and disputes have taken back. */
  takenBack: { minor: number; wholeMinor: number }
  /** Of which contracts it is a paid renewal, by the numbers that the platform has for what was sold. */
  renewals: { isMembership: boolean; planGroupId: string | null; sellingPlanId: string | null }[]
}

/** What a customer did or is, of which rules may count something. */
export type Cause =
  | OrderCause
  /** The customer has an account in the shop. `isPast`: it was there before the store was connected. */
  | { kind: 'account'; isPast: boolean }
  | { kind: 'consent'; channel: 'email' | 'sms' }
  | { kind: 'tag'; tag: string }
  | { kind: 'occasion'; occasion: 'birthday' | 'anniversary' }
  /** What another program reports. */
  | { kind: 'action'; actionKey: string }
  | { kind: 'review'; provider: string; isDeleted: boolean }
  /** What one rule asks for: a visit of its page, a friend who came, a receipt that was approved. */
  | { kind: 'visit' }
  /** A new customer who came by a code. `order`: their first order; null where the referral is refused. `paidAfterDays`: until it was paid, rounded up. */
  | { kind: 'referral'; order: OrderCause | null; paidAfterDays: number }
  | { kind: 'receipt'; amountMinor: number }

export type CauseKind = Cause['kind']
/** How much a rule counts of a cause, by its kind. 0: nothing. */
export type Amounts<R> = { [K in CauseKind]?: (rules: R, cause: Extract<Cause, { kind: K }>) => number }

/** How what a rule counts leads to its reward. */
export type Counting<R> =
  /**
   * Each cause gives the reward, as far as the limit lets it; null for no limit. `isYearly`: it comes once a year. `isHeld`: its points are pending
   * for as long as those of an order.
   */
  | { mode: 'each'; limit: (rules: R) => number | null; isYearly?: true; isHeld?: true; amounts: Amounts<R> }
  /** All causes together give it when they reach a goal, and again for each further goal where it repeats. `isMoney`: in minor units. */
  | { mode: 'sum'; goal: (rules: R) => number; repeats: (rules: R) => boolean; isMoney?: true; amounts: Amounts<R> }
