import { GraphQLError } from 'graphql'
import type { Discount, DiscountBody, DiscountItems, DiscountKind } from '../../state/discounts/discounts.ts'

type Tags = { add?: string[] | null; remove?: string[] | null }
type Lists = { add?: string[] | null; remove?: string[] | null }
type Items = {
  all?: boolean | null
  products?: {
    productsToAdd?: string[] | null
    productsToRemove?: string[] | null
    productVariantsToAdd?: string[] | null
    productVariantsToRemove?: string[] | null
  } | null
  collections?: Lists | null
}

/** The input of every kind of discount; each kind has some of the fields. */
export type DiscountInput = Omit<DiscountBody, 'combinesWith' | 'context' | 'customerBuys' | 'customerGets'> & {
  title?: string | null
  code?: string | null
  startsAt?: Temporal.Instant | null
  endsAt?: Temporal.Instant | null
  functionHandle?: string | null
  metafields?: { namespace?: string; key?: string; type?: string; value?: string }[] | null
  combinesWith?:
    | (NonNullable<DiscountBody['combinesWith']> & { productDiscountsWithTagsOnSameCartLine?: Tags | null })
    | null
  context?: { all?: 'ALL' | null; customers?: Lists | null; customerSegments?: Lists | null } | null
  /** The older words for `context`. */
  customerSelection?: { all?: boolean | null; customers?: Lists | null; customerSegments?: Lists | null } | null
  customerGets?: (Omit<NonNullable<DiscountBody['customerGets']>, 'items'> & { items?: Items | null }) | null
  customerBuys?: (Omit<NonNullable<DiscountBody['customerBuys']>, 'items'> & { items?: Items | null }) | null
}

/** The name of the argument, which is also the root of the errors' paths. */
export const ARGUMENT: Record<DiscountKind, string> = {
  DiscountCodeBasic: 'basicCodeDiscount',
  DiscountCodeBxgy: 'bxgyCodeDiscount',
  DiscountCodeFreeShipping: 'freeShippingCodeDiscount',
  DiscountCodeApp: 'codeAppDiscount',
  DiscountAutomaticBasic: 'automaticBasicDiscount',
  DiscountAutomaticBxgy: 'automaticBxgyDiscount',
  DiscountAutomaticFreeShipping: 'freeShippingAutomaticDiscount',
  DiscountAutomaticApp: 'automaticAppDiscount'
}

const badRequest = (message: string) => new GraphQLError(message, { extensions: { code: 'BAD_REQUEST' } })

/** Contradictions that are an error of the whole field. */
export function refuseContradictions({ customerSelection, combinesWith }: DiscountInput): void {
  const { all, customers, customerSegments } = customerSelection ?? {}
  const others = customers?.add
    ? 'customers or customerSavedSearches'
    : customerSegments?.add
      ? 'customerSegments'
      : null
  if (all && others) {
    throw badRequest(`A discount cannot have customerSelection set to all, when ${others} is specified.`)
  }
  const { add, remove } = combinesWith?.productDiscountsWithTagsOnSameCartLine ?? {}
  if (add?.some((tag) => remove?.includes(tag))) {
    throw badRequest(
      'The same tag is present in both `add` and `remove` fields of `productDiscountsWithTagsOnSameCartLine`.'
    )
  }
}

/** The body of a discount after an input: what is given replaces what it had, and lists are added to. */
export function bodyAfter(input: DiscountInput, before: DiscountBody = {}): DiscountBody {
  const {
    title: _title,
    code: _code,
    startsAt: _startsAt,
    endsAt: _endsAt,
    metafields: _metafields,
    functionHandle: _functionHandle,
    customerSelection,
    context = customerSelection,
    customerGets,
    customerBuys,
    ...given
  } = input
  return {
    ...before,
    ...given,
    ...(context !== undefined && { context: contextAfter(context, before.context) }),
    ...(customerGets !== undefined && { customerGets: partAfter(customerGets, before.customerGets) }),
    ...(customerBuys !== undefined && { customerBuys: partAfter(customerBuys, before.customerBuys) })
  }
}

function partAfter<T extends { items?: Items | null }>(
  given: T | null,
  before: (Omit<T, 'items'> & { items?: DiscountItems | null }) | null | undefined
) {
  if (!given) return null
  const items = given.items === undefined ? before?.items : given.items && itemsAfter(given.items, before?.items)
  return { ...before, ...given, items }
}

/** Items of another sort replace those that it had. */
function itemsAfter({ all, products, collections }: Items, before: DiscountItems | null | undefined): DiscountItems {
  const after: DiscountItems = {}
  if (all) after.all = true
  if (products) {
    const had = before?.products
    after.products = {
      productsToAdd: listAfter(had?.productsToAdd, products.productsToAdd, products.productsToRemove),
      productVariantsToAdd: listAfter(
        had?.productVariantsToAdd,
        products.productVariantsToAdd,
        products.productVariantsToRemove
      )
    }
  }
  if (collections) {
    after.collections = { add: listAfter(before?.collections?.add, collections.add, collections.remove) }
  }
  return after
}

function contextAfter(
  given: NonNullable<DiscountInput['context'] | DiscountInput['customerSelection']> | null,
  before: DiscountBody['context']
): DiscountBody['context'] {
  for (const field of ['customers', 'customerSegments'] as const) {
    const lists = given?.[field]
    if (lists) return { [field]: { add: listAfter(before?.[field]?.add, lists.add, lists.remove) } }
  }
  return { all: 'ALL' }
}

function listAfter(
  before: string[] | null | undefined,
  add: string[] | null | undefined,
  remove: string[] | null | undefined
): string[] {
  return [...new Set([...(before ?? []), ...(add ?? [])])].filter((id) => !remove?.includes(id))
}

/** The fields of a discount after an input. */
export type Wanted = Pick<Discount, 'kind'> & {
  title: string | null
  startsAt: Temporal.Instant | null
  endsAt: Temporal.Instant | null
  body: DiscountBody
}
