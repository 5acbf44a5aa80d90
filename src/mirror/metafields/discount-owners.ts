import { type Ctx, nullable, oneOf, row, sql, text } from '#kit/postgres'
import { SLOTS, type Slot } from '../discount-slots.ts'
import { markMetafieldsDue } from './owner-queries.ts'
import { type OwnerOfMetafields, SHOP } from './wanted-metafields.ts'

/** The discounts that run a function, which reads their metafields. The numbers are ours: a slot is one discount of a shop. */
const NUMBERS = { prices: 1, shipping: 2 } as const satisfies Partial<Record<Slot, number>>
type FunctionSlot = keyof typeof NUMBERS

const FUNCTION_SLOTS = Object.keys(NUMBERS) as FunctionSlot[]
const numberOf = (slot: Slot): number | null => (slot in NUMBERS ? NUMBERS[slot as FunctionSlot] : null)

/** By our numbers, the platform's numbers of the discounts that have metafields. */
export async function listDiscountOwners(ctx: Ctx): Promise<Map<number, string>> {
  const rows = await ctx.tx.many(
    row({ slot: oneOf(...SLOTS), platformId: nullable(text) }),
    sql`
    select slot, platform_id from discount_nodes
     where store_id = ${ctx.storeId} and slot = any(${FUNCTION_SLOTS}::text[]) and platform_id is not null`
  )
  return new Map(rows.map(({ slot, platformId }) => [numberOf(slot)!, platformId!]))
}

/** Whether the discount that gives members their prices runs. */
export async function isPriceFunctionActive(ctx: Ctx): Promise<boolean> {
  const found = await ctx.tx.maybeOne(
    row({ slot: text }),
    sql`select slot from discount_nodes where store_id = ${ctx.storeId} and slot = 'prices' and is_active`
  )
  return found !== null
}

export const discountOwner = (ownerId: number): OwnerOfMetafields => ({ kind: 'discount', ownerId })

/**
 * A discount was made, ended or begun again: the shop's metafields say whether it runs. `isOther`: it is another one than before, of
 * whose metafields nothing is known.
 */
export async function markDiscountMetafieldsDue(
  ctx: Ctx,
  slot: Slot,
  { isOther }: { isOther: boolean }
): Promise<void> {
  const number = numberOf(slot)
  if (number === null) return
  await markMetafieldsDue(ctx, [SHOP])
  await markMetafieldsDue(ctx, [discountOwner(number)], { isReadFirst: isOther })
}
