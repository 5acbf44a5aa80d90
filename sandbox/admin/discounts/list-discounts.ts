import { GraphQLError } from 'graphql'
import { isCode } from '../../state/discounts/discounts.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import type { PageArgs } from '../../wire/connections.ts'
import { parseGid } from '../../wire/gid.ts'
import { countUpTo, type Listing, listing, matching } from '../../wire/pages.ts'
import { discountIn, discountOfCode, nodeOf } from './write-discounts.ts'

const comparisons = (expression: string, field: string, type: string) =>
  Object.entries({ gt: '>', gte: '>=', lt: '<', lte: '<=', eq: '=' }).map(
    ([word, sign]) =>
      `($6::jsonb->>'${field}_${word}' is null or ${expression} ${sign} ($6::jsonb->>'${field}_${word}')::${type})`
  )

const STATUS = `case when ends_at <= ($6::jsonb->>'now')::timestamptz then 'expired'
                     when starts_at > ($6::jsonb->>'now')::timestamptz then 'scheduled' else 'active' end`
const TYPE = `case when kind like '%App' then 'app' when kind like '%Bxgy' then 'bxgy'
                   when kind like '%FreeShipping' then 'free_shipping'
                   when jsonb_typeof(body#>'{customerGets,value,percentage}') = 'number' then 'percentage' else 'fixed_amount' end`
const type = (field: string) =>
  `($6::jsonb->>'${field}_eq' is null or lower($6::jsonb->>'${field}_eq') in ('all', 'all_with_app', ${TYPE}))`

const DISCOUNTS: Listing = {
  table: 'sandbox.discounts',
  sorts: {
    CREATED_AT: 'created_at',
    UPDATED_AT: 'updated_at',
    STARTS_AT: 'starts_at',
    ENDS_AT: 'ends_at',
    TITLE: 'title',
    RELEVANCE: 'created_at'
  },
  where: [
    `($6::jsonb->>'of' is null or starts_with(kind, 'Discount' || ($6::jsonb->>'of')))`,
    `($6::jsonb->>'method_eq' is null or starts_with(lower(kind), 'discount' || lower($6::jsonb->>'method_eq')))`,
    `($6::jsonb->>'status_eq' is null or lower($6::jsonb->>'status_eq') = ${STATUS})`,
    `($6::jsonb->>'discount_class_eq' is null or upper($6::jsonb->>'discount_class_eq') = any(classes))`,
    type('discount_type'),
    type('type'),
    `($6::jsonb->>'title_eq' is null or lower(title) = lower($6::jsonb->>'title_eq'))`,
    `($6::jsonb->>'tag_eq' is null or exists (
       select from jsonb_array_elements_text(coalesce(nullif(body->'tags', 'null'), '[]')) tag
        where lower(tag) = lower($6::jsonb->>'tag_eq')))`,
    `($6::jsonb->>'code_eq' is null or id in (
       select discount_id from sandbox.redeem_codes
        where store_id = $1 and lower(code) = lower($6::jsonb->>'code_eq')))`,
    `($6::jsonb->>'text' is null or position(lower($6::jsonb->>'text') in lower(title)) > 0)`,
    ...comparisons('usage_count', 'times_used', 'bigint'),
    ...comparisons('starts_at', 'starts_at', 'timestamptz'),
    ...comparisons('ends_at', 'ends_at', 'timestamptz')
  ].join('\n               and ')
}

const pageOfDiscounts = listing(DISCOUNTS)
const matchingDiscounts = matching(DISCOUNTS)

type Method = 'Code' | 'Automatic'
type ListArgs = PageArgs & { query?: string | null; sortKey?: string | null }

/** A page of discounts, of one method or of both. */
async function page(api: Api, args: ListArgs, method: Method | null, typeName?: string) {
  const more = await moreOf(api, method)
  return pageOfDiscounts(
    api.db.direct,
    api.shop.storeId,
    args,
    async (ids) =>
      (await api.load.discount.list(ids)).map((found) =>
        typeName ? { ...found, __typename: typeName } : nodeOf(found)
      ),
    more
  )
}

async function moreOf(api: Api, method: Method | null): Promise<Record<string, string>> {
  return { now: (await api.now()).toString(), ...(method && { of: method }) }
}

/** At most so many discounts change together. */
const MOST = 25_000

/** The ids of all discounts that a search finds. */
export async function searchDiscounts(api: Api, method: Method | null, query: string | null, most = MOST) {
  return matchingDiscounts(api.db.direct, api.shop.storeId, { query, most }, await moreOf(api, method))
}

async function count(
  api: Api,
  method: Method | null,
  { query, limit }: { query?: string | null; limit?: number | null }
) {
  const most = limit ?? 10_000
  return countUpTo((await searchDiscounts(api, method, query ?? null, most + 1)).length, most)
}

/** A node of one method; the gid of another is an error of the field. */
const ofMethod =
  (method: Method, node: string) =>
  async (_root: unknown, { id }: { id: string }, api: Api) => {
    if (!['DiscountNode', node].includes(parseGid(api.shop, id)?.type ?? '')) {
      throw new GraphQLError(`Invalid id: ${id}`, { extensions: { code: 'RESOURCE_NOT_FOUND' } })
    }
    const found = await discountIn(api, id)
    return found && isCode(found) === (method === 'Code') ? nodeOf(found) : null
  }

export const discountQueries: Resolvers[string] = {
  codeDiscountNode: ofMethod('Code', 'DiscountCodeNode'),
  automaticDiscountNode: ofMethod('Automatic', 'DiscountAutomaticNode'),
  codeDiscountNodeByCode: async (_root: unknown, { code }: { code: string }, api: Api) => {
    const found = await discountOfCode(api, code)
    return found && nodeOf(found)
  },
  discountNode: async (_root: unknown, { id }: { id: string }, api: Api) => {
    const found = await discountIn(api, id)
    return found && { ...found, __typename: 'DiscountNode' }
  },
  discountNodes: (_root: unknown, args: ListArgs, api: Api) => page(api, args, null, 'DiscountNode'),
  codeDiscountNodes: (_root: unknown, args: ListArgs, api: Api) => page(api, args, 'Code'),
  automaticDiscountNodes: (_root: unknown, args: ListArgs, api: Api) => page(api, args, 'Automatic'),
  discountNodesCount: (_root: unknown, args: ListArgs & { limit?: number }, api: Api) => count(api, null, args),
  discountCodesCount: (_root: unknown, args: ListArgs & { limit?: number }, api: Api) => count(api, 'Code', args)
}
