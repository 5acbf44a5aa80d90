import type { PlatformClient } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { type Page, readPage, sinceQuery } from '../wire/pages.ts'
import { UNPAID } from './attempt.ts'
import { ChargesCreatedSince } from './documents.ts'

/** An order that a billing attempt has placed, whatever the attempt is called. Amounts are minor units of the shop's currency. */
export type PlatformCharge = {
  contractId: string
  attemptId: string
  idempotencyKey: string
  orderId: string
  amountMinor: number
  /** The date of the billing period: the time that the order was asked to have. Null where it is not known. */
  periodAt: Temporal.Instant | null
  /** Wholly refunded, cancelled, or never paid. */
  isUndone: boolean
}

/** `oldestAt`: when the last attempt of the page was created, with or without a charge; null where it has none. */
export type PlatformCharges = Page<PlatformCharge> & { oldestAt: Temporal.Instant | null }

export async function listChargesSince(
  client: PlatformClient,
  since: Temporal.Instant,
  after: string | null
): Promise<PlatformResult<PlatformCharges>> {
  const variables = { query: sinceQuery('created_at', since), after }
  const page = await client.query(ChargesCreatedSince, variables, (data) =>
    readPage(data.at('subscriptionBillingAttempts'), (node) => ({
      createdAt: node.instant('createdAt'),
      charge: readCharge(node)
    }))
  )
  if (!page.ok) return page
  const { items, after: next } = page.value
  return {
    ok: true,
    value: {
      items: items.flatMap(({ charge }) => charge ?? []),
      oldestAt: items.at(-1)?.createdAt ?? null,
      after: next
    }
  }
}

function readCharge(attempt: Fields): PlatformCharge | null {
  const order = attempt.maybeAt('order')
  if (!order) return null
  const currency = order.text('currencyCode')
  const amountMinor = order.at('totalPriceSet').money('shopMoney', currency)
  const refundedMinor = order.at('totalRefundedSet').money('shopMoney', currency)
  const financialStatus = order.maybeText('displayFinancialStatus')?.toLowerCase()
  return {
    contractId: attempt.at('subscriptionContract').id('id'),
    attemptId: attempt.id('id'),
    idempotencyKey: attempt.text('idempotencyKey'),
    orderId: order.id('id'),
    amountMinor,
    periodAt: attempt.maybeInstant('originTime'),
    isUndone:
      order.maybeInstant('cancelledAt') !== null ||
      (refundedMinor > 0 && refundedMinor >= amountMinor) ||
      (financialStatus !== undefined && UNPAID.has(financialStatus))
  }
}
