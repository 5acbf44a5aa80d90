import { isCode, sortOf } from '../../state/discounts/discounts.ts'
import { listFunctions, type ShopFunction } from '../../state/discounts/functions.ts'
import type { Api } from '../../wire/api.ts'
import { isNumericId } from '../../wire/gid.ts'
import { amountFrom } from '../../wire/money.ts'
import { theApp } from '../shop.ts'
import { type UserError, userError } from '../user-errors.ts'
import { ARGUMENT, type DiscountInput, type Wanted } from './discount-input.ts'

const MAX_TEXT = 255
const isBefore = (a: Temporal.Instant, b: Temporal.Instant) => Temporal.Instant.compare(a, b) <= 0

/**
 * Everything that is wrong with an input and with what the discount would be after it, in the platform's order. `found`: the
 * function that the input names.
 */
export async function discountProblems(
  api: Api,
  input: DiscountInput,
  wanted: Wanted,
  isNew: boolean
): Promise<UserError[]> {
  if (sortOf(wanted) === 'App') return appProblems(api, input, wanted, isNew)
  const sort = sortOf(wanted)
  const combining = combinesProblems(input, wanted)
  // The platform looks no further at automatic free shipping that combines with its like.
  if (combining.length > 0 && wanted.kind === 'DiscountAutomaticFreeShipping') return combining
  const problems = [...combining, ...(sort === 'Bxgy' ? bxgyProblems(wanted) : [])]
  problems.push(...titleProblems(wanted), ...codeProblems(input, wanted, isNew), ...dateProblems(wanted))
  if (sort === 'Bxgy') problems.push(...buysProblems(wanted))
  if (sort === 'Basic') problems.push(...valueProblems(api, wanted))
  problems.push(...minimumProblems(wanted), ...contextProblems(input, wanted), ...(await itemProblems(api, wanted)))
  return problems
}

const at = ({ kind }: Pick<Wanted, 'kind'>, ...path: string[]) => [ARGUMENT[kind], ...path]

function titleProblems(wanted: Wanted): UserError[] {
  const { title } = wanted
  if (!title?.trim()) return [userError(at(wanted, 'title'), "Title can't be blank", 'BLANK')]
  if (title.length <= MAX_TEXT) return []
  return [userError(at(wanted, 'title'), `Title is too long (maximum is ${MAX_TEXT} characters)`, 'TOO_LONG')]
}

function codeProblems({ code }: DiscountInput, wanted: Wanted, isNew: boolean): UserError[] {
  if (!isCode(wanted) || (code === undefined && !isNew)) return []
  if (!code?.trim()) return [userError(at(wanted, 'code'), "Code can't be blank", 'BLANK')]
  if (/[\r\n]/.test(code)) return [userError(at(wanted, 'code'), 'Code cannot contain newline characters.', 'INVALID')]
  if (code.length <= MAX_TEXT) return []
  return [userError(at(wanted, 'code'), `Code is too long (maximum is ${MAX_TEXT} characters)`, 'TOO_LONG')]
}

function dateProblems(wanted: Wanted): UserError[] {
  const { startsAt, endsAt } = wanted
  if (!startsAt) return [userError(at(wanted, 'startsAt'), "Starts at can't be blank", 'BLANK')]
  if (!endsAt || !isBefore(endsAt, startsAt)) return []
  return [userError(at(wanted, 'endsAt'), 'Ends at needs to be after starts_at', 'INVALID')]
}

function combinesProblems({ combinesWith }: DiscountInput, wanted: Wanted): UserError[] {
  const problems: UserError[] = []
  if (combinesWith?.productDiscountsWithTagsOnSameCartLine?.add?.length) {
    const field = 'productDiscountsWithTagsOnSameCartLine'
    const path = at(wanted, 'combinesWith', field)
    const plan = `The shop's plan does not allow setting \`${field}\`.`
    problems.push(userError(path, plan, 'PRODUCT_DISCOUNTS_WITH_TAGS_ON_SAME_CART_LINE_NOT_ENTITLED'))
    const { items } = wanted.body.customerGets ?? {}
    if (!items?.products && !items?.collections) {
      const only =
        'Combines with product discounts with tags on same cart line is only valid for discounts with the PRODUCT discount class'
      problems.push(userError(path, only, 'INVALID_PRODUCT_DISCOUNTS_WITH_TAGS_ON_SAME_CART_LINE_FOR_DISCOUNT_CLASS'))
    }
  }
  if (sortOf(wanted) === 'FreeShipping' && combinesWith?.shippingDiscounts) {
    const invalid = 'The combinesWith settings are not valid for the discount class.'
    problems.push(userError(at(wanted, 'combinesWith'), invalid, 'INVALID_COMBINES_WITH_FOR_DISCOUNT_CLASS'))
  }
  return problems
}

/** What is wrong with the side of a buy-one-get-one that customers get. */
function bxgyProblems(wanted: Wanted): UserError[] {
  const { value, items, appliesOnOneTimePurchase, appliesOnSubscription } = wanted.body.customerGets ?? {}
  const gets = (...path: string[]) => at(wanted, 'customerGets', ...path)
  const problems: UserError[] = []
  if (items?.all) problems.push(userError(gets(), "Items in 'customer get' cannot be set to all", 'INVALID'))
  const other = value?.percentage != null ? 'percentage' : value?.discountAmount ? 'discountAmount' : null
  if (other) {
    const only = 'Only discountOnQuantity permitted with bxgy discounts.'
    problems.push(userError(gets('value', other), only, 'INVALID'))
  }
  if (!value?.discountOnQuantity?.quantity && !(other && !isCode(wanted))) {
    problems.push(userError(gets('value', 'discountOnQuantity', 'quantity'), 'Quantity cannot be blank.', 'BLANK'))
  }
  const unsupported = `This field is not supported by ${isCode(wanted) ? '' : 'automatic '}bxgy discounts.`
  if (appliesOnSubscription) problems.push(userError(gets('appliesOnSubscription'), unsupported, 'INVALID'))
  if (appliesOnOneTimePurchase === false) {
    problems.push(userError(gets('appliesOnOneTimePurchase'), unsupported, 'INVALID'))
  }
  return problems
}

function buysProblems(wanted: Wanted): UserError[] {
  const { items } = wanted.body.customerBuys ?? {}
  if (items?.products || items?.collections) return []
  return [userError(at(wanted, 'customerBuys', 'items'), "Items in 'customer buys' must be defined", 'BLANK')]
}

function valueProblems({ shop }: Api, wanted: Wanted): UserError[] {
  const { value, items } = wanted.body.customerGets ?? {}
  const gets = (...path: string[]) => at(wanted, 'customerGets', ...path)
  const problems: UserError[] = []
  if (value?.percentage != null) {
    if (value.percentage <= 0 || value.percentage > 1) {
      const range = 'Value must be between 0.0 and 1.0'
      problems.push(userError(gets('value', 'percentage'), range, 'VALUE_OUTSIDE_RANGE'))
    }
  } else if (value?.discountAmount) {
    const amount = amountFrom(value.discountAmount.amount ?? '', shop.currency)
    if (amount === null || amount <= 0) {
      const path = gets('value', 'discountAmount', 'amount')
      problems.push(userError(path, 'Amount must be greater than 0', 'GREATER_THAN'))
    }
  } else problems.push(userError(gets('value'), "Value can't be blank", 'BLANK'))
  if (!items?.all && !items?.products && !items?.collections) {
    problems.push(userError(gets('items'), "Items in 'customer get' must be defined", 'BLANK'))
  }
  return problems
}

function minimumProblems(wanted: Wanted): UserError[] {
  const { subtotal, quantity } = wanted.body.minimumRequirement ?? {}
  if (!subtotal || !quantity) return []
  const both = 'Minimum subtotal and quantity cannot both be set'
  return [userError(at(wanted, 'minimumRequirement'), both, 'MINIMUM_SUBTOTAL_AND_QUANTITY_RANGE_BOTH_PRESENT')]
}

function contextProblems(input: DiscountInput, wanted: Wanted): UserError[] {
  const field = input.context ? 'context' : 'customerSelection'
  const { customers, customerSegments } = input[field] ?? {}
  if (!customers && !customerSegments) return []
  const left = [...(wanted.body.context?.customers?.add ?? []), ...(wanted.body.context?.customerSegments?.add ?? [])]
  if (left.length > 0) return []
  const nobody = 'a minimum of one prerequisite segment or prerequisite customer must be provided'
  return [userError(at(wanted, field), nobody, 'INVALID')]
}

/** Goods, people and segments that do not exist. */
async function itemProblems(api: Api, wanted: Wanted): Promise<UserError[]> {
  const problems: UserError[] = []
  for (const part of ['customerBuys', 'customerGets'] as const) {
    const { products, collections } = wanted.body[part]?.items ?? {}
    const path = (...rest: string[]) => at(wanted, part, 'items', ...rest)
    if (products && collections) {
      const both = 'Cannot entitle collections in combination with product variants or products'
      problems.push(userError(path('collections', 'add'), both, 'CONFLICT'))
    }
    problems.push(
      ...(await missing(products?.productsToAdd, api.load.product, 'Product', path('products', 'productsToAdd'))),
      ...(await missing(
        products?.productVariantsToAdd,
        api.load.variant,
        'Product variant',
        path('products', 'productVariantsToAdd')
      ))
    )
    if (!products) {
      const to = path('collections', 'add')
      problems.push(...(await missing(collections?.add, api.load.collection, 'Collection', to)))
    }
  }
  const { customers, customerSegments } = wanted.body.context ?? {}
  problems.push(
    ...(await missing(customers?.add, api.load.customer, 'Customer', at(wanted, 'context', 'customers', 'add'))),
    ...(await missing(
      customerSegments?.add,
      api.load.segment,
      'Segment',
      at(wanted, 'context', 'customerSegments', 'add')
    ))
  )
  return problems
}

async function missing(
  ids: string[] | null | undefined,
  loader: { get(id: string): Promise<unknown> },
  what: string,
  path: string[]
): Promise<UserError[]> {
  const problems: UserError[] = []
  for (const id of ids ?? []) {
    const number = id.split('/').at(-1)!
    if (isNumericId(number) && (await loader.get(number))) continue
    problems.push(userError(path, `${what} with id: ${number} is invalid`, 'INVALID'))
  }
  return problems
}

/** The words of an app's discounts differ from those of the others, and between the two. */
async function appProblems(api: Api, input: DiscountInput, wanted: Wanted, isNew: boolean): Promise<UserError[]> {
  const problems: UserError[] = []
  const invalid = (field: string, message: string) => problems.push(userError(at(wanted, field), message, 'INVALID'))
  const { title, code, startsAt, endsAt, discountClasses } = input
  if (title === undefined ? isNew : !title?.trim()) {
    const words = title === undefined ? 'Required argument not found.' : "can't be blank"
    invalid('title', isCode(wanted) ? words : "Title can't be blank.")
  } else if ((title?.length ?? 0) > MAX_TEXT) invalid('title', `is too long (maximum is ${MAX_TEXT} characters)`)
  if (isCode(wanted) && (code === undefined ? isNew : !code?.trim())) invalid('code', "Discount code can't be blank.")
  if (startsAt === undefined ? isNew : !startsAt) invalid('startsAt', "Starts at can't be blank.")
  if (endsAt && wanted.startsAt && isBefore(endsAt, wanted.startsAt)) {
    invalid('endsAt', 'Ends at needs to be after starts_at')
  }
  if (discountClasses?.length === 0) invalid('discountClasses', "Discount classes can't be empty.")
  problems.push(...(await functionProblems(api, input, wanted, isNew)))
  problems.push(...contextProblems(input, wanted), ...(await itemProblems(api, wanted)))
  return problems
}

const DISCOUNT_APIS = ['product_discounts', 'order_discounts', 'shipping_discounts', 'discount']

async function functionProblems(
  api: Api,
  { functionId, functionHandle }: DiscountInput,
  wanted: Wanted,
  isNew: boolean
): Promise<UserError[]> {
  if (functionId && functionHandle) {
    const one = 'Only one of functionId or functionHandle is allowed.'
    return [userError(at(wanted), one, 'MULTIPLE_FUNCTION_IDENTIFIERS')]
  }
  const named = functionId || functionHandle
  const path = at(wanted, functionId ? 'functionId' : 'functionHandle')
  if (!named) {
    return isNew ? [userError(path, "Function id can't be blank.", 'MISSING_FUNCTION_IDENTIFIER')] : []
  }
  const found = await functionNamed(api, { functionId, functionHandle })
  if (!found) {
    const none = `Function ${named} not found. Ensure that it is released in the current app (${theApp().id}), and that the app is installed.`
    return [userError(path, none, 'INVALID')]
  }
  if (DISCOUNT_APIS.includes(found.apiType)) return []
  const other = `Unexpected Function API. The provided function must implement one of the following extension targets: [${DISCOUNT_APIS.join(', ')}].`
  return [userError(path, other)]
}

/** The function of the shop that an input names, by its id or its handle. */
export async function functionNamed(
  api: Api,
  { functionId, functionHandle }: Pick<DiscountInput, 'functionId' | 'functionHandle'>
): Promise<ShopFunction | null> {
  const all = await listFunctions(api.db.direct, api.shop.storeId)
  return all.find(({ id, handle }) => (functionId ? id === functionId : handle === functionHandle)) ?? null
}
