import { type ContractRequest, choosePaymentMethod } from '#platform'
import { type Import, type RowRefusal, refused } from './import.ts'
import { type PlanFinder, planNotFound } from './plan-finder.ts'
import type { Wish } from './read-row.ts'

/** A contract as it is asked of the platform, but for its key. */
export type Order = Omit<ContractRequest, 'key'>

type Known = {
  plans: PlanFinder
  /** The shop's: other amounts it could not take. */
  currency: string
  byEmail: ReadonlyMap<string, string[]>
  cards: ReadonlyMap<string, string[]>
  mode: Import['mode']
}

/** What is to be made for a row, or why nothing is. What the row leaves open is the plan's. */
export function orderOf(wish: Wish, known: Known): Order | { refusal: RowRefusal } {
  const customers = wish.customerId === null ? (known.byEmail.get(wish.email!.toLowerCase()) ?? []) : [wish.customerId]
  const [customerId, ...others] = customers.filter((id) => known.cards.has(id))
  const who = wish.customerId === null ? 'email' : 'customer_id'
  if (!customerId) return { refusal: refused('customer_not_found', who, 'The platform has no such customer') }
  if (others.length > 0) {
    return { refusal: refused('ambiguous_email', 'email', 'Several customers have this address: give customer_id') }
  }
  const { id: paymentMethodId, problem } = choosePaymentMethod(wish.paymentMethodId, known.cards.get(customerId)!)
  if (problem !== null) return { refusal: refused('no_payment_method', 'payment_method_id', problem) }

  const plan = wish.plan === null ? null : known.plans.find(wish.plan)
  if (plan === undefined) return { refusal: planNotFound() }
  const variantId = wish.variantId ?? plan?.platformVariantId
  if (!variantId) {
    return { refusal: refused('invalid_field', 'variant_id', 'variant_id is needed: the plan sells several products') }
  }
  const currency = wish.currency ?? plan?.currency ?? known.currency
  if (currency !== known.currency) {
    return { refusal: refused('invalid_field', 'currency', `currency takes ${known.currency}, which is the shop's`) }
  }
  return {
    customerId,
    status: wish.status ?? (known.mode === 'paused' || wish.pausedUntil ? 'paused' : 'active'),
    currency,
    interval: wish.interval ?? plan!.interval,
    intervalCount: wish.intervalCount ?? (wish.interval ? 1 : plan!.intervalCount),
    maxCycles: wish.maxCycles,
    nextBillingAt: wish.nextBillingAt!,
    paymentMethodId,
    variantId,
    priceMinor: wish.price?.minor ?? plan!.priceMinor,
    sellingPlan: plan && { id: plan.platformSellingPlanId, name: plan.name }
  }
}
