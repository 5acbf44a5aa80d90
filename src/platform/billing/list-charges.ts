import type { PlatformClient } from '../wire/client.ts'
import { type Fields, Withheld } from '../wire/fields.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { type Page, readPage, sinceQuery } from '../wire/pages.ts'
import { UNPAID } from './attempt.ts'
import { ChargesCreatedSince } from './documents.ts'

/** An order that a billing attempt has placed, whatever the attempt is called. */
export type PlatformCharge = {
  contractId: string
  attemptId: string
  idempotencyKey: string
  orderId: string
  /** The order's total in minor units of `currency`: the shop's, which may not be that of the contract. */
  amountMinor: number
  currency: string
  /** The date of the billing period: the time that the order was asked to have. Null where it has none, or it is withheld. */
  periodAt: Temporal.Instant | null
  /** Wholly refunded, cancelled, or never paid. */
  isUndone: boolean
}

/** An attempt of which we may not read whether it was charged, how much, or whether that was undone. */
export type WithheldCharge = Pick<PlatformCharge, 'contractId' | 'attemptId' | 'idempotencyKey'>

/** `oldestAt`: when the last attempt of the page was created, with or without a charge; null where it has none. */
export type PlatformCharges = Page<PlatformCharge> & { withheld: WithheldCharge[]; oldestAt: Temporal.Instant | null }

export async function listChargesSince(
  client: PlatformClient,
  since: Temporal.Instant,
  after: string | null
): Promise<PlatformResult<PlatformCharges>> {
  const variables = { query: sinceQuery('created_at', since), after }
  const page = await client.query(ChargesCreatedSince, variables, (data) =>
    readPage(data.at('subscriptionBillingAttempts'), (node) => ({
      createdAt: node.instant('createdAt'),
      attempt: {
        contractId: node.at('subscriptionContract').id('id'),
        attemptId: node.id('id'),
        idempotencyKey: node.text('idempotencyKey')
      },
      charge: readCharge(node)
    }))
  )
  if (!page.ok) return page
  const { items, after: next } = page.value
  return {
    ok: true,
    value: {
      items: items.flatMap(({ charge }) => (charge === 'withheld' ? [] : (charge ?? []))),
      withheld: items.flatMap(({ attempt, charge }) => (charge === 'withheld' ? attempt : [])),
      oldestAt: items.at(-1)?.createdAt ?? null,
      after: next
    }
  }
}

/** Null: the attempt has charged nothing. */
function readCharge(attempt: Fields): PlatformCharge | 'withheld' | null {
  try {
    const order = attempt.atIfAny('order')
    return order && readChargeOf(attempt, order)
  } catch (err) {
    if (err instanceof Withheld) return 'withheld'
    throw err
  }
}

function readChargeOf(attempt: Fields, order: Fields): PlatformCharge {
  const currency = order.text('currencyCode')
  const amountMinor = order.at('totalPriceSet').money('shopMoney', currency)
  const refundedMinor = order.at('totalRefundedSet').money('shopMoney', currency)
  return {
    contractId: attempt.at('subscriptionContract').id('id'),
    attemptId: attempt.id('id'),
    idempotencyKey: attempt.text('idempotencyKey'),
    orderId: order.id('id'),
    amountMinor,
    currency,
    periodAt: attempt.maybeInstant('originTime'),
    isUndone: (refundedMinor > 0 && refundedMinor >= amountMinor) || isCancelledOrUnpaid(order)
  }
}

/** Throws if that is not known, since a part of it is withheld. */
function isCancelledOrUnpaid(order: Fields): boolean {
  const financialStatus = order.maybeText('displayFinancialStatus')?.toLowerCase()
  if (order.has('cancelledAt') || (financialStatus !== undefined && UNPAID.has(financialStatus))) return true
  for (const field of ['cancelledAt', 'displayFinancialStatus']) {
    if (order.isWithheld(field)) order.refuse(field, 'must be readable')
  }
  return false
}
