import { stopBilling } from '#billing'
import { type ImportTerms, syncContracts } from '#contracts'
import { decimalOf, minorOf } from '#kit/money'
import type { Ctx } from '#kit/postgres'
import type { PlatformContract, PlatformOrder } from '#platform'
import { type Import, type RowRefusal, type RowResult, refused } from './import.ts'
import { type PlanFinder, planNotFound } from './plan-finder.ts'
import type { Wish } from './read-row.ts'

/** A row and the contract of the platform that it is about. */
export type Found = { line: number; wish: Wish; contract: PlatformContract }

/**
 * Makes contracts ours, in one transaction with what is noted of their rows. One that we know already stays as it is: its
 * schedule is ours. Nothing is charged by it.
 */
export async function takeOver(
  ctx: Ctx,
  of: Import,
  found: Found[],
  orders: PlatformOrder[],
  plans: PlanFinder
): Promise<RowResult[]> {
  const results: RowResult[] = []
  const terms = new Map<string, ImportTerms>()
  const wanted: Found[] = []
  for (const one of found) {
    const plan = one.wish.plan === null ? null : plans.find(one.wish.plan)
    const refusal = plan === undefined ? planNotFound() : problemWith(one)
    if (refusal) {
      results.push({ line: one.line, status: 'refused', refusal })
      continue
    }
    wanted.push(one)
    terms.set(one.contract.id, termsOf(of, one.wish, plan ?? null))
  }
  const synced = await syncContracts(
    ctx,
    wanted.map(({ contract }) => contract),
    orders,
    terms
  )
  await stopBilling(ctx, synced.stopped)
  const created = new Map(synced.created.map((s) => [s.platformContractId, s.id]))
  const known = new Map(synced.known.map((s) => [s.platformContractId, s.id]))
  for (const { line, contract } of wanted) {
    const [isNew, subscriptionId] = [created.has(contract.id), created.get(contract.id) ?? known.get(contract.id)!]
    results.push({ line, status: isNew ? 'created' : 'unchanged', subscriptionId, platformContractId: contract.id })
  }
  return results
}

function termsOf(of: Import, wish: Wish, plan: ImportTerms['plan']): ImportTerms {
  const isPaused = (wish.status ?? (of.mode === 'paused' || wish.pausedUntil ? 'paused' : 'active')) === 'paused'
  return {
    importId: of.id,
    isPaused,
    pausedUntil: isPaused ? (wish.pausedUntil ?? (of.mode === 'paused' ? of.pausedUntil : null)) : null,
    nextBillingAt: wish.nextBillingAt,
    cyclesPaid: wish.cyclesPaid,
    startedAt: wish.startedAt,
    plan
  }
}

const OVER = new Set(['cancelled', 'expired', 'failed'])

/** Where the row and the platform's contract do not go together. The platform's word counts, and the row is told so. */
function problemWith({ wish, contract }: Found): RowRefusal | null {
  if (OVER.has(contract.status)) return refused('contract_ended', 'contract_id', `The contract is ${contract.status}`)
  if (!contract.customer) return refused('customer_not_found', 'contract_id', 'The contract has no customer any more')
  const differs = (field: string, there: string) =>
    refused('differs_from_platform', field, `${field} is another than the contract's, which is ${there}`)
  const { currency } = contract
  if (wish.currency !== null && wish.currency !== currency) return differs('currency', currency)
  const price = contract.priceMinor + contract.deliveryPriceMinor
  if (wish.price && !isSame(wish.price.text, currency, price)) return differs('price', decimalOf(price, currency))
  if (wish.interval !== null && wish.interval !== contract.interval) return differs('interval', contract.interval)
  if (wish.intervalCount !== null && wish.intervalCount !== contract.intervalCount) {
    return differs('interval_count', String(contract.intervalCount))
  }
  if (wish.maxCycles !== null && wish.maxCycles !== contract.maxCycles) {
    return differs('max_cycles', String(contract.maxCycles ?? 'without an end'))
  }
  if (wish.customerId !== null && wish.customerId !== contract.customer.id) return differs('customer_id', "another's")
  const email = contract.customer.email
  if (wish.email !== null && email !== null && wish.email.toLowerCase() !== email.toLowerCase()) {
    return differs('email', "another's")
  }
  if (wish.variantId !== null && !contract.lines.some(({ variantId }) => variantId === wish.variantId)) {
    return differs('variant_id', 'of other variants')
  }
  if (wish.status === 'active' && contract.status !== 'active') return differs('status', contract.status)
  const maxCycles = contract.maxCycles
  if (maxCycles !== null && (wish.cyclesPaid ?? 0) >= maxCycles) {
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
