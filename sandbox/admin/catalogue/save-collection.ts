import { GraphQLError } from 'graphql'
import type { Queries } from '#kit/postgres'
import { reportCollection } from '../../outgoing/catalogue-messages.ts'
import {
  type Collection,
  type CollectionFields,
  type CollectionRule,
  deleteCollection,
  findCollections,
  insertCollection,
  updateCollection
} from '../../state/collections.ts'
import { insertJob } from '../../state/jobs.ts'
import type { Api } from '../../wire/api.ts'
import { numberIn } from '../../wire/gid.ts'
import { checkMetafields, type MetafieldInput, writeMetafields } from '../metafields/write-metafields.ts'
import { type UserError, userError } from '../user-errors.ts'
import { freeHandle, handleOf } from './handles.ts'

type CollectionInput = {
  id?: string | null
  title?: string | null
  handle?: string | null
  descriptionHtml?: string | null
  products?: string[] | null
  ruleSet?: { appliedDisjunctively: boolean; rules?: CollectionRule[] | null } | null
  sortOrder?: string | null
  templateSuffix?: string | null
  seo?: { title?: string | null; description?: string | null } | null
  metafields?: MetafieldInput[] | null
}

const NO_RULES = 'Rules cannot be an empty set'
const seoFrom = (seo: CollectionInput['seo']) =>
  seo ? { title: seo.title ?? null, description: seo.description ?? null } : undefined

export async function createCollection(_root: unknown, { input }: { input: CollectionInput }, api: Api) {
  const refused = (...userErrors: UserError[]) => ({ collection: null, userErrors })
  if (input.id) return refused(userError(['id'], 'id cannot be specified on collection creation'))
  const title = input.title?.trim() ?? ''
  const problems: UserError[] = title ? [] : [userError(['title'], "Title can't be blank")]
  // A rule set without rules is none; one whose rules are missing is an error.
  if (input.ruleSet && !input.ruleSet.rules) problems.push(userError(['ruleSet', 'rules'], NO_RULES))
  const productIds = (input.products ?? []).map((id) => numberIn(api.shop, 'Product', id))
  for (const [i, id] of productIds.entries()) {
    if (!(await api.load.product.get(id))) problems.push(userError(['products', String(i)], 'Product does not exist'))
  }
  if (problems.length > 0) return refused(...problems)
  return api.write(async (q, now) => {
    const ruleSet = input.ruleSet?.rules?.length ? { ...input.ruleSet, rules: input.ruleSet.rules } : undefined
    const fields: CollectionFields = {
      title,
      handle: await freeHandle(q, api.shop.storeId, 'collections', input.handle ?? handleOf(title)),
      description: input.descriptionHtml ?? '',
      productIds,
      more: {
        ...(ruleSet && { ruleSet }),
        sortOrder: input.sortOrder ?? 'BEST_SELLING',
        templateSuffix: input.templateSuffix ?? null,
        seo: seoFrom(input.seo)
      }
    }
    const id = await insertCollection(q, api.shop.storeId, fields, now)
    const wrong = await saveMetafields(q, api, id, input.metafields ?? [], now)
    if (wrong.length > 0) {
      await deleteCollection(q, api.shop.storeId, id)
      return refused(...wrong)
    }
    await reportCollection(q, api.shop, id, 'create', now)
    // The count of a new collection's products comes later, as recorded.
    return { collection: { ...(await collectionOf(q, api, id))!, isNew: true }, userErrors: [] }
  })
}

async function saveMetafields(q: Queries, api: Api, id: string, inputs: MetafieldInput[], now: Temporal.Instant) {
  const all = inputs.map((input) => ({ owner: `Collection/${id}`, input }))
  const { entries, problems } = await checkMetafields(q, api, all, (i, field) => [
    'metafields',
    String(i),
    ...(field ? [field] : [])
  ])
  if (problems.length === 0) await writeMetafields(q, api, entries, now)
  return problems
}

const collectionOf = async (q: Queries, api: Api, id: string): Promise<Collection | undefined> =>
  (await findCollections(q, api.shop.storeId, [id]))[0]

export async function changeCollection(_root: unknown, { input }: { input: CollectionInput }, api: Api) {
  if (!input.id) {
    throw new GraphQLError('id must be specified on collectionUpdate', { extensions: { code: 'BAD_REQUEST' } })
  }
  const refused = (...userErrors: UserError[]) => ({ collection: null, job: null, userErrors })
  const id = numberIn(api.shop, 'Collection', input.id)
  return api.write(async (q, now) => {
    const old = await collectionOf(q, api, id)
    if (!old) return refused(userError(null, 'Collection does not exist'))
    if (input.title !== undefined && !input.title?.trim()) return refused(userError(['title'], "Title can't be blank"))
    if (input.ruleSet && !old.more.ruleSet)
      return refused(userError(['id'], 'Cannot update rule set of a custom collection'))
    if (input.ruleSet && !input.ruleSet.rules?.length) return refused(userError(['ruleSet', 'rules'], NO_RULES))
    const wrong = await saveMetafields(q, api, id, input.metafields ?? [], now)
    if (wrong.length > 0) return refused(...wrong)
    const handle = input.handle ?? old.handle
    const to: CollectionFields = {
      title: input.title?.trim() ?? old.title,
      handle: handle === old.handle ? handle : await freeHandle(q, api.shop.storeId, 'collections', handle),
      description: input.descriptionHtml ?? old.description,
      productIds: old.productIds,
      more: {
        ...old.more,
        ...(input.ruleSet?.rules && { ruleSet: { ...input.ruleSet, rules: input.ruleSet.rules } }),
        sortOrder: input.sortOrder ?? old.more.sortOrder,
        templateSuffix: input.templateSuffix === undefined ? old.more.templateSuffix : input.templateSuffix,
        seo: seoFrom(input.seo) ?? old.more.seo
      }
    }
    await updateCollection(q, api.shop.storeId, id, to, now)
    await reportCollection(q, api.shop, id, 'update', now)
    const job = input.ruleSet ? await insertJob(q, api.shop.storeId, {}, now) : null
    return { collection: await collectionOf(q, api, id), job, userErrors: [] }
  })
}

export async function removeCollection(_root: unknown, { input }: { input: { id: string } }, api: Api) {
  const id = numberIn(api.shop, 'Collection', input.id)
  const shop = { __typename: 'Shop', id: api.shop.id }
  return api.write(async (q, now) => {
    if (!(await collectionOf(q, api, id))) {
      return { deletedCollectionId: null, shop, userErrors: [userError(['id'], 'Collection does not exist')] }
    }
    await deleteCollection(q, api.shop.storeId, id)
    await reportCollection(q, api.shop, id, 'delete', now)
    return { deletedCollectionId: input.id, shop, userErrors: [] }
  })
}

type Membership = { id: string; productIds: string[] }
type Change = (old: string[], given: string[]) => string[]
const add: Change = (old, given) => [...old, ...given.filter((id) => !old.includes(id))]
const remove: Change = (old, given) => old.filter((id) => !given.includes(id))

/** Changes which products a collection has. Products that do not exist are passed over, as recorded. */
function membership(word: 'add' | 'remove', change: Change) {
  return async (api: Api, args: Membership): Promise<{ id: string } | UserError> => {
    const id = numberIn(api.shop, 'Collection', args.id)
    const numbers = args.productIds.flatMap((one) => /^gid:\/\/[a-z]+\/Product\/(\d{1,18})$/.exec(one)?.[1] ?? [])
    const known = (await api.load.product.list(numbers)).map((product) => product.id)
    return api.write(async (q, now) => {
      const old = await collectionOf(q, api, id)
      if (!old) return userError(['id'], 'Collection does not exist')
      if (old.more.ruleSet) {
        return userError(['id'], `Can't manually ${word} products ${word === 'add' ? 'to' : 'from'} a smart collection`)
      }
      await updateCollection(q, api.shop.storeId, id, { ...old, productIds: change(old.productIds, known) }, now)
      await reportCollection(q, api.shop, id, 'update', now)
      return { id }
    })
  }
}
const addTo = membership('add', add)
const removeFrom = membership('remove', remove)

export async function addProducts(_root: unknown, args: Membership, api: Api) {
  const done = await addTo(api, args)
  if ('message' in done) return { collection: null, userErrors: [done] }
  return { collection: await api.load.collection.get(done.id), userErrors: [] }
}

const withJob = (change: typeof addTo) => async (_root: unknown, args: Membership, api: Api) => {
  const done = await change(api, args)
  if ('message' in done) return { job: null, userErrors: [done] }
  return { job: await api.write((q, now) => insertJob(q, api.shop.storeId, {}, now)), userErrors: [] }
}
export const addProductsLater = withJob(addTo)
export const removeProductsLater = withJob(removeFrom)
