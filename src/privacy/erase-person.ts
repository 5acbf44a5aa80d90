import { publicId } from '#kit/ids'
import type { PersonalData } from '#kit/personal-data'
import type { Ctx } from '#kit/postgres'
import { notify } from '#stores'
import { beginErasure } from './begin-erasure.ts'
import * as holderList from './holder-list.ts'
import { type DueRequest, markDone, markProgress, markWaiting, storeSubject } from './queries.ts'
import type { Progress, StoredSubject } from './request.ts'

/** In an order that stays: each table once in a round. */
export const HOLDERS: readonly PersonalData[] = Object.values<PersonalData>(holderList).sort((a, b) =>
  a.table < b.table ? -1 : 1
)

/** Longer than any transaction lasts that had begun before the erasure. */
const CHECK_AFTER_MINUTES = 15
/** When it is asked again whether the platform has answered, and others to delete what they have. */
const WAIT_MINUTES = 5
const ASK_AGAIN_MINUTES = 15
/**
 * How long it waits at most: a customer may never confirm a payment, and a store never be connected again. What the platform says later is
 * recorded all the same, without the person.
 */
const LONGEST_WAIT_HOURS = 72
/** Rounds in which something was still found. */
const MAX_ROUNDS = 5

/**
 * One step of an erasure, in one transaction: it begins, or looks through a part of a table. When that was all, everything is looked through
 * once more as soon as every transaction has ended that had begun before it. Safe to repeat from any step. Not for a step in which others are
 * asked (`progress.others`): that is `goOnAfterOthers`.
 */
export async function eraseNext(ctx: Ctx, request: DueRequest, holders: readonly PersonalData[]): Promise<void> {
  const { id, progress, subject } = request
  if (!subject) return markDone(ctx, id)
  const first = holders[0]!
  if (!progress || progress.after === BEGIN) {
    const isPatient = isPatientWith(ctx, request)
    const held = await beginErasure(ctx, request, { isPatient })
    if (held) return markWaiting(ctx, id, held.waits, ctx.now.add({ minutes: WAIT_MINUTES }))
    const begun = { round: progress?.round ?? 0, table: first.table, after: null, changed: 0, others: 'first' } as const
    return markProgress(ctx, id, { progress: begun, runAt: ctx.now, status: 'running' }, { table: 'members', rows: 0 })
  }
  // Another version had other tables: then the round begins again.
  const holder = holders.find(({ table }) => table === progress.table)
  const part = await (holder ?? first).erase(ctx, subject.person!, holder ? progress.after : null)
  await goOn(ctx, request, holders, { at: holder ?? first, ...part, progress })
}

const isPatientWith = (ctx: Ctx, { receivedAt }: DueRequest): boolean =>
  Temporal.Instant.compare(ctx.now, receivedAt.add({ hours: LONGEST_WAIT_HOURS })) < 0

/**
 * The step after others were asked to delete what they have of the person; `left`: what they still have, and why; null: nothing. What is here
 * is erased in any case; only the end of the request waits for them, for three days. Then it says what is left.
 */
export async function goOnAfterOthers(ctx: Ctx, request: DueRequest, left: string | null): Promise<void> {
  const { id, subject } = request
  const { others, left: _, ...progress } = request.progress!
  const ofRound = { ...progress, ...(left !== null && { left }) }
  const nothing = { table: progress.table, rows: 0 }
  if (others === 'first')
    return markProgress(ctx, id, { progress: ofRound, runAt: ctx.now, status: 'running' }, nothing)
  if (left === null) return markDone(ctx, id)
  if (!isPatientWith(ctx, request)) {
    await notify(ctx, incompleteErasure(id, left))
    return markDone(ctx, id, left)
  }
  if (!progress.hasWaited) await notify(ctx, waitingErasure(request, left))
  await storeSubject(ctx, id, onlyForOthers(subject!))
  const waiting = { ...ofRound, others: 'last', hasWaited: true } as const
  const runAt = ctx.now.add({ minutes: ASK_AGAIN_MINUTES })
  return markProgress(ctx, id, { progress: waiting, runAt, status: 'checking' }, nothing)
}

/** What is needed when only others are still to be asked: nobody's name, address or phone. */
const onlyForOthers = ({ person, tags, googleSerials }: StoredSubject): StoredSubject => ({
  asked: { customerId: null, memberId: null, email: null, phone: null, orderNumbers: [] },
  person: {
    memberIds: [],
    customerIds: person!.customerIds,
    subscriptionIds: [],
    orderNumbers: [],
    emails: [],
    phones: [],
    names: []
  },
  ...(tags && { tags }),
  ...(googleSerials && { googleSerials })
})

const HOW_TO_REPAIR =
  'Where the platform denies access, connect the store again or grant the app the access scopes that `perennial status` names; ' +
  'where it is Google, check the credentials of the wallet.'

const waitingErasure = ({ id, receivedAt }: DueRequest, left: string) => ({
  kind: 'erasure_waits',
  subject: 'An erasure waits until others have deleted what they have',
  message:
    `Everything here is erased for ${publicId('priv', id)}, but it is not done: ${left}. It is tried again every ${ASK_AGAIN_MINUTES} minutes until ` +
    `${receivedAt.add({ hours: LONGEST_WAIT_HOURS }).toString({ smallestUnit: 'minute' })}; then the request ends without that. ${HOW_TO_REPAIR}`
})

const incompleteErasure = (id: number, left: string) => ({
  kind: 'erasure_incomplete',
  subject: 'Something of an erased customer is left elsewhere',
  message:
    `${publicId('priv', id)} has ended after ${LONGEST_WAIT_HOURS} hours. Everything here is erased, but: ${left}. The service does not know any more ` +
    `who it was. ${HOW_TO_REPAIR} Then erase the customer once more by the number that the request of the platform or of the customer ` +
    'names (`perennial privacy run --erase --customer NUMBER`), which deletes that on the platform, or delete it there by hand: ' +
    "customers with one of these tags are found in the shop's admin by `tag:`."
})

/** A round that begins finds the person anew: something may have come that names them by another address. */
const BEGIN = 'begin'

async function goOn(
  ctx: Ctx,
  { id }: DueRequest,
  holders: readonly PersonalData[],
  done: { at: PersonalData; changed: number; next: string | null; progress: Progress }
): Promise<void> {
  const { at, next, progress } = done
  const rows = { table: at.table, rows: done.changed }
  const changed = progress.changed + done.changed
  const following = next === null ? holders[holders.indexOf(at) + 1] : at
  if (following) {
    const further = { ...progress, table: following.table, after: next, changed }
    return markProgress(ctx, id, { progress: further, runAt: ctx.now, status: 'running' }, rows)
  }
  const isLast = progress.round > 0 && (changed === 0 || progress.round >= MAX_ROUNDS)
  const { left } = progress
  const isLeft = isLast && left !== undefined
  const again: Progress = {
    round: progress.round + 1,
    table: at.table,
    after: BEGIN,
    changed: 0,
    ...(isLeft && { others: 'last' }),
    ...(left !== undefined && { left })
  }
  const runAt = isLast ? ctx.now : ctx.now.add({ minutes: CHECK_AFTER_MINUTES })
  await markProgress(ctx, id, { progress: again, runAt, status: 'checking' }, rows)
  if (isLast && !isLeft) await markDone(ctx, id)
}
