import { findBulkOperation } from '../state/bulk-operations.ts'
import { isCode } from '../state/discounts/discounts.ts'
import { findDraft } from '../state/drafts.ts'
import { findWebhookSubscriptions } from '../state/webhook-subscriptions.ts'
import { accessDenied, isGranted, scopeOfType } from '../wire/access.ts'
import type { Api, Resolver, Resolvers } from '../wire/api.ts'
import { invalidId, isNumericId, parseGid } from '../wire/gid.ts'

type Found = { __typename: string } | null | undefined
type Finder = (api: Api, id: string) => Promise<Found> | Found

const FINDERS: Record<string, Finder> = {
  Customer: (api, id) => api.load.customer.get(id),
  Order: (api, id) => api.load.order.get(id),
  OrderTransaction: (api, id) => api.load.transaction.get(id),
  Refund: (api, id) => api.load.refund.get(id),
  ShopifyPaymentsDispute: (api, id) => api.load.dispute.get(id),
  Product: (api, id) => api.load.product.get(id),
  ProductVariant: (api, id) => api.load.variant.get(id),
  Collection: (api, id) => api.load.collection.get(id),
  SellingPlanGroup: (api, id) => api.load.group.get(id),
  SellingPlan: (api, id) => api.load.plan.get(id),
  SubscriptionContract: (api, id) => api.load.contract.get(id),
  SubscriptionBillingAttempt: (api, id) => api.load.attempt.get(id),
  SubscriptionDraft: (api, id) => findDraft(api.db.direct, api.shop.storeId, id),
  GiftCard: (api, id) => api.load.giftCard.get(id),
  Segment: (api, id) => api.load.segment.get(id),
  StoreCreditAccount: (api, id) => api.load.creditAccount.get(id),
  BulkOperation: async (api, id) => findBulkOperation(api.db.direct, api.shop.storeId, id, await api.now()),
  WebhookSubscription: async (api, id) => (await findWebhookSubscriptions(api.db.direct, api.shop.storeId, [id]))[0],
  DiscountNode: (api, id) => discountNode(api, id, 'DiscountNode'),
  DiscountAutomaticNode: (api, id) => discountNode(api, id, 'DiscountAutomaticNode'),
  DiscountCodeNode: (api, id) => discountNode(api, id, 'DiscountCodeNode'),
  Shop: (api, id) => (id === api.shop.id ? { __typename: 'Shop', id } : null),
  AppInstallation: (api, id) => (id === api.shop.id ? { __typename: 'AppInstallation', id } : null)
}

async function discountNode(
  api: Api,
  id: string,
  type: 'DiscountNode' | 'DiscountCodeNode' | 'DiscountAutomaticNode'
): Promise<Found> {
  const found = await api.load.discount.get(id)
  if (!found || (type !== 'DiscountNode' && isCode(found) !== (type === 'DiscountCodeNode'))) return null
  return { __typename: type, ...found }
}

/** The object of a gid with its type name; null if it does not exist. */
export async function findNode(api: Api, text: string): Promise<Found> {
  const parsed = parseGid(api.shop, text)
  if (!parsed) throw invalidId()
  if (parsed.type === 'CustomerPaymentMethod') return api.load.paymentMethod.get(parsed.id)
  const finder = FINDERS[parsed.type]
  return finder && isNumericId(parsed.id) ? ((await finder(api, parsed.id)) ?? null) : null
}

/** The object of a gid for a query, which needs the scope of its type. */
async function readNode(api: Api, id: string, field: string): Promise<Found> {
  const found = await findNode(api, id)
  const scope = found ? scopeOfType(found.__typename) : null
  if (scope !== null && !isGranted(api.shop, scope)) throw accessDenied(field, scope)
  return found
}

const node: Resolver = (_root: unknown, { id }: { id: string }, api: Api) => readNode(api, id, 'node')
const nodes: Resolver = (_root: unknown, { ids }: { ids: string[] }, api: Api) =>
  // A promise for each, so that one that is denied is null by itself.
  ids.map((id) => readNode(api, id, 'nodes'))

export const nodeResolvers: Resolvers = { QueryRoot: { node, nodes } }
