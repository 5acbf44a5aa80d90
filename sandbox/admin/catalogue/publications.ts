import { updateCollection } from '../../state/collections.ts'
import { type Product, type Publication, updateProduct } from '../../state/products.ts'
import type { Api, Resolvers } from '../../wire/api.ts'
import { type PageArgs, pageOf } from '../../wire/connections.ts'
import { gid, numberIn, parseGid } from '../../wire/gid.ts'
import { type UserError, userError } from '../user-errors.ts'

/** Where a shop sells. The app is none of them: what it publishes, it publishes there. */
const PUBLICATIONS = [
  { __typename: 'Publication', id: '271940001', name: 'Online Store', supportsFuturePublishing: true },
  { __typename: 'Publication', id: '271940002', name: 'Point of Sale', supportsFuturePublishing: false },
  { __typename: 'Publication', id: '271940003', name: 'Shop', supportsFuturePublishing: false }
]
const ONLINE_STORE = PUBLICATIONS[0]!.id

type Target = { publicationId?: string | null; publishDate?: Temporal.Instant | null }
type Publishable = { __typename: string; id: string; more: { publications?: Publication[] } }

async function publishableOf(api: Api, id: string): Promise<Publishable | null> {
  const parsed = parseGid(api.shop, id)
  if (parsed?.type === 'Collection') return api.load.collection.get(numberIn(api.shop, 'Collection', id))
  return api.load.product.get(numberIn(api.shop, 'Product', id))
}

type Change = (old: Publication[], targets: { id: string; at: string }[]) => Publication[]
const publish: Change = (old, targets) => [...without(old, targets), ...targets]
const without: Change = (old, targets) => old.filter(({ id }) => !targets.some((one) => one.id === id))

/** Publishes something, or takes it back. Returns what is wrong. */
async function change(api: Api, id: string, inputs: Target[], apply: Change): Promise<UserError[]> {
  const found = await publishableOf(api, id)
  if (!found) return [userError(['id'], 'Resource does not exist')]
  const problems = inputs.flatMap(({ publicationId }, i) => {
    const known = publicationId && PUBLICATIONS.some((one) => one.id === parseGid(api.shop, publicationId)?.id)
    return known
      ? []
      : [userError(['input', String(i), 'publicationId'], 'Publication does not exist or is not publishable')]
  })
  if (problems.length > 0) return problems
  await api.write(async (q, now) => {
    const targets = inputs.map(({ publicationId, publishDate }) => ({
      id: numberIn(api.shop, 'Publication', publicationId!),
      at: String(publishDate ?? now)
    }))
    const { storeId } = api.shop
    const fresh = (await publishableOf(api, id))!
    const publications = apply(fresh.more.publications ?? [], targets)
    const to = { ...fresh, more: { ...fresh.more, publications } } as never
    if (fresh.__typename === 'Product') await updateProduct(q, storeId, fresh.id, to, now)
    else await updateCollection(q, storeId, fresh.id, to, now)
  })
  return []
}

const publishableMutation =
  (apply: Change) => async (_root: unknown, args: { id: string; input: Target[] }, api: Api) => {
    const userErrors = await change(api, args.id, args.input, apply)
    const publishable = userErrors.length > 0 ? null : await publishableOf(api, args.id)
    return { publishable, shop: { __typename: 'Shop', id: api.shop.id }, userErrors }
  }

type ProductInput = { id: string; productPublications: Target[] }

/** The older mutations, of products alone. */
const productMutation =
  (apply: Change) =>
  async (_root: unknown, { input }: { input: ProductInput }, api: Api) => {
    const userErrors = await change(api, input.id, input.productPublications, apply)
    return { product: userErrors.length > 0 ? null : await publishableOf(api, input.id), userErrors }
  }

const isPublished = (at: string, now: Temporal.Instant) => Temporal.Instant.compare(Temporal.Instant.from(at), now) <= 0

async function currentOf(found: Publishable, api: Api, onlyPublished = true): Promise<Publication[]> {
  // A draft is nowhere, wherever it was published.
  if (found.__typename === 'Product' && (found as Product).status !== 'ACTIVE') return []
  const now = await api.now()
  return (found.more.publications ?? []).filter(({ at }) => !onlyPublished || isPublished(at, now))
}

const publishableFields = {
  publishedOnCurrentPublication: () => false,
  publishedOnPublication: async (found: Publishable, args: { publicationId: string }, api: Api) => {
    const id = numberIn(api.shop, 'Publication', args.publicationId)
    return (await currentOf(found, api)).some((one) => one.id === id)
  },
  availablePublicationsCount: async (found: Publishable, _args: unknown, api: Api) => ({
    count: (await currentOf(found, api)).length,
    precision: 'EXACT'
  }),
  resourcePublicationsCount: async (found: Publishable, args: { onlyPublished?: boolean }, api: Api) => ({
    count: (await currentOf(found, api, args.onlyPublished)).length,
    precision: 'EXACT'
  }),
  resourcePublicationsV2: async (found: Publishable, args: PageArgs & { onlyPublished?: boolean }, api: Api) => {
    const now = await api.now()
    const all = (await currentOf(found, api, args.onlyPublished)).map(({ id, at }) => ({
      id,
      isPublished: isPublished(at, now),
      publishDate: Temporal.Instant.from(at),
      publication: PUBLICATIONS.find((one) => one.id === id)!,
      publishable: found
    }))
    return pageOf(all, args)
  }
}

export const publicationResolvers: Resolvers = {
  QueryRoot: {
    publication: (_root: unknown, { id }: { id: string }, { shop }: Api) =>
      PUBLICATIONS.find((one) => one.id === numberIn(shop, 'Publication', id)) ?? null,
    publications: (_root: unknown, args: PageArgs) => pageOf(PUBLICATIONS, args)
  },
  Mutation: {
    publishablePublish: publishableMutation(publish),
    publishableUnpublish: publishableMutation(without),
    productPublish: productMutation(publish),
    productUnpublish: productMutation(without)
  },
  Publication: {
    id: ({ id }: { id: string }, _args: unknown, { shop }: Api) => gid(shop, 'Publication', id),
    autoPublish: () => false
  },
  Product: {
    ...publishableFields,
    publications: async (found: Product, args: PageArgs & { onlyPublished?: boolean }, api: Api) => {
      const now = await api.now()
      const all = (await currentOf(found, api, args.onlyPublished)).map(({ id, at }) => ({
        id,
        isPublished: isPublished(at, now),
        publishDate: Temporal.Instant.from(at),
        product: found
      }))
      return pageOf(all, args)
    },
    publishedAt: async (found: Product, _args: unknown, api: Api) => {
      const online = (await currentOf(found, api)).find(({ id }) => id === ONLINE_STORE)
      return online ? Temporal.Instant.from(online.at) : null
    }
  },
  Collection: publishableFields
}
