import { decimalOf } from '#kit/money'
import type { FieldProblem } from '#kit/refusal'
import { ObjectInput, refuseProblems } from './object-input.ts'
import type { Plan } from './plan.ts'
import type { Cart, CartLine } from './pricing/index.ts'
import { tierOf } from './tier-plans.ts'

const MAX_LINES = 250
const MAX_PIECES = 10_000
const MAX_TAGS = 250
const MAX_TEXT = 255

const CART = ['lines', 'charge', 'country', 'shipping'] as const
const LINE = [
  'id',
  'product_id',
  'variant_id',
  'quantity',
  'price',
  'compare_at_price',
  'collection_ids',
  'tags'
] as const

/**
 * Reads `cart` of a request. A line of a membership plan's own product sells that membership. Refuses it with all of its problems,
 * each named by its path.
 */
export function cartFrom(given: unknown, currency: string, plans: readonly Plan[]): Cart {
  const problems: FieldProblem[] = []
  const input = new ObjectInput(given, 'cart', CART, problems)
  const tiers = new Map(plans.map((plan) => [plan.platformProductId, tierOf(plan)]))
  const lines = input.parts('lines', LINE, MAX_LINES).map((line, i) => {
    const read = lineFrom(line, currency, `${i + 1}`)
    return { line, read: { ...read, membership: tiers.get(read.productId) ?? null } }
  })
  if (!input.has('lines') || (problems.length === 0 && lines.length === 0)) {
    input.refuse('lines', `must be a list of 1 to ${MAX_LINES} objects with ${LINE.join(', ')}`)
  }
  const ids = new Set<string>()
  for (const { line, read } of lines) {
    if (ids.has(read.id)) line.refuse('id', 'must differ from that of the lines before; by default it is their number')
    ids.add(read.id)
  }
  const subtotalMinor = lines.reduce((sum, { read }) => sum + read.quantity * read.priceMinor, 0)
  if (!Number.isSafeInteger(subtotalMinor)) {
    input.refuse('lines', `must come to at most ${decimalOf(Number.MAX_SAFE_INTEGER, currency)} in all`)
  }
  const cart: Cart = {
    charge: input.oneOf('charge', ['checkout', 'recurring'], 'checkout') ?? 'checkout',
    lines: lines.map(({ read }) => read),
    country: input.country('country'),
    shipping: shippingFrom(input, currency)
  }
  refuseProblems(problems)
  return cart
}

/** If the line has a problem, placeholders are returned, which are never used since the request is refused. */
function lineFrom(line: ObjectInput, currency: string, number: string): CartLine {
  return {
    id: line.text('id', MAX_TEXT) ?? number,
    productId: line.id('product_id', 'Product') ?? '',
    variantId: line.has('variant_id') ? line.id('variant_id', 'ProductVariant') : null,
    quantity: line.has('quantity') ? (line.whole('quantity', 1, MAX_PIECES) ?? 1) : 1,
    priceMinor: line.amount('price', currency, true) ?? 0,
    compareAtMinor: line.has('compare_at_price') ? line.amount('compare_at_price', currency, true) : null,
    collectionIds: line.ids('collection_ids', 'Collection'),
    tags: line.texts('tags', MAX_TAGS, MAX_TEXT),
    membership: null
  }
}

function shippingFrom(cart: ObjectInput, currency: string): Cart['shipping'] {
  const input = cart.part('shipping', ['method', 'price'])
  if (!input) return null
  if (!input.has('method')) input.refuse('method', `must be a text of 1 to ${MAX_TEXT} characters`)
  return { method: input.text('method', MAX_TEXT) ?? '', priceMinor: input.amount('price', currency, true) ?? 0 }
}
