import { createHash } from 'node:crypto'
import type { Queries } from '#kit/postgres'
import {
  type Definition,
  deleteMetafields,
  insertDefinition,
  listMetafields,
  type Metafield,
  type MetafieldEntry,
  type MetafieldKey,
  nameOf,
  saveMetafields
} from '../state/metafields.ts'
import type { Api, Resolver, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { gid, parseGid } from '../wire/gid.ts'
import { entryProblem } from './metafield-rules.ts'
import { findNode } from './nodes.ts'
import { type UserError, userError } from './user-errors.ts'

/** Types that can have metafields: the name in the database, and the name in the API's enum of owners. */
const OWNERS: Record<string, { stored: string; owner: string }> = {
  AppInstallation: { stored: 'AppInstallation', owner: 'API_PERMISSION' },
  Collection: { stored: 'Collection', owner: 'COLLECTION' },
  Customer: { stored: 'Customer', owner: 'CUSTOMER' },
  // A discount has three gids.
  DiscountNode: { stored: 'DiscountNode', owner: 'DISCOUNT' },
  DiscountCodeNode: { stored: 'DiscountNode', owner: 'DISCOUNT' },
  DiscountAutomaticNode: { stored: 'DiscountNode', owner: 'DISCOUNT' },
  Order: { stored: 'Order', owner: 'ORDER' },
  Product: { stored: 'Product', owner: 'PRODUCT' },
  ProductVariant: { stored: 'ProductVariant', owner: 'PRODUCTVARIANT' },
  SellingPlan: { stored: 'SellingPlan', owner: 'SELLING_PLAN' },
  Shop: { stored: 'Shop', owner: 'SHOP' }
}
const MAX_ENTRIES = 25

/** Changes with the value, so that a writer can state which value it has read. */
function digestOf(value: string): string {
  return createHash('sha256').update(value).digest('hex')
}

type SetInput = {
  ownerId: string
  namespace?: string | null
  key: string
  type?: string | null
  value: string
  compareDigest?: string | null
}

async function set(_root: unknown, args: { metafields: SetInput[] }, api: Api) {
  if (args.metafields.length > MAX_ENTRIES) {
    const many = `Exceeded the maximum metafields input limit of ${MAX_ENTRIES}.`
    return { metafields: null, userErrors: [userError(['metafields'], many, 'LESS_THAN_OR_EQUAL_TO')] }
  }
  return api.write(async (q, now) => {
    const { entries, problems } = await entriesFrom(q, api, args.metafields)
    // All entries are written or none.
    if (problems.length > 0) return { metafields: [], userErrors: problems }
    await saveMetafields(q, api.shop.storeId, entries, now)
    const owners = [...new Set(entries.map(({ ownerType, ownerId }) => `${ownerType}/${ownerId}`))]
    const saved = new Map((await listMetafields(q, api.shop.storeId, owners)).map((found) => [nameOf(found), found]))
    return { metafields: entries.map((entry) => saved.get(nameOf(entry))), userErrors: [] }
  })
}

async function entriesFrom(q: Queries, api: Api, inputs: SetInput[]) {
  const owners = new Map<string, string>()
  for (const { ownerId } of inputs) {
    const owner = await ownerOf(api, ownerId)
    if (owner) owners.set(ownerId, owner)
  }
  const known = new Map(
    (await listMetafields(q, api.shop.storeId, [...new Set(owners.values())])).map((found) => [nameOf(found), found])
  )
  const entries: MetafieldEntry[] = []
  const problems: UserError[] = []
  for (const [i, input] of inputs.entries()) {
    const at = (field: string) => ['metafields', String(i), field]
    const [ownerType, ownerId] = owners.get(input.ownerId)?.split('/') ?? []
    if (!ownerType || !ownerId) {
      problems.push(userError(at('ownerId'), 'Owner does not exist.', 'INVALID_VALUE'))
      continue
    }
    const namespace = input.namespace ?? `app--${2525000003}`
    const old = known.get(nameOf({ ownerType, ownerId, namespace, key: input.key }))
    const type = input.type ?? old?.type ?? ''
    const entry = { ownerType, ownerId, namespace, key: input.key, type, value: input.value }
    const problem = entryProblem(entry, at)
    if (problem) problems.push(problem)
    else if (input.compareDigest !== undefined && input.compareDigest !== (old ? digestOf(old.value) : null)) {
      const stale =
        'The resource has been updated since it was loaded. Try again with an updated `compareDigest` value.'
      problems.push(userError(['metafields', String(i)], stale, 'STALE_OBJECT'))
    }
    entries.push(entry)
  }
  return { entries, problems }
}

/** `Type/id` of an owner that exists. */
async function ownerOf(api: Api, text: string): Promise<string | null> {
  const parsed = parseGid(api.shop, text)
  const owner = parsed && OWNERS[parsed.type]
  return owner && (await findNode(api, text)) ? `${owner.stored}/${parsed.id}` : null
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
    keys.push({ ownerType, ownerId: id, namespace, key })
  }
  const gone = await api.write((q) => deleteMetafields(q, api.shop.storeId, keys))
  return {
    deletedMetafields: keys.map((key, i) => (gone.has(nameOf(key)) ? args.metafields[i] : null)),
    userErrors: []
  }
}

type DefinitionInput = {
  name: string
  namespace?: string | null
  key: string
  ownerType: string
  type: string
  access?: Partial<Definition['access']> | null
}

async function define(_root: unknown, { definition: input }: { definition: DefinitionInput }, api: Api) {
  const definition = {
    ownerType: input.ownerType,
    namespace: input.namespace ?? 'app--2525000003',
    key: input.key,
    name: input.name,
    typeName: input.type,
    access: {
      admin: input.access?.admin ?? 'PUBLIC_READ_WRITE',
      storefront: input.access?.storefront ?? 'NONE',
      customerAccount: input.access?.customerAccount ?? 'NONE'
    }
  }
  const createdDefinition = await api.write((q) => insertDefinition(q, api.shop.storeId, definition))
  if (createdDefinition) return { createdDefinition, userErrors: [] }
  const taken = `Key is in use for ${input.ownerType} metafields on the '${definition.namespace}' namespace.`
  return { createdDefinition: null, userErrors: [userError(['definition', 'key'], taken, 'TAKEN')] }
}

type Owner = { __typename: string; id: string }

function storedOwner({ __typename, id }: Owner): string {
  return `${OWNERS[__typename]!.stored}/${id}`
}

const one: Resolver = async (owner: Owner, args: { namespace?: string; key: string }, api: Api) =>
  ((await api.load.metafieldsOf.get(storedOwner(owner))) ?? []).find(
    (found) => found.key === args.key && (!args.namespace || found.namespace === args.namespace)
  ) ?? null

const many: Resolver = async (
  owner: Owner,
  args: PageArgs & { namespace?: string | null; keys?: string[] | null },
  api: Api
) => {
  const all = (await api.load.metafieldsOf.get(storedOwner(owner))) ?? []
  const wanted = all.filter(
    ({ namespace, key }) =>
      (!args.namespace || namespace === args.namespace) && (!args.keys || args.keys.includes(`${namespace}.${key}`))
  )
  return pageOf(wanted, args)
}

/** The API's `jsonValue`: a number, parsed JSON, or the text, by the metafield's type. */
export function jsonValueOf({ type, value }: Pick<Metafield, 'type' | 'value'>): unknown {
  if (type === 'number_integer') return Number(value)
  return type === 'boolean' || type === 'json' || type.startsWith('list.') ? JSON.parse(value) : value
}

const fields = { metafield: one, metafields: many }

export const metafieldResolvers: Resolvers = {
  Mutation: { metafieldsSet: set, metafieldsDelete: remove, metafieldDefinitionCreate: define },
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
    jsonValue: jsonValueOf,
    ownerType: ({ ownerType }: Metafield) => OWNERS[ownerType]?.owner,
    owner: ({ ownerType, ownerId }: Metafield, _args: unknown, api: Api) =>
      findNode(api, gid(api.shop, ownerType, ownerId))
  },
  MetafieldDefinition: { type: ({ typeName }: Definition) => ({ name: typeName }) }
}
