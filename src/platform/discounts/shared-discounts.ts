import { isoOf } from '#kit/clock'
import { decimalOf } from '#kit/money'
import type { PlatformClient, SendOptions } from '../wire/client.ts'
import type { PlatformResult } from '../wire/outcome.ts'
import { type CouponValue, valueInput } from './coupon-value.ts'
import {
  CodeActivate,
  CodeCreate,
  CodeUpdate,
  RedeemCodesAdd,
  RedeemCodesAdded,
  ShippingCodeCreate,
  ShippingCodeUpdate
} from './documents.ts'

/** What a discount with many codes takes off. Each customer uses one of its codes, once. Without a product it is for all goods. */
export type SharedDiscount = {
  title: string
  value: CouponValue
  productIds: string[]
  /** What the goods have to cost; null for nothing. */
  minimumMinor: number | null
  currency: string
}

/** What became of a code: `added` to the discount, or refused, as one is that the shop has already. */
export type AddedCode = { code: string; isAdded: boolean; problem: string | null }

/** So many codes are added in one call. */
export const MAX_CODES_PER_CALL = 100

export type SharedDiscountsApi = {
  /** Makes a discount with its first code; a taken one is refused with the code `taken`. */
  createShared(
    discount: SharedDiscount & { code: string; startsAt: Temporal.Instant },
    options?: SendOptions
  ): Promise<PlatformResult<{ id: string }>>
  /**
   * Makes the discount like this one, without an end; its codes stay. `goneProductIds`: products that it may be for and is not to be any more. Safe to
   * repeat. One that is gone is refused.
   */
  updateShared(
    id: string,
    discount: SharedDiscount & { goneProductIds: string[] },
    options?: SendOptions
  ): Promise<PlatformResult<null>>
  /** From now on it can be used, without an end. Safe to repeat. */
  activate(id: string, options?: SendOptions): Promise<PlatformResult<null>>
  /** Adds codes, at most `MAX_CODES_PER_CALL`, a moment later. Returns the number under which the platform says what became of them. */
  addCodes(id: string, codes: string[], options?: SendOptions): Promise<PlatformResult<string>>
  /** What became of added codes; `pending` while they wait, null where the platform knows nothing of it. */
  findAddedCodes(additionId: string): Promise<PlatformResult<AddedCode[] | 'pending' | null>>
}

export function createSharedDiscountsApi(client: PlatformClient): SharedDiscountsApi {
  const gidOf = (id: string) => client.gid('DiscountCodeNode', id)
  return {
    createShared(discount, options) {
      const { code, startsAt, value } = discount
      const input = { ...inputOf(client, discount, []), code, startsAt: isoOf(startsAt) }
      const document = 'isShipping' in value ? ShippingCodeCreate : CodeCreate
      return client.mutate(document, { input }, (payload) => ({ id: payload.at('codeDiscountNode').id('id') }), options)
    },
    updateShared(id, discount, options) {
      // The platform checks the end of one that was ended, though it is to have none.
      const input = { ...inputOf(client, discount, discount.goneProductIds), endsAt: null }
      const document = 'isShipping' in discount.value ? ShippingCodeUpdate : CodeUpdate
      return client.mutate(document, { id: gidOf(id), input }, () => null, options)
    },
    activate: (id, options) => client.mutate(CodeActivate, { id: gidOf(id) }, () => null, options),
    addCodes: (id, codes, options) =>
      client.mutate(
        RedeemCodesAdd,
        { id: gidOf(id), codes: codes.map((code) => ({ code })) },
        (payload) => payload.at('bulkCreation').id('id'),
        options
      ),
    findAddedCodes: (additionId) =>
      client.query(RedeemCodesAdded, { id: client.gid('DiscountRedeemCodeBulkCreation', additionId) }, (data) => {
        const addition = data.atIfAny('discountRedeemCodeBulkCreation')
        if (!addition) return null
        if (!addition.flag('done')) return 'pending'
        return addition
          .at('codes')
          .list('nodes')
          .map((one) => ({
            code: one.text('code'),
            isAdded: one.has('discountRedeemCode'),
            problem: one.list('errors')[0]?.maybeText('message') ?? null
          }))
      })
  }
}

/** A discount of shipping cannot go with another one. Like all codes of ours it is only for what is bought once. */
function inputOf(client: PlatformClient, discount: SharedDiscount, goneProductIds: string[]) {
  const { title, value, productIds, minimumMinor, currency } = discount
  const isShipping = 'isShipping' in value
  return {
    title,
    context: { all: 'ALL' },
    appliesOncePerCustomer: true,
    minimumRequirement:
      minimumMinor === null ? null : { subtotal: { greaterThanOrEqualToSubtotal: decimalOf(minimumMinor, currency) } },
    combinesWith: { orderDiscounts: true, productDiscounts: true, shippingDiscounts: !isShipping },
    ...(isShipping
      ? { destination: { all: true } }
      : { customerGets: { value: valueInput(value, currency), items: itemsOf(client, productIds, goneProductIds) } })
  }
}

function itemsOf(client: PlatformClient, productIds: string[], goneProductIds: string[]) {
  if (productIds.length === 0) return { all: true }
  const gids = (ids: string[]) => ids.map((id) => client.gid('Product', id))
  return {
    products: {
      productsToAdd: gids(productIds),
      ...(goneProductIds.length > 0 && { productsToRemove: gids(goneProductIds) })
    }
  }
}
