import { type Discount, isCode } from '../../state/discounts/discounts.ts'
import type { RedeemCode } from '../../state/discounts/redeem-codes.ts'
import type { Api, Resolver, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { gid, numberIn } from '../../wire/gid.ts'
import { amountFrom, moneyV2 } from '../../wire/money.ts'
import { listing } from '../../wire/pages.ts'
import { bulkCreationResolvers, bulkMutations } from './bulk-changes.ts'
import { appDiscountType, functionResolvers } from './functions.ts'
import { discountQueries } from './list-discounts.ts'
import {
  combinesWith,
  context,
  customerBuys,
  customerGets,
  customerSelection,
  destinationSelection,
  minimumRequirement,
  shortSummary,
  status,
  summary
} from './present-discount.ts'
import { createDiscount, deleteDiscount, shown, switchDiscount, updateDiscountOf } from './write-discounts.ts'

const pageOfCodes = listing({
  table: 'sandbox.redeem_codes',
  sorts: { CODE: 'code', CREATED_AT: 'created_at' },
  where: `discount_id = ($6::jsonb->>'of')::bigint
               and ($6::jsonb->>'text' is null or starts_with(lower(code), lower($6::jsonb->>'text')))`
})

const codes: Resolver = ({ id }: Discount, args: PageArgs & { query?: string; sortKey?: string }, api: Api) =>
  pageOfCodes(api.db.direct, api.shop.storeId, args, (ids) => api.load.redeemCode.list(ids), { of: id })

const codesCount: Resolver = async ({ id }: Discount, _args: unknown, api: Api) => ({
  count: (await api.load.codesCount.get(id))?.count ?? 0,
  precision: 'EXACT'
})

const common = {
  asyncUsageCount: ({ usageCount }: Discount) => usageCount,
  combinesWith,
  context,
  discountClass: ({ classes }: Discount) => classes[0] ?? 'ORDER',
  discountClasses: ({ classes }: Discount) => classes,
  status,
  tags: ({ body }: Discount) => body.tags ?? []
}
const ofCode = {
  ...common,
  appliesOncePerCustomer: ({ body }: Discount) => body.appliesOncePerCustomer ?? false,
  usageLimit: ({ body }: Discount) => body.usageLimit ?? null,
  codes,
  codesCount,
  customerSelection
}
const cycles = { recurringCycleLimit: ({ body }: Discount) => body.recurringCycleLimit ?? 1 }
const basic = { ...cycles, customerGets, minimumRequirement, shortSummary, summary }
const bxgy = {
  customerBuys,
  customerGets,
  summary,
  usesPerOrderLimit: ({ body }: Discount) => (body.usesPerOrderLimit == null ? null : Number(body.usesPerOrderLimit))
}
/** A discount of a function reduces what is bought once and subscriptions unless it is told otherwise; shipping only the first. */
const appliesOn = (subscriptions: boolean) => ({
  appliesOnOneTimePurchase: ({ body }: Discount) => body.appliesOnOneTimePurchase ?? true,
  appliesOnSubscription: ({ body }: Discount) => body.appliesOnSubscription ?? subscriptions
})
const freeShipping = {
  ...cycles,
  ...appliesOn(false),
  destinationSelection,
  maximumShippingPrice: ({ body }: Discount, _args: unknown, { shop: { currency } }: Api) =>
    body.maximumShippingPrice == null ? null : moneyV2(amountFrom(body.maximumShippingPrice, currency) ?? 0, currency),
  minimumRequirement,
  shortSummary,
  summary
}
const nodeId = (discount: Discount, _args: unknown, { shop }: Api) =>
  gid(shop, isCode(discount) ? 'DiscountCodeNode' : 'DiscountAutomaticNode', discount.id)
const app = { ...cycles, ...appliesOn(true), appDiscountType, discountId: nodeId }
const used = { usageCount: ({ usageCount }: Discount) => usageCount }

export const discountResolvers: Resolvers = {
  ...bulkCreationResolvers,
  ...functionResolvers,
  QueryRoot: { ...discountQueries, ...bulkCreationResolvers.QueryRoot, ...functionResolvers.QueryRoot },
  Mutation: {
    ...bulkMutations,
    discountCodeBasicCreate: createDiscount('DiscountCodeBasic'),
    discountCodeBasicUpdate: updateDiscountOf('DiscountCodeBasic'),
    discountCodeBxgyCreate: createDiscount('DiscountCodeBxgy'),
    discountCodeBxgyUpdate: updateDiscountOf('DiscountCodeBxgy'),
    discountCodeFreeShippingCreate: createDiscount('DiscountCodeFreeShipping'),
    discountCodeFreeShippingUpdate: updateDiscountOf('DiscountCodeFreeShipping'),
    discountCodeAppCreate: createDiscount('DiscountCodeApp'),
    discountCodeAppUpdate: updateDiscountOf('DiscountCodeApp'),
    discountCodeActivate: switchDiscount('Code', true),
    discountCodeDeactivate: switchDiscount('Code', false),
    discountCodeDelete: deleteDiscount('Code'),
    discountAutomaticBasicCreate: createDiscount('DiscountAutomaticBasic'),
    discountAutomaticBasicUpdate: updateDiscountOf('DiscountAutomaticBasic'),
    discountAutomaticBxgyCreate: createDiscount('DiscountAutomaticBxgy'),
    discountAutomaticBxgyUpdate: updateDiscountOf('DiscountAutomaticBxgy'),
    discountAutomaticFreeShippingCreate: createDiscount('DiscountAutomaticFreeShipping'),
    discountAutomaticFreeShippingUpdate: updateDiscountOf('DiscountAutomaticFreeShipping'),
    discountAutomaticAppCreate: createDiscount('DiscountAutomaticApp'),
    discountAutomaticAppUpdate: updateDiscountOf('DiscountAutomaticApp'),
    discountAutomaticActivate: switchDiscount('Automatic', true),
    discountAutomaticDeactivate: switchDiscount('Automatic', false),
    discountAutomaticDelete: deleteDiscount('Automatic')
  },
  DiscountCodeNode: { codeDiscount: shown },
  DiscountAutomaticNode: { automaticDiscount: shown },
  // The platform calls it by the type that it has.
  DiscountNode: { id: nodeId, discount: shown },
  DiscountCodeBasic: { ...ofCode, ...basic },
  DiscountCodeBxgy: { ...ofCode, ...bxgy },
  DiscountCodeFreeShipping: { ...ofCode, ...freeShipping },
  DiscountCodeApp: { ...ofCode, ...app },
  DiscountAutomaticBasic: { ...common, ...used, ...basic },
  DiscountAutomaticBxgy: { ...common, ...used, ...bxgy, id: nodeId },
  DiscountAutomaticFreeShipping: { ...common, ...freeShipping },
  DiscountAutomaticApp: { ...common, ...app },
  DiscountRedeemCode: { asyncUsageCount: ({ usageCount }: RedeemCode) => usageCount },
  DiscountPurchaseAmount: {
    amount: ({ amount, currency }: { amount: string; currency: string }) =>
      moneyV2(amountFrom(amount, currency) ?? 0, currency)
  },
  DiscountProducts: {
    products: async ({ ids }: { ids: string[] }, args: PageArgs, api: Api) =>
      pageOf(await api.load.product.list(ids.map((id) => numberIn(api.shop, 'Product', id))), args),
    productVariants: async ({ variantIds }: { variantIds: string[] }, args: PageArgs, api: Api) =>
      pageOf(await api.load.variant.list(variantIds.map((id) => numberIn(api.shop, 'ProductVariant', id))), args)
  },
  DiscountCollections: {
    collections: async ({ ids }: { ids: string[] }, args: PageArgs, api: Api) =>
      pageOf(await api.load.collection.list(ids.map((id) => numberIn(api.shop, 'Collection', id))), args)
  }
}
