import { randomUUID } from 'node:crypto'
import {
  customerDeleted,
  findCredit,
  findReservation,
  type Reservation,
  releaseReservation,
  reserveCredit
} from '#credits'
import { publicId } from '#kit/ids'
import { bool, type Ctx, oneOf, row, sql, text } from '#kit/postgres'
import { invalidField, Refusal } from '#kit/refusal'
import { lockKeptCustomer } from '#members'
import { storeDisconnected } from '#stores'
import { listWays } from '../ways.ts'
import type { CreditCode } from './code.ts'
import { newCreditCode } from './code-form.ts'
import { closeCode, countOpenCodes, endCode, findCode, insertCode, isOfCode, lockCode } from './code-queries.ts'

/** So many codes of a customer may hold credit at once. */
const MAX_OPEN = 10
/**
 * The reservation outlasts the code, so that an order that used it at the last moment finds its credit. The code releases it much earlier,
 * when it is known that nobody did; only where the platform cannot be asked for so long does it end by itself.
 */
const HOLD_LONGER = { hours: 24 * 7 }

export type CodeRequest = { memberId: number; amountMinor: number | null; minutes: number }

/**
 * Reserves credit for a discount code, by default all that is available, and records that the code is wanted. The platform makes it a moment
 * later, outside of the transaction.
 */
export async function requestCode(ctx: Ctx, { amountMinor, minutes, ...of }: CodeRequest): Promise<CreditCode> {
  // Of two requests of a customer at once, the later counts the code of the other; and a merge comes before all of it, or after.
  const memberId = await lockKeptCustomer(ctx, of.memberId)
  await refuseWithoutPlatform(ctx, memberId)
  const way = (await listWays(ctx, [memberId])).get(memberId)
  if (way !== 'coupon') {
    const how = way === undefined ? 'the store has no plan' : `their plan has the type ${way}`
    const message = `must be a customer who spends store credit by codes (store_credit_type \`coupon\`); ${how}`
    throw invalidField('customer_id', message)
  }
  if ((await countOpenCodes(ctx, memberId)) >= MAX_OPEN) {
    throw new Refusal('conflict', `The customer has ${MAX_OPEN} open codes already; revoke one of them first`)
  }
  const wantedMinor = amountMinor ?? (await findCredit(ctx, memberId)).availableMinor
  if (wantedMinor <= 0) throw invalidField('amount', 'cannot be left out: the customer has no available store credit')
  const endsAt = ctx.now.add({ minutes })
  const code = newCreditCode()
  const [outcome] = await reserveCredit(ctx, [
    {
      memberId,
      amountMinor: wantedMinor,
      reason: `redeemed by code ${code}`,
      operationId: `code:${randomUUID()}`,
      expiresAt: endsAt.add(HOLD_LONGER)
    }
  ])
  if (outcome!.refusal) throw outcome!.refusal
  const reservationId = outcome!.reservation!.id
  const id = await insertCode(ctx, { memberId, reservationId, code, amountMinor: wantedMinor, endsAt })
  return (await findCode(ctx, memberId, id))!
}

/**
 * Ends a code before its time. Its credit is available again when the platform takes it no more and no order has used it: a few minutes later,
 * or at once where it was not sent yet.
 */
export async function revokeCode(ctx: Ctx, memberId: number, id: number): Promise<CreditCode> {
  if (!(await lockCode(ctx, memberId, id))) throw noSuchCode(publicId('scc', id))
  const found = (await findCode(ctx, memberId, id))!
  const { status, sentAt } = found
  if (status === 'used' || status === 'ended' || status === 'failed') {
    throw new Refusal('conflict', `Code ${publicId('scc', id)} cannot be revoked: its status is ${status}`)
  }
  if (status === 'pending' && sentAt === null) {
    await closeCode(ctx, id, { status: 'ended', problem: null, endedBy: 'revoked' })
    await releaseHold(ctx, found)
  } else await endCode(ctx, id, 'revoked')
  return (await findCode(ctx, memberId, id))!
}

export const noSuchCode = (given: string) =>
  new Refusal('not_found', `There is no store credit code ${given.slice(0, 100)} of this customer`, [
    { field: 'code_id', code: 'not_found', message: 'names no store credit code of this customer' }
  ])

/** Refuses to end the reservation of a code by itself: the code could be used all the same. */
export async function refuseHeldByCode(ctx: Ctx, reservationId: number): Promise<void> {
  if (!(await isOfCode(ctx, reservationId))) return
  const message = `Reservation ${publicId('scr', reservationId)} belongs to a store credit code; revoke the code`
  throw new Refusal('conflict', message)
}

/** The reservation of a code while it holds credit; null once it has ended. */
export async function findHold(ctx: Ctx, { reservationId }: { reservationId: number }): Promise<Reservation | null> {
  const reservation = await findReservation(ctx, reservationId)
  if (reservation?.status !== 'reserved') return null
  return Temporal.Instant.compare(reservation.expiresAt, ctx.now) > 0 ? reservation : null
}

/** Makes the credit of a code available again. */
export async function releaseHold(ctx: Ctx, code: { reservationId: number }): Promise<void> {
  const hold = await findHold(ctx, code)
  if (hold) await releaseReservation(ctx, hold.memberId, hold.id)
}

async function refuseWithoutPlatform(ctx: Ctx, memberId: number): Promise<void> {
  const { domain, status, isDeleted } = await ctx.tx.one(
    row({ domain: text, status: oneOf('active', 'disconnected'), isDeleted: bool }),
    sql`
    select s.domain, s.status, m.platform_deleted_at is not null as is_deleted
      from stores s join members m on m.store_id = ${ctx.storeId} and m.id = ${memberId}
     where s.store_id = ${ctx.storeId}`
  )
  if (status !== 'active') throw storeDisconnected(domain)
  if (isDeleted) throw customerDeleted(memberId)
}
