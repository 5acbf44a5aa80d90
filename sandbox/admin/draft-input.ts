import type { Anchor, Attribute, ContractStatus, ContractTerms, Interval } from '../state/contracts.ts'
import type { Api } from '../wire/api.ts'
import { parseGid } from '../wire/gid.ts'
import { amountFrom } from '../wire/money.ts'
import { anchorsFrom } from './selling-plan-input.ts'
import { type UserError, userError } from './user-errors.ts'

type PolicyInput = {
  interval: Interval
  intervalCount: number
  minCycles?: number | null
  maxCycles?: number | null
  anchors?: Partial<Anchor>[] | null
}
export type DraftInput = {
  status?: ContractStatus | null
  nextBillingDate?: Temporal.Instant | null
  billingPolicy?: PolicyInput | null
  deliveryPolicy?: PolicyInput | null
  deliveryPrice?: string | null
  paymentMethodId?: string | null
  note?: string | null
  customAttributes?: Attribute[] | null
}

/** The terms with the changes of an input, or the input's error. */
export async function termsFrom(
  api: Api,
  old: ContractTerms,
  input: DraftInput,
  currency: string,
  customerId: string
): Promise<ContractTerms | { problem: UserError }> {
  const to = { ...old }
  const problem = (field: string, message: string, code: string) => ({
    problem: userError(['input', field], message, code)
  })
  if (input.status) to.status = input.status
  if (input.nextBillingDate !== undefined) to.nextBillingAt = input.nextBillingDate?.toString() ?? null
  if (input.note !== undefined) to.note = input.note ?? null
  if (input.customAttributes) to.customAttributes = input.customAttributes
  for (const field of ['billingPolicy', 'deliveryPolicy'] as const) {
    const policy = input[field]
    if (!policy) continue
    if (policy.intervalCount < 1) return problem(field, 'Interval count must be greater than 0', 'GREATER_THAN')
    const { interval, intervalCount } = policy
    const anchors = anchorsFrom(policy.anchors as never)
    if (field === 'deliveryPolicy') to.deliveryPolicy = { interval, intervalCount, anchors }
    else {
      const { minCycles = null, maxCycles = null } = policy
      to.billingPolicy = { interval, intervalCount, minCycles, maxCycles, anchors }
    }
  }
  if (input.deliveryPrice != null) {
    const priceMinor = amountFrom(input.deliveryPrice, currency)
    if (priceMinor === null || priceMinor < 0) {
      return problem('deliveryPrice', 'Delivery price must be greater than or equal to 0', 'GREATER_THAN_OR_EQUAL_TO')
    }
    to.deliveryPriceMinor = priceMinor
  }
  if (input.paymentMethodId) {
    const parsed = parseGid(api.shop, input.paymentMethodId)
    const method = parsed?.type === 'CustomerPaymentMethod' ? await api.load.paymentMethod.get(parsed.id) : null
    if (method?.customerId !== customerId) {
      return problem('paymentMethodId', 'Payment method does not exist', 'MISSING_CUSTOMER_PAYMENT_METHOD')
    }
    to.paymentToken = method.id
  }
  return to
}
