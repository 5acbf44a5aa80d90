import { type ContractRequest, choosePaymentMethod } from '#platform'
import { type Import, type RowRefusal, refused } from '../import.ts'
import type { RequestedContract } from '../intake/read-row.ts'
import { type PlanFinder, planNotFound } from './find-plan.ts'

/** The request to create a contract on the platform, without its key. */
export type RowContractRequest = Omit<ContractRequest, 'key'>

type Context = {
  plans: PlanFinder
  /** The shop's currency, the only one that it can charge. */
  currency: string
  byEmail: ReadonlyMap<string, string[]>
  cards: ReadonlyMap<string, string[]>
  mode: Import['mode']
}

/**
 * What a row creates: its request, and the plan that it names or that alone sells its variant; without one, the variant (`plan:7`,
 * `variant:4021`).
 */
export type RowCreation = { request: RowContractRequest; creates: string }

/** The contract to create for a row, or why the row is refused. Terms that the row leaves open come from the plan. */
export function contractRequestFromRow(
  requested: RequestedContract,
  known: Context
): RowCreation | { refusal: RowRefusal } {
  const customers =
    requested.customerId === null ? (known.byEmail.get(requested.email!.toLowerCase()) ?? []) : [requested.customerId]
  const [customerId, ...others] = customers.filter((id) => known.cards.has(id))
  const customerField = requested.customerId === null ? 'email' : 'customer_id'
  if (!customerId) return { refusal: refused('customer_not_found', customerField, 'The platform has no such customer') }
  if (others.length > 0) {
    return { refusal: refused('ambiguous_email', 'email', 'Several customers have this address; set customer_id') }
  }
  const { id: paymentMethodId, problem } = choosePaymentMethod(requested.paymentMethodId, known.cards.get(customerId)!)
  if (problem !== null) return { refusal: refused('no_payment_method', 'payment_method_id', problem) }

  const plan = requested.plan === null ? null : known.plans.find(requested.plan)
  if (plan === undefined) return { refusal: planNotFound() }
  const variantId = requested.variantId ?? plan?.platformVariantId
  if (!variantId) {
    return {
      refusal: refused('invalid_field', 'variant_id', 'variant_id is required: the plan sells several products')
    }
  }
  const currency = requested.currency ?? plan?.currency ?? known.currency
  if (currency !== known.currency) {
    return { refusal: refused('invalid_field', 'currency', `currency must be ${known.currency}, the shop's currency`) }
  }
  const request = {
    customerId,
    status: requested.status ?? (known.mode === 'paused' || requested.pausedUntil ? 'paused' : 'active'),
    currency,
    interval: requested.interval ?? plan!.interval,
    intervalCount: requested.intervalCount ?? (requested.interval ? 1 : plan!.intervalCount),
    maxCycles: requested.maxCycles,
    nextBillingAt: requested.nextBillingAt!,
    paymentMethodId,
    variantId,
    priceMinor: requested.price?.minor ?? plan!.priceMinor,
    sellingPlan: plan && { id: plan.platformSellingPlanId, name: plan.name }
  }
  const sold = plan ?? known.plans.findByVariant(variantId)
  return { request, creates: sold ? `plan:${sold.id}` : `variant:${variantId}` }
}
