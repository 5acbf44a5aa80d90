import { ofLowPriority, type PlatformClient, type Priority } from '../wire/client.ts'
import type { Fields } from '../wire/fields.ts'
import { findByIds } from '../wire/find-by-ids.ts'
import { type PlatformResult, succeeded } from '../wire/outcome.ts'
import {
  CustomerMetafields,
  DEFINITIONS_PER_CALL,
  DiscountMetafields,
  MetafieldDefinitions,
  MetafieldDefinitionsCreate,
  MetafieldsDelete,
  MetafieldsSet,
  ShopMetafields
} from './documents.ts'
import { METAFIELD_NAMESPACE, type Metafield, type MetafieldOwner, type MetafieldType } from './metafield.ts'

/** So many metafields are set by one call, all or none. */
export const MAX_METAFIELDS_PER_CALL = 25

/** A metafield on the platform. `digest` changes with its value; a writer states with it which value it has seen. */
export type FoundMetafield = { key: string; type: string; value: string; digest: string }

/** Where a metafield is; `ownerId`: the platform's number of a shop, customer or automatic discount. */
export type MetafieldPlace = { owner: MetafieldOwner; ownerId: string; key: string }

/** `seenDigest`: of the value that is there as far as we know, null for none. Another one is refused with the code `stale_object`. */
export type MetafieldToSet = MetafieldPlace & { type: MetafieldType; value: string; seenDigest: string | null }

/** The metafields of one owner, by key. */
export type MetafieldsByKey = Map<string, FoundMetafield>

export type MetafieldsApi = {
  /** Our metafields of the shop, and the shop's number. */
  findOfShop(
    keys: string[],
    priority?: Priority
  ): Promise<PlatformResult<{ shopId: string; metafields: MetafieldsByKey }>>
  /** By the platform's numbers, our metafields of customers or discounts; leaves out those that the platform does not have or show. */
  findMany(
    owner: 'customer' | 'discount',
    ids: string[],
    keys: string[],
    priority?: Priority
  ): Promise<PlatformResult<Map<string, MetafieldsByKey>>>
  /** Sets metafields, all or none, at most `MAX_METAFIELDS_PER_CALL`. Returns their digests in the same order. Safe to repeat. */
  set(entries: MetafieldToSet[]): Promise<PlatformResult<string[]>>
  /** Deletes metafields; one that is gone already is no error. */
  delete(places: MetafieldPlace[]): Promise<PlatformResult<null>>
  /**
   * Makes the definitions of metafields that the shop lacks. Returns, by key, why the platform refuses some, or that one exists with
   * another type. Safe to repeat.
   */
  define(metafields: readonly Metafield<unknown>[]): Promise<PlatformResult<Map<string, string>>>
}

const TYPES = { shop: 'Shop', customer: 'Customer', discount: 'DiscountAutomaticNode' } as const
const OWNER_TYPES = { shop: 'SHOP', customer: 'CUSTOMER', discount: 'DISCOUNT' } as const

/** Who reads a metafield besides apps (decisions of spec 3): themes the shop's, a customer their own, nobody those of discounts. */
const ACCESS = {
  shop: { storefront: 'PUBLIC_READ' },
  customer: { storefront: 'NONE', customerAccount: 'READ' },
  discount: { storefront: 'NONE' }
} as const

export function createMetafieldsApi(client: PlatformClient): MetafieldsApi {
  const of = (priority?: Priority) => (priority === 'low' ? ofLowPriority(client) : client)
  const named = (keys: string[]) => keys.map((key) => `${METAFIELD_NAMESPACE}.${key}`)
  const placeOf = ({ owner, ownerId, key }: MetafieldPlace) => ({
    ownerId: client.gid(TYPES[owner], ownerId),
    namespace: METAFIELD_NAMESPACE,
    key
  })
  return {
    findOfShop: (keys, priority) =>
      of(priority).query(ShopMetafields, { keys: named(keys) }, (data) => {
        const shop = data.at('shop')
        return { shopId: shop.id('id'), metafields: readMetafields(shop) }
      }),
    async findMany(owner, ids, keys, priority) {
      const found = await findByIds(
        of(priority),
        TYPES[owner],
        owner === 'customer' ? CustomerMetafields : DiscountMetafields,
        ids,
        (node) => ({ id: node.id('id'), metafields: readMetafields(node) }),
        { withheld: 'missing', variables: { keys: named(keys) } }
      )
      if (!found.ok) return found
      return succeeded(new Map([...found.value].map(([id, { metafields }]) => [id, metafields])))
    },
    set: (entries) =>
      client.mutate(
        MetafieldsSet,
        {
          metafields: entries.map(({ type, value, seenDigest, ...place }) => ({
            ...placeOf(place),
            type,
            value,
            compareDigest: seenDigest
          }))
        },
        (payload) => payload.list('metafields').map((one) => one.text('compareDigest'))
      ),
    delete: (places) => client.mutate(MetafieldsDelete, { metafields: places.map(placeOf) }, () => null),
    async define(metafields) {
      const refused = new Map<string, string>()
      for (const [owner, ofOwner] of Map.groupBy(metafields, (one) => one.owner)) {
        const defined = await defineOf(client, owner, ofOwner)
        // The access scope of one kind of owners may be missing.
        if (!defined.ok && defined.failure.code !== 'access_denied') return defined
        const why = defined.ok ? defined.value : new Map(ofOwner.map(({ key }) => [key, defined.failure.message]))
        for (const [key, message] of why) refused.set(key, message)
      }
      return succeeded(refused)
    }
  }
}

/** Makes the definitions of one kind of owners that the shop lacks. Returns, by key, what is wrong with the others. */
async function defineOf(
  client: PlatformClient,
  owner: MetafieldOwner,
  metafields: Metafield<unknown>[]
): Promise<PlatformResult<Map<string, string>>> {
  const of = { ownerType: OWNER_TYPES[owner], namespace: METAFIELD_NAMESPACE }
  const found = await client.query(MetafieldDefinitions, of, (data) => {
    const nodes = data.at('metafieldDefinitions').list('nodes')
    return new Map(nodes.map((one) => [one.text('key'), one.at('type').text('name')]))
  })
  if (!found.ok) return found
  const refused = new Map<string, string>()
  for (const { key, type } of metafields) {
    const there = found.value.get(key)
    if (there !== undefined && there !== type)
      refused.set(key, `it is defined with the type ${there}, and ${type} is needed`)
  }
  const lacking = metafields.filter(({ key }) => !found.value.has(key))
  for (let at = 0; at < lacking.length; at += DEFINITIONS_PER_CALL) {
    const asked = lacking.slice(at, at + DEFINITIONS_PER_CALL)
    // The document has a fixed number of them; one that comes twice is taken the second time.
    const all = Array.from({ length: DEFINITIONS_PER_CALL }, (_, i) => asked[i % asked.length]!)
    const variables = Object.fromEntries(all.map((one, i) => [`d${i}`, definitionOf(one)]))
    const made = await client.mutateEach(MetafieldDefinitionsCreate, variables, (payloads) => {
      for (const [i, { key }] of asked.entries()) {
        const error = payloads.at(`d${i}`).list('userErrors')[0]
        if (error && error.maybeText('code') !== 'TAKEN') refused.set(key, error.text('message'))
      }
    })
    if (!made.ok) return made
  }
  return succeeded(refused)
}

const definitionOf = ({ owner, key, type, name }: Metafield<unknown>) => ({
  name,
  namespace: METAFIELD_NAMESPACE,
  key,
  type,
  ownerType: OWNER_TYPES[owner],
  access: ACCESS[owner]
})

function readMetafields(owner: Fields): MetafieldsByKey {
  return new Map(
    owner
      .at('metafields')
      .list('nodes')
      .map((one) => [
        one.text('key'),
        { key: one.text('key'), type: one.text('type'), value: one.text('value'), digest: one.text('compareDigest') }
      ])
  )
}
