import type { Queries } from '#kit/postgres'
import { formsOf } from '../../outgoing/json.ts'
import { queueWebhooks, webhookMessage } from '../../outgoing/queue-webhooks.ts'
import {
  activateDiscounts,
  type Discount,
  type DiscountKind,
  deactivateDiscounts,
  deleteDiscounts,
  insertDiscount,
  isCode,
  sortOf,
  updateDiscount
} from '../../state/discounts/discounts.ts'
import { findByCodes, firstCodeOf, insertRedeemCode, renameRedeemCode } from '../../state/discounts/redeem-codes.ts'
import { saveMetafields } from '../../state/metafields.ts'
import type { Api, Resolver } from '../../wire/api.ts'
import { gid, isNumericId, parseGid } from '../../wire/gid.ts'
import { type UserError, userError } from '../user-errors.ts'
import { ARGUMENT, bodyAfter, type DiscountInput, refuseContradictions, type Wanted } from './discount-input.ts'
import { discountProblems, functionNamed } from './discount-problems.ts'

export const shown = (discount: Discount) => ({ ...discount, __typename: discount.kind })
export const nodeOf = (discount: Discount) => ({
  ...discount,
  __typename: isCode(discount) ? 'DiscountCodeNode' : 'DiscountAutomaticNode'
})

const GIDS = ['DiscountNode', 'DiscountCodeNode', 'DiscountAutomaticNode']

/** A discount's id is the number in its gid, whichever of the discount types the gid has. */
export async function discountIn(api: Api, text: string): Promise<Discount | null> {
  const parsed = parseGid(api.shop, text)
  if (!parsed || !GIDS.includes(parsed.type) || !isNumericId(parsed.id)) return null
  return api.load.discount.get(parsed.id)
}

const noCode = () => userError(['id'], 'Code discount does not exist.', 'INVALID')
const noAutomatic = () => userError(['id'], 'Automatic discount does not exist.', 'INVALID')
const codeTaken = (kind: DiscountKind) =>
  userError([ARGUMENT[kind], 'code'], 'Code must be unique. Please try a different code.', 'TAKEN')

/** Undoes the transaction in which a code proved to be taken. */
class CodeIsTaken extends Error {}

/** The payload of a mutation: discounts of apps are answered themselves, the others by their node. */
function payloadOf(kind: DiscountKind, discount: Discount | null, userErrors: UserError[] = []) {
  if (isOfApp({ kind })) return { [ARGUMENT[kind]]: discount && shown(discount), userErrors }
  return { [isCode({ kind }) ? 'codeDiscountNode' : 'automaticDiscountNode']: discount && nodeOf(discount), userErrors }
}

/** What follows from the function that an input names; a discount keeps the one that it has. */
async function withFunction(api: Api, input: DiscountInput, { body }: Pick<Wanted, 'body'>) {
  const found = input.functionId || input.functionHandle ? await functionNamed(api, input) : null
  return found ? { ...body, functionId: found.id } : body
}

export function createDiscount(kind: DiscountKind): Resolver {
  return async (_root: unknown, args: Record<string, DiscountInput>, api: Api) => {
    const input = args[ARGUMENT[kind]]!
    refuseContradictions(input)
    const { title = null, startsAt = null, endsAt = null, code } = input
    const wanted: Wanted = { kind, title, startsAt, endsAt, body: bodyAfter(input) }
    const problems = await discountProblems(api, input, wanted, true)
    if (problems.length > 0) return payloadOf(kind, null, problems)
    const body = await withFunction(api, input, wanted)
    const fields = { kind, title: title!, startsAt: startsAt!, endsAt, body }
    return writing(kind, () =>
      api.write(async (q, now) => {
        const discount = await insertDiscount(q, api.shop.storeId, fields, now)
        if (isCode(discount)) {
          const added = await insertRedeemCode(q, api.shop.storeId, { discountId: discount.id, code: code! }, now)
          if (!added) throw new CodeIsTaken()
        }
        await writeMetafields(q, api, discount.id, input.metafields ?? [], now)
        return discount
      })
    )
  }
}

async function writing(kind: DiscountKind, write: () => Promise<Discount>) {
  try {
    return payloadOf(kind, await write())
  } catch (err) {
    if (err instanceof CodeIsTaken) return payloadOf(kind, null, [codeTaken(kind)])
    throw err
  }
}

/** Changes what is given and leaves the rest; a discount of another kind becomes one of this kind. */
export function updateDiscountOf(kind: DiscountKind): Resolver {
  return async (_root: unknown, args: { id: string } & Record<string, unknown>, api: Api) => {
    const input = args[ARGUMENT[kind]] as DiscountInput
    refuseContradictions(input)
    const before = await discountIn(api, args.id)
    // Discounts of apps stay such, and the others become none.
    if (!before || isCode(before) !== isCode({ kind }) || isOfApp(before) !== isOfApp({ kind })) {
      return payloadOf(kind, null, [noDiscount(kind)])
    }
    const { storeId } = api.shop
    const first = isCode(before) ? await firstCodeOf(api.db.direct, storeId, before.id) : null
    const isRenamed = input.code != null && input.code !== first?.code
    if (isRenamed && (first?.count ?? 0) > 1) {
      return payloadOf(kind, null, [userError(['id'], 'Cannot update the code of a bulk discount.')])
    }
    const wanted: Wanted = {
      kind,
      title: input.title === undefined ? before.title : input.title,
      startsAt: input.startsAt === undefined ? before.startsAt : input.startsAt,
      endsAt: input.endsAt === undefined ? before.endsAt : input.endsAt,
      body: bodyAfter(input, before.body)
    }
    const problems = await discountProblems(api, input, wanted, false)
    if (problems.length > 0) return payloadOf(kind, null, problems)
    const body = await withFunction(api, input, wanted)
    const to = { ...wanted, title: wanted.title!, startsAt: wanted.startsAt!, body }
    return writing(kind, async () => {
      await api.write(async (q, now) => {
        await updateDiscount(q, storeId, before.id, to, now)
        if (isRenamed && !(await recode(q, storeId, before.id, first?.id ?? null, input.code!, now))) {
          throw new CodeIsTaken()
        }
        await writeMetafields(q, api, before.id, input.metafields ?? [], now)
      })
      return (await api.load.discount.get(before.id))!
    })
  }
}

const isOfApp = (of: Pick<Discount, 'kind'>): boolean => sortOf(of) === 'App'

const noDiscount = (kind: DiscountKind): UserError => {
  if (!isOfApp({ kind })) return userError(['id'], 'Discount does not exist')
  return isCode({ kind }) ? noCode() : noAutomatic()
}

/** A discount whose codes were all deleted gets a first one again. */
async function recode(
  q: Queries,
  storeId: number,
  discountId: string,
  codeId: string | null,
  code: string,
  now: Temporal.Instant
): Promise<boolean> {
  if (codeId !== null) return renameRedeemCode(q, storeId, codeId, code)
  return (await insertRedeemCode(q, storeId, { discountId, code }, now)) !== null
}

async function writeMetafields(
  q: Queries,
  api: Api,
  ownerId: string,
  metafields: NonNullable<DiscountInput['metafields']>,
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
  if (entries.length > 0) await saveMetafields(q, api.shop.storeId, entries, now)
}

/** Activates or deactivates one discount of a method. */
export function switchDiscount(method: 'Code' | 'Automatic', isOn: boolean): Resolver {
  const field = method === 'Code' ? 'codeDiscountNode' : 'automaticDiscountNode'
  return async (_root: unknown, { id }: { id: string }, api: Api) => {
    const discount = await discountIn(api, id)
    if (!discount || isCode(discount) !== (method === 'Code')) {
      return { [field]: null, userErrors: [method === 'Code' ? noCode() : noAutomatic()] }
    }
    const change = isOn ? activateDiscounts : deactivateDiscounts
    await api.write((q, now) => change(q, api.shop.storeId, [discount.id], now))
    return { [field]: nodeOf((await api.load.discount.get(discount.id))!), userErrors: [] }
  }
}

const nodeGid = ({ shop }: Api, discount: Discount) =>
  gid(shop, isCode(discount) ? 'DiscountCodeNode' : 'DiscountAutomaticNode', discount.id)

export function deleteDiscount(method: 'Code' | 'Automatic'): Resolver {
  const field = `deleted${method}DiscountId`
  return async (_root: unknown, { id }: { id: string }, api: Api) => {
    const discount = await discountIn(api, id)
    if (!discount || isCode(discount) !== (method === 'Code')) {
      return { [field]: null, userErrors: [method === 'Code' ? noCode() : noAutomatic()] }
    }
    await api.write(async (q, now) => {
      await deleteDiscounts(q, api.shop.storeId, [discount.id])
      const payload = { admin_graphql_api_id: nodeGid(api, discount), deleted_at: formsOf(api.shop).at(now) }
      await queueWebhooks(q, api.shop, webhookMessage([{ topic: 'discounts/delete', payload }]), now)
    })
    return { [field]: id, userErrors: [] }
  }
}

/** The discount of a code; null if the shop has no such code. */
export async function discountOfCode(api: Api, code: string): Promise<Discount | null> {
  const [found] = await findByCodes(api.db.direct, api.shop.storeId, [code])
  return found ? api.load.discount.get(found.discountId) : null
}
