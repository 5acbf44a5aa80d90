import type { Queries } from '#kit/postgres'
import { listCollections } from '../../state/collections.ts'
import { insertJob } from '../../state/jobs.ts'
import {
  type Definition,
  type DefinitionMore,
  deleteDefinition,
  insertDefinition,
  listDefinitions,
  updateDefinition
} from '../../state/metafield-definitions.ts'
import { deleteMetafields, listMetafieldsNamed } from '../../state/metafields.ts'
import { checkMayChangeMetafields } from '../../wire/access.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { gid, parseGid } from '../../wire/gid.ts'
import { parseSearch } from '../../wire/search.ts'
import { ownNamespace } from '../shop.ts'
import { type UserError, userError } from '../user-errors.ts'
import { accessProblem, checkNamespace, type DefinitionInput, definitionProblems } from './definition-rules.ts'
import { storedTypesOf } from './owners.ts'
import { categoryOf } from './types.ts'

/** How long the check of existing values takes. */
const CHECK_SECONDS = 10
const CONDITION = 'smartCollectionCondition'
/** Types whose values a collection's rule can compare. */
const COMPARABLE = ['boolean', 'number_integer', 'number_decimal', 'rating', 'single_line_text_field']

/** A definition asks for as much as a change of the metafields that it is about. */
const checkMayDefine = (api: Api, field: string, ownerType: string): void =>
  checkMayChangeMetafields(api.shop, field, storedTypesOf(ownerType))

async function create(_root: unknown, { definition: input }: { definition: DefinitionInput }, api: Api) {
  const namespace = ownNamespace(input.namespace ?? '$app')
  checkNamespace(namespace, 'metafieldDefinitionCreate')
  checkMayDefine(api, 'metafieldDefinitionCreate', input.ownerType)
  const denied = accessProblem(input, namespace, 'INVALID')
  const problems = denied ? [denied] : definitionProblems(input, namespace, input.type ?? '', true)
  if (problems.length > 0) return { createdDefinition: null, userErrors: problems }
  const fields = {
    ownerType: input.ownerType,
    namespace,
    key: input.key,
    name: input.name ?? input.key,
    typeName: input.type ?? '',
    access: accessFrom(input, { admin: 'PUBLIC_READ_WRITE', storefront: 'NONE', customerAccount: 'NONE' }),
    more: {
      description: input.description ?? null,
      validations: input.validations ?? [],
      ...capabilitiesFrom(input, [])
    }
  }
  const createdDefinition = await api.write(async (q) => {
    const more: DefinitionMore = {
      ...fields.more,
      ...(input.pin && { pinnedPosition: await nextPosition(q, api, input.ownerType) })
    }
    return insertDefinition(q, api.shop.storeId, { ...fields, more })
  })
  if (createdDefinition) return { createdDefinition, userErrors: [] }
  const owner = storedTypesOf(input.ownerType)[0] ?? input.ownerType
  const taken = `Key is in use for ${owner} metafields on the '${namespace}' namespace.`
  return { createdDefinition: null, userErrors: [userError(['definition', 'key'], taken, 'TAKEN')] }
}

function accessFrom({ access }: DefinitionInput, old: Definition['access']): Definition['access'] {
  return {
    admin: access?.admin ?? old.admin,
    storefront: access?.storefront ?? old.storefront,
    customerAccount: access?.customerAccount ?? old.customerAccount
  }
}

function capabilitiesFrom({ capabilities, useAsCollectionCondition }: DefinitionInput, old: string[]) {
  const on = new Set(old)
  for (const [name, given] of Object.entries(capabilities ?? {})) {
    if (given?.enabled === true) on.add(name)
    if (given?.enabled === false) on.delete(name)
  }
  if (useAsCollectionCondition) on.add(CONDITION)
  return { capabilities: [...on] }
}

type ConstraintsInput = { key?: string | null; values?: { create?: string | null; delete?: string | null }[] | null }
type UpdateInput = DefinitionInput & { constraintsUpdates?: ConstraintsInput | null }

async function update(_root: unknown, { definition: input }: { definition: UpdateInput }, api: Api) {
  const namespace = ownNamespace(input.namespace ?? '$app')
  checkNamespace(namespace, 'metafieldDefinitionUpdate')
  checkMayDefine(api, 'metafieldDefinitionUpdate', input.ownerType)
  const refused = (...userErrors: UserError[]) => ({ updatedDefinition: null, validationJob: null, userErrors })
  return api.write(async (q, now) => {
    const old = await definitionNamed(q, api, { ...input, namespace })
    if (!old) return refused(userError(['definition'], 'Definition not found.', 'NOT_FOUND'))
    const denied = accessProblem(input, namespace, 'INVALID_INPUT')
    if (denied) return refused(denied)
    const problems = definitionProblems(input, namespace, old.typeName, false)
    if (problems.length > 0) return refused(...problems)
    const constraints = constraintsAfter(old.more.constraints ?? [], input.constraintsUpdates)
    if (constraints === null) {
      const empty = 'Cannot change the constraint key without providing values.'
      return refused(userError(['definition'], empty, 'INVALID_INPUT'))
    }
    const more: DefinitionMore = {
      ...old.more,
      description: input.description === undefined ? old.more.description : input.description,
      validations: input.validations ?? old.more.validations,
      constraints,
      ...capabilitiesFrom(input, old.more.capabilities ?? [])
    }
    await updateDefinition(q, api.shop.storeId, old.id, {
      name: input.name ?? old.name,
      access: accessFrom(input, old.access),
      more
    })
    // Values that exist are checked again when the rules for them change.
    const job = input.validations
      ? await insertJob(q, api.shop.storeId, { doneAt: String(now.add({ seconds: CHECK_SECONDS })) }, now)
      : null
    return { updatedDefinition: await definitionNamed(q, api, old), validationJob: job, userErrors: [] }
  })
}

/** The values of the constraint after a change; null for one that would leave a key without values. */
function constraintsAfter(old: string[], change: ConstraintsInput | null | undefined): string[] | null {
  if (!change) return old
  if (change.key === null) return []
  const nameIn = (id: string) => id.split('/').at(-1)!
  const gone = (change.values ?? []).flatMap((one) => (one.delete ? nameIn(one.delete) : []))
  const added = (change.values ?? []).flatMap((one) => (one.create ? nameIn(one.create) : []))
  const left = [...old.filter((value) => !gone.includes(value)), ...added]
  return left.length > 0 ? left : null
}

type Identifier = { ownerType: string; namespace?: string | null; key: string }
type Chosen = { id?: string | null; identifier?: Identifier | null; definitionId?: string | null }

async function definitionNamed(q: Queries, api: Api, { ownerType, namespace, key }: Identifier) {
  const own = ownNamespace(namespace ?? '$app')
  const all = await listDefinitions(q, api.shop.storeId)
  return all.find((one) => one.ownerType === ownerType && one.namespace === own && one.key === key) ?? null
}

async function chosen(q: Queries, api: Api, { id, definitionId, identifier }: Chosen): Promise<Definition | null> {
  if (identifier) return definitionNamed(q, api, identifier)
  const parsed = parseGid(api.shop, id ?? definitionId ?? '')
  const all = await listDefinitions(q, api.shop.storeId)
  return parsed?.type === 'MetafieldDefinition' ? (all.find((one) => one.id === parsed.id) ?? null) : null
}

async function remove(_root: unknown, args: Chosen & { deleteAllAssociatedMetafields?: boolean }, api: Api) {
  const refused = (userError: UserError) => ({
    deletedDefinitionId: null,
    deletedDefinition: null,
    userErrors: [userError]
  })
  return api.write(async (q) => {
    const found = await chosen(q, api, args)
    if (!found) return refused(userError(['id'], 'Definition not found.', 'NOT_FOUND'))
    checkMayDefine(api, 'metafieldDefinitionDelete', found.ownerType)
    const id = gid(api.shop, 'MetafieldDefinition', found.id)
    const collections = await listCollections(q, api.shop.storeId)
    if (collections.some(({ more }) => more.ruleSet?.rules.some((rule) => rule.conditionObjectId === id))) {
      const used = 'Cannot proceed with this action. This definition is used in one or more automated collections.'
      return refused(userError(null, used, 'METAFIELD_DEFINITION_IN_USE'))
    }
    await deleteDefinition(q, api.shop.storeId, found.id)
    if (args.deleteAllAssociatedMetafields) {
      await deleteMetafields(q, api.shop.storeId, await metafieldsOf(q, api, found))
    }
    const { ownerType, namespace, key } = found
    return { deletedDefinitionId: id, deletedDefinition: { ownerType, namespace, key }, userErrors: [] }
  })
}

const metafieldsOf = (q: Queries, api: Api, { ownerType, namespace, key }: Definition) =>
  listMetafieldsNamed(q, api.shop.storeId, storedTypesOf(ownerType), namespace, key)

async function nextPosition(q: Queries, api: Api, ownerType: string): Promise<number> {
  const all = await listDefinitions(q, api.shop.storeId)
  return Math.max(0, ...all.flatMap((one) => (one.ownerType === ownerType ? (one.more.pinnedPosition ?? []) : []))) + 1
}

async function pin(_root: unknown, args: Chosen, api: Api) {
  const refused = (userError: UserError) => ({ pinnedDefinition: null, userErrors: [userError] })
  return api.write(async (q) => {
    const found = await chosen(q, api, args)
    if (!found) return refused(userError(['identifier'], 'Definition not found.', 'NOT_FOUND'))
    if (found.more.constraints?.length) {
      const unsupported = 'Constrained metafield definitions do not support pinning.'
      return refused(userError(null, unsupported, 'UNSUPPORTED_PINNING'))
    }
    const pinnedPosition = found.more.pinnedPosition ?? (await nextPosition(q, api, found.ownerType))
    await updateDefinition(q, api.shop.storeId, found.id, { ...found, more: { ...found.more, pinnedPosition } })
    return { pinnedDefinition: await definitionNamed(q, api, found), userErrors: [] }
  })
}

async function unpin(_root: unknown, args: Chosen, api: Api) {
  return api.write(async (q) => {
    const found = await chosen(q, api, args)
    if (!found) {
      return { unpinnedDefinition: null, userErrors: [userError(['identifier'], 'Definition not found.', 'NOT_FOUND')] }
    }
    const { pinnedPosition, ...more } = found.more
    await updateDefinition(q, api.shop.storeId, found.id, { ...found, more })
    return { unpinnedDefinition: await definitionNamed(q, api, found), userErrors: [] }
  })
}

type ListArgs = PageArgs & {
  ownerType: string
  namespace?: string | null
  key?: string | null
  query?: string | null
  pinnedStatus?: string
  sortKey?: string
}

async function list(_root: unknown, args: ListArgs, api: Api) {
  const search = parseSearch(args.query)
  const all = (await listDefinitions(api.db.direct, api.shop.storeId)).filter(
    ({ ownerType, namespace, key, more }) =>
      ownerType === args.ownerType &&
      (!args.namespace || namespace === ownNamespace(args.namespace)) &&
      (!args.key || key === args.key) &&
      (search.key_eq === undefined || key === search.key_eq) &&
      (search.namespace_eq === undefined || namespace === search.namespace_eq) &&
      (args.pinnedStatus !== 'PINNED' || more.pinnedPosition !== undefined) &&
      (args.pinnedStatus !== 'UNPINNED' || more.pinnedPosition === undefined)
  )
  if (args.sortKey === 'NAME') all.sort((a, b) => (a.name < b.name ? -1 : 1))
  if (args.sortKey === 'PINNED_POSITION')
    all.sort((a, b) => (b.more.pinnedPosition ?? 0) - (a.more.pinnedPosition ?? 0))
  return pageOf(all, args)
}

const capability = (name: string, isEligible: (found: Definition) => boolean) => (found: Definition) => ({
  enabled: found.more.capabilities?.includes(name) ?? false,
  eligible: isEligible(found)
})
const isComparable = ({ typeName, ownerType }: Definition) =>
  COMPARABLE.includes(typeName) && ['PRODUCT', 'PRODUCTVARIANT'].includes(ownerType)
const condition = capability(CONDITION, isComparable)
const filterable = capability('adminFilterable', () => true)
const unique = capability('uniqueValues', ({ typeName }) =>
  ['id', 'single_line_text_field', 'number_integer', 'url'].includes(typeName)
)

export const metafieldDefinitionResolvers: Resolvers = {
  QueryRoot: {
    metafieldDefinition: (_root: unknown, args: Chosen, api: Api) => chosen(api.db.direct, api, args),
    metafieldDefinitions: list
  },
  Mutation: {
    metafieldDefinitionCreate: create,
    metafieldDefinitionUpdate: update,
    metafieldDefinitionDelete: remove,
    metafieldDefinitionPin: pin,
    metafieldDefinitionUnpin: unpin
  },
  MetafieldDefinition: {
    type: ({ typeName }: Definition) => ({ name: typeName, category: categoryOf(typeName) }),
    description: ({ more }: Definition) => more.description ?? null,
    validations: ({ more }: Definition) =>
      (more.validations ?? []).map(({ name, value }) => ({ name, type: 'string', value })),
    pinnedPosition: ({ more }: Definition) => more.pinnedPosition ?? null,
    validationStatus: () => 'ALL_VALID',
    useAsCollectionCondition: (found: Definition) => condition(found).enabled,
    capabilities: (found: Definition) => ({
      smartCollectionCondition: condition(found),
      uniqueValues: unique(found),
      adminFilterable: { ...filterable(found), status: filterable(found).enabled ? 'FILTERABLE' : 'NOT_FILTERABLE' }
    }),
    // The key is not told, as recorded.
    constraints: ({ more }: Definition) => ({ key: null, constraints: more.constraints ?? [] }),
    metafieldsCount: async (found: Definition, _args: unknown, api: Api) =>
      (await metafieldsOf(api.db.direct, api, found)).length,
    metafields: async (found: Definition, args: PageArgs, api: Api) =>
      pageOf(await metafieldsOf(api.db.direct, api, found), args)
  },
  MetafieldDefinitionConstraints: {
    values: ({ constraints }: { constraints: string[] }, args: PageArgs) =>
      pageOf(
        constraints.map((value) => ({ id: value, value })),
        args
      )
  }
}
