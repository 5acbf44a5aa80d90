import { isoOf } from '#kit/clock'
import { decimalOf } from '#kit/money'
import type { PlatformClient, SendOptions } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { CodeByCode, CodeById, CodeCreate, CodeDeactivate, CodeDelete } from './documents.ts'

/** A code that takes an amount off one order of one customer, once. */
export type NewDiscountCode = {
  code: string
  title: string
  customerId: string
  amountMinor: number
  currency: string
  startsAt: Temporal.Instant
  endsAt: Temporal.Instant
}

/** `uses`: as the platform has counted so far; it counts a moment later. */
export type PlatformDiscountCode = { id: string; uses: number }

export type DiscountsApi = {
  /**
   * Makes a code; a taken one is refused with the code `taken`. It goes with all other discounts, like a payment. It is only for what
   * is bought once: a subscription would take the amount off its renewals too.
   */
  createCode(code: NewDiscountCode, options?: SendOptions): Promise<PlatformResult<{ id: string }>>
  /** Null where the platform has no such code. */
  findByCode(code: string): Promise<PlatformResult<PlatformDiscountCode | null>>
  findById(id: string): Promise<PlatformResult<PlatformDiscountCode | null>>
  /** From now on no order can use it. Safe to repeat. One that is gone is refused. */
  deactivate(id: string): Promise<PlatformResult<null>>
  delete(id: string): Promise<PlatformResult<null>>
}

export function createDiscountsApi(client: PlatformClient): DiscountsApi {
  const gidOf = (id: string) => client.gid('DiscountCodeNode', id)
  return {
    createCode({ code, title, customerId, amountMinor, currency, startsAt, endsAt }, options) {
      const input = {
        title,
        code,
        startsAt: isoOf(startsAt),
        endsAt: isoOf(endsAt),
        context: { customers: { add: [client.gid('Customer', customerId)] } },
        customerGets: {
          value: { discountAmount: { amount: decimalOf(amountMinor, currency), appliesOnEachItem: false } },
          items: { all: true }
        },
        usageLimit: 1,
        appliesOncePerCustomer: true,
        combinesWith: { orderDiscounts: true, productDiscounts: true, shippingDiscounts: true }
      }
      return client.mutate(
        CodeCreate,
        { input },
        (payload) => ({ id: payload.at('codeDiscountNode').id('id') }),
        options
      )
    },
    findByCode: (code) => client.query(CodeByCode, { code }, (data) => codeOf(data.atIfAny('codeDiscountNodeByCode'))),
    findById: (id) => client.query(CodeById, { id: gidOf(id) }, (data) => codeOf(data.atIfAny('codeDiscountNode'))),
    deactivate: (id) => client.mutate(CodeDeactivate, { id: gidOf(id) }, () => null),
    delete: (id) => client.mutate(CodeDelete, { id: gidOf(id) }, () => null)
  }
}

/** A code of another kind has no count that the document asks for: it is none of ours, and nobody has used it for our credit. */
function codeOf(node: Fields | null): PlatformDiscountCode | null {
  if (!node) return null
  const discount = node.at('codeDiscount')
  return { id: node.id('id'), uses: discount.has('asyncUsageCount') ? discount.int('asyncUsageCount') : 0 }
}
