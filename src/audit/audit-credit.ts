import { publicId } from '#kit/ids'
import type { Database } from '#kit/postgres'
import type { Connector, PlatformResult } from '#platform'
import { type CreditDifference, type CreditPage, type ReadCredit, readCreditDifferences } from '#spending'
import { type Allowance, type Audited, callsWithin, orWhyNot } from './platform-calls.ts'
import { countOf } from './platform-charges.ts'
import type { Finding } from './run-rules.ts'

/** Needs more than our tables: what the platform itself has. */
export const platformCreditAgrees = {
  name: 'platform_credit_agrees',
  severity: 'finding',
  help:
    "A customer's account of [store credit](platform-credit.md) on the platform, or their gift card, has something else than what is known here, " +
    'and nothing waits that would enter it: somebody changed it there, or a message about an order was lost. The daily comparison enters it; ' +
    '`perennial credit reconcile` does so now. Of a store that is no sandbox 20 customers are compared with each of at most 50 calls, within 10 ' +
    'seconds, and what an order may have changed within the last five minutes is left out; `not_checked` says what was left out.'
} as const

/** One call reads so many customers. */
const PAGE = 20
export const CREDIT_CALLS = { days: 0, calls: 50, ms: 10_000 }
/** An order that has moved credit is reported within so long. */
const ORDER_WITHIN = { minutes: 5 }

/** Compares the accounts and gift cards of a store with its platform, as far as the allowance goes. Changes nothing. */
export async function auditCredit(
  db: Database,
  storeId: number,
  connectorOf: (storeId: number) => Promise<Connector>,
  allowance: Allowance,
  { isSandbox }: { isSandbox: boolean }
): Promise<Audited> {
  const priority = isSandbox ? 'normal' : 'low'
  const call = callsWithin(allowance, () => connectorOf(storeId))
  const read: ReadCredit = {
    accounts: (ids, currency) => call(({ storeCredit }) => storeCredit.findMany(ids, currency, priority)),
    cards: (ids, currency) => call(({ giftCards }) => giftCards.findMany(ids, currency, priority))
  }
  const pages: CreditPage[] = []
  let why: string | null = null
  for (let afterId: number | null = 0; afterId !== null; ) {
    const page: PlatformResult<CreditPage> = await orWhyNot(
      readCreditDifferences(db, storeId, { afterId, limit: PAGE, orderWithin: isSandbox ? null : ORDER_WITHIN }, read)
    )
    if (!page.ok) why = page.failure.message
    else pages.push(page.value)
    afterId = page.ok ? page.value.next : null
  }
  const sum = (of: (page: CreditPage) => number) => pages.reduce((total, page) => total + of(page), 0)
  const differences = pages.flatMap((page) => page.differences)
  const isWrong = ({ mayBeOrder, changeWaits }: CreditDifference) => !mayBeOrder && !changeWaits
  return {
    checked: sum(({ compared }) => compared),
    findings: differences.filter(isWrong).map(findingOf),
    notChecked: [
      why && `credit of customers on the platform was not all compared: ${why}`,
      countOf(
        sum(({ waiting }) => waiting),
        'customers were left out whose credit waits to be compared with the platform'
      ),
      countOf(
        sum(({ notShown }) => notShown),
        'customers with credit are not shown by the platform'
      ),
      countOf(
        differences.length - differences.filter(isWrong).length,
        'customers have something else on the platform than is known here, which an order or event may explain that is still to come'
      )
    ].filter((text) => text !== null)
  }
}

const findingOf = ({ memberId, places }: CreditDifference): Finding => ({
  check: platformCreditAgrees.name,
  subject: publicId('cust', memberId),
  message: places
    .map(({ card, knownMinor, thereMinor, isOff }) =>
      isOff
        ? `the gift card ${card} cannot be used any more on the platform, and is in use here`
        : `has ${thereMinor} ${card === null ? 'on the platform' : `on the gift card ${card}`}, and ${knownMinor} by what is known here (minor units)`
    )
    .join('; ')
})
