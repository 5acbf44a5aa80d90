import { isoOf } from '#kit/clock'
import { decimalOf } from '#kit/money'
import type { PlatformClient, SendOptions } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import { type CouponValue, valueInput } from './coupon-value.ts'
import {
  CodeByCode,
  CodeById,
  CodeCreate,
  CodeDeactivate,
  CodeDelete,
  CodesByIds,
  CodeUpdate,
  ShippingCodeCreate
} from './documents.ts'
import { createSharedDiscountsApi, type SharedDiscountsApi } from './shared-discounts.ts'

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

/** A code for one order of one customer. Without numbers of products and collections it is for all goods. */
export type NewCoupon = Omit<NewDiscountCode, 'amountMinor' | 'endsAt'> & {
  value: CouponValue
  productIds: string[]
  collectionIds: string[]
  /** What the goods have to cost; null for nothing. */
  minimumMinor: number | null
  /** Null: it does not end by itself. */
  endsAt: Temporal.Instant | null
}

/** `uses`: as the platform has counted so far; it counts a moment later. */
export type PlatformDiscountCode = { id: string; uses: number }

export type DiscountsApi = SharedDiscountsApi & {
  /**
   * Makes a code; a taken one is refused with the code `taken`. It goes with all other discounts, like a payment. It is only for what
   * is bought once: a subscription would take the amount off its renewals too.
   */
  createCode(code: NewDiscountCode, options?: SendOptions): Promise<PlatformResult<{ id: string }>>
  /** Makes the code of a coupon, as `createCode`. It is for what is bought once, too. */
  createCoupon(coupon: NewCoupon, options?: SendOptions): Promise<PlatformResult<{ id: string }>>
  /** Has a code for pieces of a product take off this amount, once. Safe to repeat. One that is gone is refused. */
  changeAmount(
    id: string,
    to: { amountMinor: number; productId: string; currency: string }
  ): Promise<PlatformResult<null>>
  /** Null where the platform has no such code. */
  findByCode(code: string): Promise<PlatformResult<PlatformDiscountCode | null>>
  findById(id: string): Promise<PlatformResult<PlatformDiscountCode | null>>
  /** Those of the codes that the platform has. */
  exist(ids: string[]): Promise<PlatformResult<Set<string>>>
  /** From now on no order can use it. Safe to repeat. One that is gone is refused. */
  deactivate(id: string): Promise<PlatformResult<null>>
  delete(id: string): Promise<PlatformResult<null>>
}

export function createDiscountsApi(client: PlatformClient): DiscountsApi {
  const gidOf = (id: string) => client.gid('DiscountCodeNode', id)
  return {
    ...createSharedDiscountsApi(client),
    createCode: (code, options) => {
      const { amountMinor, currency } = code
      const gets = { value: valueInput({ amountMinor }, currency), items: { all: true } }
      const input = { ...commonInput(client, code), customerGets: gets, combinesWith: ANY }
      return client.mutate(CodeCreate, { input }, idIn, options)
    },
    createCoupon: (coupon, options) => {
      const { value, currency, minimumMinor } = coupon
      const common = {
        ...commonInput(client, coupon),
        ...(minimumMinor !== null && {
          minimumRequirement: { subtotal: { greaterThanOrEqualToSubtotal: decimalOf(minimumMinor, currency) } }
        })
      }
      if ('isShipping' in value) {
        // The platform combines no two discounts of shipping.
        const combinesWith = { ...ANY, shippingDiscounts: false }
        const input = { ...common, destination: { all: true }, combinesWith }
        return client.mutate(ShippingCodeCreate, { input }, idIn, options)
      }
      const gets = { value: valueInput(value, currency), items: itemsInput(client, coupon) }
      return client.mutate(CodeCreate, { input: { ...common, customerGets: gets, combinesWith: ANY } }, idIn, options)
    },
    changeAmount: (id, { amountMinor, productId, currency }) => {
      const items = { products: { productsToAdd: [client.gid('Product', productId)] } }
      const input = { customerGets: { value: valueInput({ amountMinor }, currency), items } }
      return client.mutate(CodeUpdate, { id: gidOf(id), input }, () => null)
    },
    findByCode: (code) => client.query(CodeByCode, { code }, (data) => codeOf(data.atIfAny('codeDiscountNodeByCode'))),
    findById: (id) => client.query(CodeById, { id: gidOf(id) }, (data) => codeOf(data.atIfAny('codeDiscountNode'))),
    exist: (ids) => codesThere(client, ids),
    deactivate: (id) => client.mutate(CodeDeactivate, { id: gidOf(id) }, () => null),
    delete: (id) => client.mutate(CodeDelete, { id: gidOf(id) }, () => null)
  }
}

async function codesThere(client: PlatformClient, ids: string[]): Promise<PlatformResult<Set<string>>> {
  const found = await findByIds(client, 'DiscountCodeNode', CodesByIds, ids, (node) => ({ id: node.id('id') }))
  return found.ok ? succeeded(new Set(found.value.keys())) : found
}

const ANY = { orderDiscounts: true, productDiscounts: true, shippingDiscounts: true }

const idIn = (payload: Fields) => ({ id: payload.at('codeDiscountNode').id('id') })

const commonInput = (
  client: PlatformClient,
  {
    code,
    title,
    customerId,
    startsAt,
    endsAt
  }: Pick<NewCoupon, 'code' | 'title' | 'customerId' | 'startsAt' | 'endsAt'>
) => ({
  title,
  code,
  startsAt: isoOf(startsAt),
  ...(endsAt !== null && { endsAt: isoOf(endsAt) }),
  context: { customers: { add: [client.gid('Customer', customerId)] } },
  usageLimit: 1,
  appliesOncePerCustomer: true
})

function itemsInput(client: PlatformClient, { productIds, collectionIds }: NewCoupon) {
  if (productIds.length > 0) return { products: { productsToAdd: productIds.map((id) => client.gid('Product', id)) } }
  if (collectionIds.length === 0) return { all: true }
  return { collections: { add: collectionIds.map((id) => client.gid('Collection', id)) } }
}

/** A code of another kind has no count that the document asks for: it is none of ours, and nobody has used it for our credit. */
function codeOf(node: Fields | null): PlatformDiscountCode | null {
  if (!node) return null
  const discount = node.at('codeDiscount')
  return { id: node.id('id'), uses: discount.has('asyncUsageCount') ? discount.int('asyncUsageCount') : 0 }
}
