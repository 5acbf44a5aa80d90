import type { Queries } from '#kit/postgres'
import { reportProduct } from '../../outgoing/catalogue-messages.ts'
import {
  deleteProduct,
  findProducts,
  insertProduct,
  listVariants,
  type Product,
  type ProductFields,
  updateProduct,
  updateVariants
} from '../../state/products.ts'
import type { Api } from '../../wire/api.ts'
import { numberIn } from '../../wire/gid.ts'
import { amountFrom } from '../../wire/money.ts'
import { checkMetafields, type MetafieldInput, writeMetafields } from '../metafields/write-metafields.ts'
import { normalTags } from '../tag-list.ts'
import { type UserError, userError } from '../user-errors.ts'
import { freeHandle, handleOf } from './handles.ts'

type ProductInput = {
  id?: string | null
  title?: string | null
  handle?: string | null
  status?: string | null
  tags?: string[] | null
  vendor?: string | null
  productType?: string | null
  descriptionHtml?: string | null
  templateSuffix?: string | null
  seo?: { title?: string | null; description?: string | null } | null
  metafields?: MetafieldInput[] | null
}

const MAX_TITLE = 255

function problemsOf(input: ProductInput, isNew: boolean): UserError[] {
  const title = input.title?.trim()
  if (isNew || input.title !== undefined) {
    if (!title) return [userError(['title'], "Title can't be blank")]
    if (title.length > MAX_TITLE) {
      return [userError(['title'], `Title is too long (maximum is ${MAX_TITLE} characters)`)]
    }
  }
  return []
}

/** The fields of a product after a change; those that are not given stay. */
async function fieldsFrom(q: Queries, api: Api, input: ProductInput, old: Product | null): Promise<ProductFields> {
  const title = input.title?.trim() ?? old?.title ?? ''
  const wanted = input.handle ?? old?.handle ?? handleOf(title)
  return {
    title,
    handle: wanted === old?.handle ? wanted : await freeHandle(q, api.shop.storeId, 'products', wanted),
    status: input.status ?? old?.status ?? 'ACTIVE',
    tags: input.tags ? normalTags(input.tags) : (old?.tags ?? []),
    vendor: input.vendor === undefined ? (old?.vendor ?? null) : input.vendor?.trim() || null,
    productType: input.productType === undefined ? (old?.productType ?? null) : input.productType?.trim() || null,
    more: {
      ...old?.more,
      ...(input.descriptionHtml != null && { descriptionHtml: input.descriptionHtml }),
      ...(input.templateSuffix !== undefined && { templateSuffix: input.templateSuffix }),
      ...(input.seo && { seo: { title: input.seo.title ?? null, description: input.seo.description ?? null } })
    }
  }
}

async function saveMetafields(q: Queries, api: Api, id: string, inputs: MetafieldInput[], now: Temporal.Instant) {
  const all = inputs.map((input) => ({ owner: `Product/${id}`, input }))
  const { entries, problems } = await checkMetafields(q, api, all, (i, field) => [
    'metafields',
    String(i),
    ...(field ? [field] : [])
  ])
  if (problems.length === 0) await writeMetafields(q, api, entries, now)
  return problems
}

const productOf = async (q: Queries, api: Api, id: string): Promise<Product | undefined> =>
  (await findProducts(q, api.shop.storeId, [id]))[0]

export async function createProduct(_root: unknown, args: { product?: ProductInput; input?: ProductInput }, api: Api) {
  const shop = { __typename: 'Shop', id: api.shop.id }
  const input = args.product ?? args.input ?? {}
  const refused = (userErrors: UserError[]) => ({ product: null, shop, userErrors })
  const problems = problemsOf(input, true)
  if (problems.length > 0) return refused(problems)
  return api.write(async (q, now) => {
    const product = await insertProduct(q, api.shop.storeId, await fieldsFrom(q, api, input, null), now)
    const wrong = await saveMetafields(q, api, product.id, input.metafields ?? [], now)
    if (wrong.length === 0) {
      await reportProduct(q, api.shop, product.id, 'create', now)
      return { product, shop, userErrors: [] }
    }
    await deleteProduct(q, api.shop.storeId, product.id)
    return refused(wrong)
  })
}

export async function changeProduct(_root: unknown, args: { product?: ProductInput; input?: ProductInput }, api: Api) {
  const input = args.product ?? args.input ?? {}
  const refused = (...userErrors: UserError[]) => ({ product: null, userErrors })
  if (!input.id) return refused(userError(['id'], 'Product does not exist'))
  const id = numberIn(api.shop, 'Product', input.id)
  const problems = problemsOf(input, false)
  return api.write(async (q, now) => {
    const old = await productOf(q, api, id)
    if (!old) return refused(userError(['id'], 'Product does not exist'))
    if (problems.length > 0) return refused(...problems)
    const wrong = await saveMetafields(q, api, id, input.metafields ?? [], now)
    if (wrong.length > 0) return refused(...wrong)
    await updateProduct(q, api.shop.storeId, id, await fieldsFrom(q, api, input, old), now)
    await reportProduct(q, api.shop, id, 'update', now)
    return { product: await productOf(q, api, id), userErrors: [] }
  })
}

export async function removeProduct(
  _root: unknown,
  { input, product }: { input?: { id: string }; product?: { id: string } },
  api: Api
) {
  const gid = (input ?? product)!.id
  const shop = { __typename: 'Shop', id: api.shop.id }
  const id = numberIn(api.shop, 'Product', gid)
  return api.write(async (q, now) => {
    if (!(await productOf(q, api, id))) {
      return { deletedProductId: null, shop, userErrors: [userError(['id'], 'Product does not exist')] }
    }
    await deleteProduct(q, api.shop.storeId, id)
    await reportProduct(q, api.shop, id, 'delete', now)
    return { deletedProductId: gid, shop, userErrors: [] }
  })
}

type SetInput = ProductInput & {
  variants?: { price?: string | null; sku?: string | null; inventoryItem?: { sku?: string | null } | null }[] | null
}

/** Creates or changes a product with one variant; products with options are the catalogue's alone. */
export async function setProduct(
  _root: unknown,
  args: { input: SetInput; identifier?: { id?: string | null } | null; synchronous?: boolean },
  api: Api
) {
  const { variants = [], ...input } = args.input
  const id = args.identifier?.id ?? input.id
  const saved = id
    ? await changeProduct(_root, { product: { ...input, id } }, api)
    : await createProduct(_root, { product: input }, api)
  const refused = (...userErrors: UserError[]) => ({ product: null, productSetOperation: null, userErrors })
  if (!saved.product)
    return refused(...saved.userErrors.map((one) => ({ ...one, field: ['input', ...(one.field ?? [])] })))
  const [variant] = variants ?? []
  const priceMinor = variant?.price == null ? null : amountFrom(variant.price, api.shop.currency)
  if (variant) {
    await api.write(async (q, now) => {
      const [first] = await listVariants(q, api.shop.storeId, [saved.product!.id])
      const sku = variant.sku ?? variant.inventoryItem?.sku ?? null
      const change = { id: first!.id, priceMinor, sku, setsCompareAt: false, compareAtMinor: null }
      await updateVariants(q, api.shop.storeId, [change], now)
      await reportProduct(q, api.shop, saved.product!.id, 'update', now)
    })
  }
  return { product: saved.product, productSetOperation: null, userErrors: [] }
}
