import { queueWebhooks, webhookMessage } from '../outgoing/queue-webhooks.ts'
import { sellingPlanGroupPayload } from '../outgoing/selling-plan-payloads.ts'
import type { BillingPolicy, DeliveryPolicy } from '../state/contracts.ts'
import {
  deleteGroup,
  deletePlans,
  findGroups,
  findProducts,
  type GroupFields,
  insertGroup,
  listGroups,
  listPlans,
  type SellingPlan,
  type SellingPlanGroup,
  savePlans,
  updateGroup
} from '../state/products.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { numberIn } from '../wire/gid.ts'
import { moneyV2 } from '../wire/money.ts'
import { type GroupInput, plansFrom } from './selling-plan-input.ts'
import { type UserError, userError } from './user-errors.ts'

async function missingProducts(api: Api, ids: string[]): Promise<boolean> {
  return (await findProducts(api.db.direct, api.shop.storeId, ids)).length < new Set(ids).size
}

const noProduct = (field: string[]) => userError(field, 'Product does not exist.', 'PRODUCT_DOES_NOT_EXIST')
async function missingVariants(api: Api, ids: string[]): Promise<boolean> {
  return (await api.load.variant.list(ids)).length < new Set(ids).size
}

const noVariant = (field: string[]) =>
  userError(field, 'Product variant does not exist.', 'PRODUCT_VARIANT_DOES_NOT_EXIST')
const noGroup = () => userError(['id'], 'Selling plan group does not exist.', 'GROUP_DOES_NOT_EXIST')

async function create(
  _root: unknown,
  {
    input,
    resources
  }: { input: GroupInput; resources?: { productIds?: string[] | null; productVariantIds?: string[] | null } | null },
  api: Api
) {
  const refused = (problem: UserError) => ({ sellingPlanGroup: null, userErrors: [problem] })
  if (!input.name) return refused(userError(['input', 'name'], "Name can't be blank", 'BLANK'))
  const plans = plansFrom(api, input.sellingPlansToCreate ?? [], 'sellingPlansToCreate', new Map())
  if (!Array.isArray(plans)) return refused(plans)
  if (plans.length === 0) {
    const none = 'A selling plan group must have at least one selling plan.'
    return refused(userError(['input', 'sellingPlansToCreate'], none, 'SELLING_PLAN_COUNT_LOWER_BOUND'))
  }
  const productIds = (resources?.productIds ?? []).map((id) => numberIn(api.shop, 'Product', id))
  if (await missingProducts(api, productIds)) return refused(noProduct(['resources', 'productIds']))
  const variantIds = (resources?.productVariantIds ?? []).map((id) => numberIn(api.shop, 'ProductVariant', id))
  if (await missingVariants(api, variantIds)) return refused(noVariant(['resources', 'productVariantIds']))
  const group = await api.write(async (q, now) => {
    const inserted = await insertGroup(
      q,
      api.shop.storeId,
      {
        appId: input.appId ?? null,
        name: input.name!,
        merchantCode: input.merchantCode ?? input.name!.toLowerCase().replace(/[^a-z0-9]+/g, '-'),
        description: input.description ?? null,
        options: input.options ?? [],
        position: input.position ?? null,
        productIds,
        variantIds
      },
      now
    )
    await savePlans(q, api.shop.storeId, inserted.id, plans, now)
    const saved = await listPlans(q, api.shop.storeId, [inserted.id])
    const payload = sellingPlanGroupPayload(api.shop, inserted, saved)
    await queueWebhooks(q, api.shop, webhookMessage([{ topic: 'selling_plan_groups/create', payload }]), now)
    return inserted
  })
  return { sellingPlanGroup: group, userErrors: [] }
}

async function update(_root: unknown, { id, input }: { id: string; input: GroupInput }, api: Api) {
  const refused = (problem: UserError) => ({
    deletedSellingPlanIds: null,
    sellingPlanGroup: null,
    userErrors: [problem]
  })
  const groupId = numberIn(api.shop, 'SellingPlanGroup', id)
  const group = await api.load.group.get(groupId)
  if (!group) return refused(noGroup())
  const old = new Map(((await api.load.plansOf.get(groupId)) ?? []).map((plan) => [plan.id, plan]))
  const created = plansFrom(api, input.sellingPlansToCreate ?? [], 'sellingPlansToCreate', new Map())
  if (!Array.isArray(created)) return refused(created)
  const changed = plansFrom(api, input.sellingPlansToUpdate ?? [], 'sellingPlansToUpdate', old)
  if (!Array.isArray(changed)) return refused(changed)
  const dropped = (input.sellingPlansToDelete ?? []).map((planId) => numberIn(api.shop, 'SellingPlan', planId))
  const deleted = await api.write(async (q, now) => {
    const to: GroupFields = {
      // Null takes the app off the group, as recorded.
      appId: input.appId === undefined ? group.appId : input.appId,
      name: input.name ?? group.name,
      merchantCode: input.merchantCode ?? group.merchantCode,
      description: input.description === undefined ? group.description : input.description,
      options: input.options ?? group.options,
      position: input.position ?? group.position,
      productIds: group.productIds,
      variantIds: group.variantIds
    }
    await updateGroup(q, api.shop.storeId, groupId, to)
    await savePlans(q, api.shop.storeId, groupId, [...changed, ...created], now)
    const gone = await deletePlans(q, api.shop.storeId, groupId, dropped)
    const saved = await listPlans(q, api.shop.storeId, [groupId])
    const payload = sellingPlanGroupPayload(api.shop, { ...group, ...to }, saved)
    await queueWebhooks(q, api.shop, webhookMessage([{ topic: 'selling_plan_groups/update', payload }]), now)
    return gone
  })
  return {
    deletedSellingPlanIds: deleted.map((planId) => `gid://${api.shop.profile}/SellingPlan/${planId}`),
    sellingPlanGroup: await api.load.group.get(groupId),
    userErrors: []
  }
}

/** Adds products to a group, or removes them. */
function changeProducts(change: (old: string[], given: string[]) => string[]) {
  return async (_root: unknown, args: { id: string; productIds: string[] }, api: Api) => {
    const groupId = numberIn(api.shop, 'SellingPlanGroup', args.id)
    const given = args.productIds.map((id) => numberIn(api.shop, 'Product', id))
    const missing = await missingProducts(api, given)
    const group = await api.write(async (q) => {
      const [old] = await findGroups(q, api.shop.storeId, [groupId])
      if (!old || missing) return old ?? null
      const to = { ...old, productIds: change(old.productIds, given) }
      await updateGroup(q, api.shop.storeId, groupId, to)
      return { ...old, ...to }
    })
    const problems = !group ? [noGroup()] : missing ? [noProduct(['productIds'])] : []
    const removed = problems.length > 0 ? null : args.productIds
    return { sellingPlanGroup: problems.length > 0 ? null : group, removedProductIds: removed, userErrors: problems }
  }
}

/** The same for single variants. */
function changeVariants(change: (old: string[], given: string[]) => string[]) {
  return async (_root: unknown, args: { id: string; productVariantIds: string[] }, api: Api) => {
    const groupId = numberIn(api.shop, 'SellingPlanGroup', args.id)
    const given = args.productVariantIds.map((id) => numberIn(api.shop, 'ProductVariant', id))
    const missing = await missingVariants(api, given)
    const group = await api.write(async (q) => {
      const [old] = await findGroups(q, api.shop.storeId, [groupId])
      if (!old || missing) return old ?? null
      const to = { ...old, variantIds: change(old.variantIds, given) }
      await updateGroup(q, api.shop.storeId, groupId, to)
      return to
    })
    const problems = !group ? [noGroup()] : missing ? [noVariant(['productVariantIds'])] : []
    const isRefused = problems.length > 0
    return {
      sellingPlanGroup: isRefused ? null : group,
      removedProductVariantIds: isRefused ? null : args.productVariantIds,
      userErrors: problems
    }
  }
}

const union = (old: string[], given: string[]) => [...new Set([...old, ...given])]
const without = (old: string[], given: string[]) => old.filter((id) => !given.includes(id))

/** What a group offers, in a line: how often it delivers, and what is off. */
async function summaryOf({ id }: SellingPlanGroup, _args: unknown, api: Api): Promise<string> {
  const plans = (await api.load.plansOf.get(id)) ?? []
  const often = new Set(plans.map(({ deliveryPolicy: { interval, intervalCount } }) => `${intervalCount} ${interval}`))
    .size
  const off = plans.flatMap(({ pricingPolicies }) => pricingPolicies.flatMap(({ percentage }) => percentage ?? []))
  const [least, most] = [Math.min(...off), Math.max(...off)]
  const discount = off.length === 0 ? [] : [`${least === most ? least : `${least}-${most}`}% discount`]
  return [`${often} delivery ${often === 1 ? 'frequency' : 'frequencies'}`, ...discount].join(', ')
}

const variantsIn = async ({ variantIds }: SellingPlanGroup, productId: string | null | undefined, api: Api) => {
  const variants = await api.load.variant.list(variantIds)
  const product = productId ? numberIn(api.shop, 'Product', productId) : null
  return variants.filter((variant) => product === null || variant.productId === product)
}

async function remove(_root: unknown, { id }: { id: string }, api: Api) {
  const groupId = numberIn(api.shop, 'SellingPlanGroup', id)
  const gone = await api.write((q) => deleteGroup(q, api.shop.storeId, groupId))
  return gone
    ? { deletedSellingPlanGroupId: id, userErrors: [] }
    : { deletedSellingPlanGroupId: null, userErrors: [noGroup()] }
}

type Recurring = (BillingPolicy | DeliveryPolicy) & { createdAt: Temporal.Instant; cutoff: number | null }

export const sellingPlanResolvers: Resolvers = {
  QueryRoot: {
    sellingPlanGroup: (_root: unknown, { id }: { id: string }, api: Api) =>
      api.load.group.get(numberIn(api.shop, 'SellingPlanGroup', id)),
    sellingPlanGroups: async (_root: unknown, args: PageArgs, api: Api) =>
      pageOf(await listGroups(api.db.direct, api.shop.storeId), args)
  },
  Mutation: {
    sellingPlanGroupCreate: create,
    sellingPlanGroupUpdate: update,
    sellingPlanGroupDelete: remove,
    sellingPlanGroupAddProducts: changeProducts(union),
    sellingPlanGroupRemoveProducts: changeProducts(without),
    sellingPlanGroupAddProductVariants: changeVariants(union),
    sellingPlanGroupRemoveProductVariants: changeVariants(without)
  },
  SellingPlanGroup: {
    sellingPlans: async ({ id }: SellingPlanGroup, args: PageArgs, api: Api) =>
      pageOf((await api.load.plansOf.get(id)) ?? [], args),
    products: async ({ productIds }: SellingPlanGroup, args: PageArgs, api: Api) =>
      pageOf(await api.load.product.list(productIds), args),
    summary: summaryOf,
    appliesToProduct: ({ productIds }: SellingPlanGroup, args: { productId: string }, { shop }: Api) =>
      productIds.includes(numberIn(shop, 'Product', args.productId)),
    appliesToProductVariant: ({ variantIds }: SellingPlanGroup, args: { productVariantId: string }, { shop }: Api) =>
      variantIds.includes(numberIn(shop, 'ProductVariant', args.productVariantId)),
    appliesToProductVariants: async (group: SellingPlanGroup, args: { productId: string }, api: Api) =>
      (await variantsIn(group, args.productId, api)).length > 0,
    productVariants: async (group: SellingPlanGroup, args: PageArgs & { productId?: string | null }, api: Api) =>
      pageOf(await variantsIn(group, args.productId, api), args),
    productVariantsCount: async (group: SellingPlanGroup, args: { productId?: string | null }, api: Api) => ({
      count: (await variantsIn(group, args.productId, api)).length,
      precision: 'EXACT'
    }),
    productsCount: ({ productIds }: SellingPlanGroup) => ({ count: productIds.length, precision: 'EXACT' })
  },
  SellingPlan: {
    billingPolicy: ({ billingPolicy, createdAt }: SellingPlan) => ({
      __typename: 'SellingPlanRecurringBillingPolicy',
      ...billingPolicy,
      createdAt
    }),
    inventoryPolicy: ({ more }: SellingPlan) => ({ reserve: more.reserve ?? 'ON_FULFILLMENT' }),
    deliveryPolicy: ({ deliveryPolicy, createdAt, more }: SellingPlan): Recurring & { __typename: string } => ({
      __typename: 'SellingPlanRecurringDeliveryPolicy',
      cutoff: more.cutoff ?? null,
      ...deliveryPolicy,
      createdAt
    }),
    pricingPolicies: ({ pricingPolicies, createdAt }: SellingPlan, _args: unknown, { shop }: Api) =>
      pricingPolicies.map((policy) => ({
        __typename: `SellingPlan${policy.afterCycle === null ? 'Fixed' : 'Recurring'}PricingPolicy`,
        ...policy,
        adjustmentValue:
          policy.amountMinor === null
            ? { __typename: 'SellingPlanPricingPolicyPercentageValue', percentage: policy.percentage }
            : moneyV2(policy.amountMinor, shop.currency),
        createdAt
      }))
  },
  SellingPlanRecurringDeliveryPolicy: {
    intent: () => 'FULFILLMENT_BEGIN',
    preAnchorBehavior: () => 'ASAP'
  }
}
