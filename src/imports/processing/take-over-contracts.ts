import { type ImportTerms, upsertFromContracts } from '#contracts'
import { decimalOf, minorOf } from '#kit/money'
import type { Ctx } from '#kit/postgres'
import type { PlatformContract, PlatformOrder } from '#platform'
import { type Import, type RowRefusal, type RowResult, refused } from '../import.ts'
import type { RequestedContract } from '../intake/read-row.ts'
import { type PlanFinder, planNotFound } from './find-plan.ts'

/** A row and its contract on the platform. */
export type Found = { line: number; requested: RequestedContract; contract: PlatformContract }

/**
 * Imports contracts, in one transaction with the outcomes of their rows. A contract that we already have stays unchanged.
 * Nothing is charged.
 */
export async function takeOverContracts(
  ctx: Ctx,
  parent: Import,
  found: Found[],
  orders: PlatformOrder[],
  plans: PlanFinder
): Promise<RowResult[]> {
  const results: RowResult[] = []
  const terms = new Map<string, ImportTerms>()
  const wanted: Found[] = []
  for (const one of found) {
    const plan = one.requested.plan === null ? null : plans.find(one.requested.plan)
    const refusal = plan === undefined ? planNotFound() : problemWith(one)
    if (refusal) {
      results.push({ line: one.line, status: 'refused', refusal })
      continue
    }
    wanted.push(one)
    terms.set(one.contract.id, termsOf(parent, one.requested, plan ?? null))
  }
  const { subscriptions } = await upsertFromContracts(
    ctx,
    wanted.map(({ contract }) => contract),
    orders,
    { imported: terms }
  )
  for (const { line, contract } of wanted) {
    const { id, isNew } = subscriptions.get(contract.id)!
    results.push({
      line,
      status: isNew ? 'created' : 'unchanged',
      subscriptionId: id,
      platformContractId: contract.id
    })
  }
  return results
}

function termsOf(parent: Import, requested: RequestedContract, plan: ImportTerms['plan']): ImportTerms {
  const isPaused =
    (requested.status ?? (parent.mode === 'paused' || requested.pausedUntil ? 'paused' : 'active')) === 'paused'
  return {
    importId: parent.id,
    isPaused,
    pausedUntil: isPaused ? (requested.pausedUntil ?? (parent.mode === 'paused' ? parent.pausedUntil : null)) : null,
    nextBillingAt: requested.nextBillingAt,
    cyclesPaid: requested.cyclesPaid,
    startedAt: requested.startedAt,
    plan
  }
}

const OVER = new Set(['cancelled', 'expired', 'failed'])

/** Why the row cannot be imported: its contract has ended, or the row differs from the contract, whose terms count. */
function problemWith({ requested, contract }: Found): RowRefusal | null {
  if (OVER.has(contract.status)) return refused('contract_ended', 'contract_id', `The contract is ${contract.status}`)
  if (!contract.customer) return refused('customer_not_found', 'contract_id', 'The contract no longer has a customer')
  const differs = (field: string, actual: string) =>
    refused('differs_from_platform', field, `${field} differs from the contract's, which is ${actual}`)
  const { currency } = contract
  if (requested.currency !== null && requested.currency !== currency) return differs('currency', currency)
  const price = contract.priceMinor + contract.deliveryPriceMinor
  if (requested.price && !isSame(requested.price.text, currency, price))
    return differs('price', decimalOf(price, currency))
  if (requested.interval !== null && requested.interval !== contract.interval)
    return differs('interval', contract.interval)
  if (requested.intervalCount !== null && requested.intervalCount !== contract.intervalCount) {
    return differs('interval_count', String(contract.intervalCount))
  }
  if (requested.maxCycles !== null && requested.maxCycles !== contract.maxCycles) {
    return differs('max_cycles', String(contract.maxCycles ?? 'unlimited'))
  }
  if (requested.customerId !== null && requested.customerId !== contract.customer.id)
    return differs('customer_id', "another customer's")
  const email = contract.customer.email
  if (requested.email !== null && email !== null && requested.email.toLowerCase() !== email.toLowerCase()) {
    return differs('email', 'another address')
  }
  if (requested.variantId !== null && !contract.lines.some(({ variantId }) => variantId === requested.variantId)) {
    return differs('variant_id', 'for other variants')
  }
  if (requested.status === 'active' && contract.status !== 'active') return differs('status', contract.status)
  const maxCycles = contract.maxCycles
  if (maxCycles !== null && (requested.cyclesPaid ?? 0) >= maxCycles) {
    return refused('contract_ended', 'cycles_paid', `All ${maxCycles} cycles of the contract are paid`)
  }
  return null
}

function isSame(text: string, currency: string, minor: number): boolean {
  try {
    return minorOf(text, currency) === minor
  } catch {
    // More decimals than the contract's currency has.
    return false
  }
}
