import { listDefinitions } from '../../state/metafield-definitions.ts'
import { deleteMetafields, type Metafield, type MetafieldKey, nameOf } from '../../state/metafields.ts'
import { checkMayChangeMetafields } from '../../wire/access.ts'
import type { Api, Resolver, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { gid } from '../../wire/gid.ts'
import { findNode } from '../nodes.ts'
import { ownNamespace } from '../shop.ts'
import { userError } from '../user-errors.ts'
import { ownerEnumOf, ownerOf, storedOwner } from './owners.ts'
import { checkMetafields, digestOf, type MetafieldInput, writeMetafields } from './write-metafields.ts'

const MAX_ENTRIES = 25

type SetInput = MetafieldInput & { ownerId: string }

async function set(_root: unknown, args: { metafields: SetInput[] }, api: Api) {
  if (args.metafields.length > MAX_ENTRIES) {
    const many = `Exceeded the maximum metafields input limit of ${MAX_ENTRIES}.`
    return { metafields: null, userErrors: [userError(['metafields'], many, 'LESS_THAN_OR_EQUAL_TO')] }
  }
  const owners = new Map<string, string | null>()
  for (const { ownerId } of args.metafields) if (!owners.has(ownerId)) owners.set(ownerId, await ownerOf(api, ownerId))
  const types = [...owners.values()].flatMap((owner) => owner?.split('/')[0] ?? [])
  checkMayChangeMetafields(api.shop, 'metafieldsSet', types)
  const inputs = args.metafields.map((input) => ({ owner: owners.get(input.ownerId) ?? null, input }))
  return api.write(async (q, now) => {
    const at = (i: number, field?: string) => ['metafields', String(i), ...(field ? [field] : [])]
    const { entries, problems } = await checkMetafields(q, api, inputs, at)
    // All entries are written or none.
    if (problems.length > 0) return { metafields: [], userErrors: problems }
    return { metafields: await writeMetafields(q, api, entries, now), userErrors: [] }
  })
}

async function remove(
  _root: unknown,
  args: { metafields: { ownerId: string; namespace: string; key: string }[] },
  api: Api
) {
  const keys: MetafieldKey[] = []
  for (const [i, { ownerId, namespace, key }] of args.metafields.entries()) {
    const [ownerType, id] = (await ownerOf(api, ownerId))?.split('/') ?? []
    if (!ownerType || !id) {
      return {
        deletedMetafields: null,
        userErrors: [userError(['metafields', String(i), 'ownerId'], 'Owner does not exist.')]
      }
    }
    keys.push({ ownerType, ownerId: id, namespace: ownNamespace(namespace), key })
  }
  checkMayChangeMetafields(
    api.shop,
    'metafieldsDelete',
    keys.map(({ ownerType }) => ownerType)
  )
  const gone = await api.write((q) => deleteMetafields(q, api.shop.storeId, keys))
  return {
    deletedMetafields: keys.map((key, i) => (gone.has(nameOf(key)) ? args.metafields[i] : null)),
    userErrors: []
  }
}

type Owner = { __typename: string; id: string }

const one: Resolver = async (owner: Owner, args: { namespace?: string; key: string }, api: Api) => {
  const all = (await api.load.metafieldsOf.get(storedOwner(owner))) ?? []
  const namespace = args.namespace && ownNamespace(args.namespace)
  return all.find((found) => found.key === args.key && (!namespace || found.namespace === namespace)) ?? null
}

const many: Resolver = async (
  owner: Owner,
  args: PageArgs & { namespace?: string | null; keys?: string[] | null },
  api: Api
) => {
  const all = (await api.load.metafieldsOf.get(storedOwner(owner))) ?? []
  const wanted = all.filter(
    ({ namespace, key }) =>
      (!args.namespace || namespace === ownNamespace(args.namespace)) &&
      (!args.keys || args.keys.includes(`${namespace}.${key}`))
  )
  return pageOf(wanted, args)
}

/** A value as JSON: a number, parsed JSON, or the text, by the metafield's type. */
export function jsonValueOf({ type, value }: Pick<Metafield, 'type' | 'value'>): unknown {
  if (type === 'number_integer') return Number(value)
  return type === 'boolean' || type === 'json' || type.startsWith('list.') ? JSON.parse(value) : value
}

const fields = { metafield: one, metafields: many }

export const metafieldResolvers: Resolvers = {
  Mutation: { metafieldsSet: set, metafieldsDelete: remove },
  AppInstallation: fields,
  Collection: fields,
  Customer: fields,
  DiscountAutomaticNode: fields,
  DiscountCodeNode: fields,
  DiscountNode: fields,
  Order: fields,
  Product: fields,
  ProductVariant: fields,
  SellingPlan: fields,
  Shop: fields,
  Metafield: {
    compareDigest: ({ value }: Metafield) => digestOf(value),
    // As recorded: false is a text here, true is not.
    jsonValue: (found: Metafield) =>
      found.type === 'boolean' && found.value === 'false' ? 'false' : jsonValueOf(found),
    ownerType: ({ ownerType }: Metafield) => ownerEnumOf(ownerType),
    owner: ({ ownerType, ownerId }: Metafield, _args: unknown, api: Api) =>
      findNode(api, gid(api.shop, ownerType, ownerId)),
    definition: async ({ ownerType, namespace, key }: Metafield, _args: unknown, api: Api) => {
      const all = await listDefinitions(api.db.direct, api.shop.storeId)
      const owner = ownerEnumOf(ownerType)
      return (
        all.find((found) => found.ownerType === owner && found.namespace === namespace && found.key === key) ?? null
      )
    }
  }
}
