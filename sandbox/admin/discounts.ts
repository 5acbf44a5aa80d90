import { GraphQLError } from 'graphql'
import type { Queries } from '#kit/postgres'
import {
  type Discount,
  type DiscountBody,
  type DiscountKind,
  deleteDiscount,
  findDiscountByCode,
  insertDiscount,
  updateDiscount
} from '../state/discounts.ts'
import { saveMetafields } from '../state/metafields.ts'
import type { Api, Resolvers } from '../wire/api.ts'
import { type PageArgs, pageOf } from '../wire/connections.ts'
import { gid, isNumericId, numberIn, parseGid } from '../wire/gid.ts'
import {
  classes,
  combinesWith,
  context,
  customerGets,
  minimumRequirement,
  status,
  summary
} from './present-discount.ts'
import { type UserError, userError } from './user-errors.ts'

type Input = DiscountBody & {
  title?: string | null
  code?: string | null
  startsAt?: Temporal.Instant | null
  endsAt?: Temporal.Instant | null
  customerBuys?: { value?: { quantity?: string | null } | null } | null
  metafields?: { namespace?: string; key?: string; type?: string; value?: string }[] | null
}

function problemOf(input: Input, argument: string, kind: DiscountKind): UserError | null {
  const at = (...path: string[]) => [argument, ...path]
  if (!input.title) return userError(at('title'), "Title can't be blank", 'BLANK')
  if (kind !== 'DiscountAutomaticApp' && !input.code) return userError(at('code'), "Code can't be blank", 'BLANK')
  if (!input.startsAt) return userError(at('startsAt'), "Starts at can't be blank", 'BLANK')
  if (input.endsAt && Temporal.Instant.compare(input.endsAt, input.startsAt) <= 0) {
    return userError(at('endsAt'), 'Ends at needs to be after starts_at', 'END_DATE_BEFORE_START_DATE')
  }
  const value = input.customerGets?.value
  if (kind === 'DiscountCodeBasic') {
    if (!value) return userError(at('customerGets', 'value'), "Value can't be blank", 'BLANK')
    const { percentage } = value
    if (percentage !== undefined && (percentage <= 0 || percentage > 1)) {
      return userError(
        at('customerGets', 'value', 'percentage'),
        'Value must be between 0.0 and 1.0',
        'VALUE_OUTSIDE_RANGE'
      )
    }
  }
  if (kind === 'DiscountCodeBxgy' && value && !('discountOnQuantity' in value)) {
    return userError(at('customerGets', 'value'), 'Only discountOnQuantity permitted with bxgy discounts.', 'INVALID')
  }
  if (kind === 'DiscountAutomaticApp' && !input.functionHandle && !input.functionId) {
    return userError(at('functionHandle'), 'Function id or handle must be provided.', 'MISSING_FUNCTION_IDENTIFIER')
  }
  return null
}

async function insert(q: Queries, api: Api, kind: DiscountKind, input: Input, now: Temporal.Instant) {
  const { title, code, startsAt, endsAt, metafields, ...body } = input
  const fields = {
    kind,
    title: title!,
    code: code ?? null,
    startsAt: startsAt!,
    endsAt: endsAt ?? null,
    body
  }
  const discount = await insertDiscount(q, api.shop.storeId, fields, now)
  if (discount && metafields) await writeMetafields(q, api, discount.id, metafields, now)
  return discount
}

async function writeMetafields(
  q: Queries,
  api: Api,
  ownerId: string,
  metafields: NonNullable<Input['metafields']>,
  now: Temporal.Instant
) {
  const entries = metafields.map(({ namespace = 'app--2525000003', key = '', type = 'json', value = '' }) => ({
    ownerType: 'DiscountNode',
    ownerId,
    namespace,
    key,
    type,
    value
  }))
  await saveMetafields(q, api.shop.storeId, entries, now)
}

/** The three kinds of code discounts. The argument's name is also the root of the errors' paths. */
function createCode(kind: DiscountKind, argument: string) {
  return async (_root: unknown, args: Record<string, Input>, api: Api) => {
    const input: Input = { ...args[argument]!, ...withContext(args[argument]!) }
    const refused = (...problems: UserError[]) => ({ codeDiscountNode: null, userErrors: problems })
    const problems = await problemsOf(api, input, argument, kind)
    if (problems.length > 0) return refused(...problems)
    const discount = await api.write((q, now) => insert(q, api, kind, input, now))
    if (discount) return { codeDiscountNode: codeNode(discount), userErrors: [] }
    return refused(codeTaken(argument))
  }
}

/** A discount's id is the number in its gid, whichever of the discount types the gid has. */
async function discountIn(api: Api, text: string): Promise<Discount | null> {
  const parsed = parseGid(api.shop, text)
  const kinds = ['DiscountNode', 'DiscountCodeNode', 'DiscountAutomaticNode']
  if (!parsed || !kinds.includes(parsed.type) || !isNumericId(parsed.id)) return null
  return api.load.discount.get(parsed.id)
}

const noCode = () => userError(['id'], 'Code discount does not exist.', 'INVALID')
const noAutomatic = () => userError(['id'], 'Automatic discount does not exist.', 'INVALID')

/** Deactivates a code now, or activates it again. */
function endCode(endsNow: boolean) {
  return async (_root: unknown, { id }: { id: string }, api: Api) => {
    const discount = await discountIn(api, id)
    if (!discount?.code) return { codeDiscountNode: null, userErrors: [noCode()] }
    const now = await api.now()
    const to = { ...discount, endsAt: endsNow ? now : null }
    await api.write((q) => updateDiscount(q, api.shop.storeId, discount.id, to, now))
    return { codeDiscountNode: codeNode((await api.load.discount.get(discount.id))!), userErrors: [] }
  }
}

/** Changes what is given and leaves the rest; a code of another kind becomes a basic one. */
async function updateBasic(_root: unknown, args: { id: string; basicCodeDiscount: Input }, api: Api) {
  const refused = (...problems: UserError[]) => ({ codeDiscountNode: null, userErrors: problems })
  const discount = await discountIn(api, args.id)
  if (!discount?.code) return refused(userError(['id'], 'Discount does not exist'))
  const { title, code, startsAt, endsAt, metafields, ...given } = args.basicCodeDiscount
  const to = {
    kind: 'DiscountCodeBasic' as const,
    title: title === undefined ? discount.title : title,
    code: code === undefined ? discount.code : code,
    startsAt: startsAt === undefined ? discount.startsAt : startsAt,
    endsAt: endsAt === undefined ? discount.endsAt : endsAt
  }
  const body = { ...discount.body, ...withContext(given) }
  const problems = await problemsOf(api, { ...body, ...to }, 'basicCodeDiscount', 'DiscountCodeBasic')
  if (problems.length > 0) return refused(...problems)
  const changed = await api.write(async (q, now) => {
    const whole = { ...to, title: to.title!, startsAt: to.startsAt!, body }
    const done = await updateDiscount(q, api.shop.storeId, discount.id, whole, now)
    if (done && metafields) await writeMetafields(q, api, discount.id, metafields, now)
    return done
  })
  if (!changed) return refused(codeTaken('basicCodeDiscount'))
  return { codeDiscountNode: codeNode((await api.load.discount.get(discount.id))!), userErrors: [] }
}

const codeTaken = (argument: string) =>
  userError([argument, 'code'], 'Code must be unique. Please try a different code.', 'TAKEN')

type Selection = {
  all?: boolean | null
  customers?: { add?: string[] | null } | null
  customerSegments?: { add?: string[] | null } | null
}

/** Who may use a code, in the older words as in the newer ones. A contradiction is an error of the whole field. */
function withContext({
  customerSelection,
  ...input
}: DiscountBody & { customerSelection?: Selection | null }): DiscountBody {
  if (!customerSelection) return input
  const { all, customers, customerSegments } = customerSelection
  const others = customers?.add
    ? 'customers or customerSavedSearches'
    : customerSegments?.add
      ? 'customerSegments'
      : null
  if (all && others) {
    const message = `A discount cannot have customerSelection set to all, when ${others} is specified.`
    throw new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })
  }
  return { ...input, context: customers?.add ? { customers: { add: customers.add } } : { all: 'ALL' } }
}

/** Everything that is wrong with an input: its own fields, or what it is for. */
async function problemsOf(api: Api, input: Input, argument: string, kind: DiscountKind): Promise<UserError[]> {
  const problem = problemOf(input, argument, kind)
  if (problem) return [problem]
  const { products, collections } = input.customerGets?.items ?? {}
  const at = (...path: string[]) => [argument, 'customerGets', 'items', ...path]
  const number = (id: string) => id.split('/').at(-1)!
  const problems: UserError[] = []
  if (products && collections) {
    const both = 'Cannot entitle collections in combination with product variants or products'
    problems.push(userError(at('collections', 'add'), both, 'CONFLICT'))
  }
  for (const [ids, find, what, path] of [
    [products?.productsToAdd, api.load.product, 'Product', at('products', 'productsToAdd')],
    [products?.productVariantsToAdd, api.load.variant, 'Product variant', at('products', 'productVariantsToAdd')]
  ] as const) {
    for (const id of ids ?? []) {
      if (await find.get(number(id))) continue
      problems.push(userError([...path], `${what} with id: ${number(id)} is invalid`, 'INVALID'))
    }
  }
  return problems
}

async function deleteCode(_root: unknown, { id }: { id: string }, api: Api) {
  const discount = await discountIn(api, id)
  if (!discount?.code) return { deletedCodeDiscountId: null, userErrors: [noCode()] }
  await api.write((q) => deleteDiscount(q, api.shop.storeId, discount.id))
  return { deletedCodeDiscountId: id, userErrors: [] }
}

async function createAutomatic(_root: unknown, { automaticAppDiscount }: { automaticAppDiscount: Input }, api: Api) {
  const problem = problemOf(automaticAppDiscount, 'automaticAppDiscount', 'DiscountAutomaticApp')
  if (problem) return { automaticAppDiscount: null, userErrors: [problem] }
  const discount = await api.write((q, now) => insert(q, api, 'DiscountAutomaticApp', automaticAppDiscount, now))
  return { automaticAppDiscount: shown(discount!), userErrors: [] }
}

async function updateAutomatic(_root: unknown, args: { id: string; automaticAppDiscount: Input }, api: Api) {
  const discount = await discountIn(api, args.id)
  if (discount?.kind !== 'DiscountAutomaticApp') return { automaticAppDiscount: null, userErrors: [noAutomatic()] }
  const { title, startsAt, endsAt, code: _none, metafields, ...body } = args.automaticAppDiscount
  await api.write(async (q, now) => {
    const to = {
      ...discount,
      title: title ?? discount.title,
      startsAt: startsAt ?? discount.startsAt,
      endsAt: endsAt === undefined ? discount.endsAt : endsAt,
      body: { ...discount.body, ...body }
    }
    await updateDiscount(q, api.shop.storeId, discount.id, to, now)
    if (metafields) await writeMetafields(q, api, discount.id, metafields, now)
  })
  return { automaticAppDiscount: shown((await api.load.discount.get(discount.id))!), userErrors: [] }
}

async function deleteAutomatic(_root: unknown, { id }: { id: string }, api: Api) {
  const discount = await discountIn(api, id)
  if (discount?.kind !== 'DiscountAutomaticApp') {
    return { deletedAutomaticDiscountId: null, userErrors: [noAutomatic()] }
  }
  await api.write((q) => deleteDiscount(q, api.shop.storeId, discount.id))
  return { deletedAutomaticDiscountId: id, userErrors: [] }
}

const shown = (discount: Discount) => ({ ...discount, __typename: discount.kind })
const codeNode = (discount: Discount) => ({ ...discount, __typename: 'DiscountCodeNode' })

const codeFields = {
  asyncUsageCount: ({ usageCount }: Discount) => usageCount,
  appliesOncePerCustomer: ({ body }: Discount) => body.appliesOncePerCustomer ?? false,
  usageLimit: ({ body }: Discount) => body.usageLimit ?? null,
  codes: ({ redeemCodeId, code, usageCount }: Discount, args: PageArgs) =>
    pageOf([{ __typename: 'DiscountRedeemCode', id: redeemCodeId, code, asyncUsageCount: usageCount }], args),
  combinesWith,
  context,
  discountClasses: classes,
  status,
  summary
}

export const discountResolvers: Resolvers = {
  QueryRoot: {
    codeDiscountNodeByCode: async (_root: unknown, { code }: { code: string }, api: Api) => {
      const found = await findDiscountByCode(api.db.direct, api.shop.storeId, code)
      return found && codeNode(found)
    },
    codeDiscountNode: async (_root: unknown, { id }: { id: string }, api: Api) => {
      const found = await discountIn(api, id)
      return found?.code ? codeNode(found) : null
    },
    discountNode: async (_root: unknown, { id }: { id: string }, api: Api) => {
      const found = await discountIn(api, id)
      return found && { __typename: 'DiscountNode', ...found }
    }
  },
  Mutation: {
    discountCodeBasicUpdate: updateBasic,
    discountCodeBasicCreate: createCode('DiscountCodeBasic', 'basicCodeDiscount'),
    discountCodeBxgyCreate: createCode('DiscountCodeBxgy', 'bxgyCodeDiscount'),
    discountCodeFreeShippingCreate: createCode('DiscountCodeFreeShipping', 'freeShippingCodeDiscount'),
    discountCodeActivate: endCode(false),
    discountCodeDeactivate: endCode(true),
    discountCodeDelete: deleteCode,
    discountAutomaticAppCreate: createAutomatic,
    discountAutomaticAppUpdate: updateAutomatic,
    discountAutomaticDelete: deleteAutomatic
  },
  DiscountCodeNode: { codeDiscount: shown },
  DiscountNode: {
    // The platform calls it by the type that it has.
    id: ({ id, code }: Discount, _args: unknown, { shop }: Api) =>
      gid(shop, code === null ? 'DiscountAutomaticNode' : 'DiscountCodeNode', id),
    discount: shown
  },
  DiscountCodeBasic: { ...codeFields, customerGets, minimumRequirement },
  DiscountCodeBxgy: codeFields,
  DiscountCodeFreeShipping: { ...codeFields, minimumRequirement },
  DiscountAutomaticApp: {
    discountId: ({ id }: Discount, _args: unknown, { shop }: Api) => gid(shop, 'DiscountAutomaticNode', id),
    asyncUsageCount: ({ usageCount }: Discount) => usageCount,
    combinesWith,
    discountClasses: ({ body }: Discount) => body.discountClasses ?? [],
    status,
    appDiscountType: ({ body, title }: Discount) => ({
      functionId: body.functionId ?? body.functionHandle,
      title
    })
  },
  DiscountProducts: {
    products: async ({ ids }: { ids: string[] }, args: PageArgs, api: Api) =>
      pageOf(await api.load.product.list(ids.map((id) => numberIn(api.shop, 'Product', id))), args),
    productVariants: async ({ variantIds }: { variantIds: string[] }, args: PageArgs, api: Api) =>
      pageOf(await api.load.variant.list(variantIds.map((id) => numberIn(api.shop, 'ProductVariant', id))), args)
  },
  DiscountCollections: {
    collections: async ({ ids }: { ids: string[] }, args: PageArgs, api: Api) =>
      pageOf(await api.load.collection.list(ids.map((id) => numberIn(api.shop, 'Collection', id))), args)
  },
  DiscountCustomers: {}
}
