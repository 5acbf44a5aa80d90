import type { PersonalData } from '#kit/personal-data'
import type { Ctx } from '#kit/postgres'
import { listOurTags, withdrawMetafields } from '#mirror'
import { listGoogleSerials } from '#wallet'
import { beginErasure } from './begin-erasure.ts'
import { findPerson } from './find-person.ts'
import * as holderList from './holder-list.ts'
import { type DueRequest, markEnded, markProgress, markWaiting } from './queries.ts'
import type { Progress } from './request.ts'

/** In an order that stays: each table once in a round. */
export const HOLDERS: readonly PersonalData[] = Object.values<PersonalData>(holderList).sort((a, b) =>
  a.table < b.table ? -1 : 1
)

/** Longer than any transaction lasts that had begun before the erasure. */
const CHECK_AFTER_MINUTES = 15
/** When it is asked again whether the platform has answered. */
const WAIT_MINUTES = 5
/**
 * How long it waits for that at most: a customer may never confirm a payment. What the platform says later is recorded all the same, without
 * the person.
 */
const LONGEST_WAIT_HOURS = 72
/** Rounds in which something was still found. */
const MAX_ROUNDS = 5

/**
 * One step of an erasure, in one transaction: it begins, or looks through a part of a table. When that was all, everything is looked through
 * once more as soon as every transaction has ended that had begun before it. Safe to repeat from any step.
 */
export async function eraseNext(ctx: Ctx, request: DueRequest, holders: readonly PersonalData[]): Promise<void> {
  const { id, progress, subject } = request
  if (!subject) return markEnded(ctx, id)
  const first = holders[0]!
  if (!progress || progress.after === BEGIN) {
    const isPatient = isPatientWith(ctx, request)
    const held = await beginErasure(ctx, request, { isPatient })
    if (held) return markWaiting(ctx, id, held.waits, ctx.now.add({ minutes: WAIT_MINUTES }))
    const begun = { round: progress?.round ?? 0, table: first.table, after: null, changed: 0 }
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
 * What others have of a person by us: the metafields and these tags of customers (numbers of the platform), and passes at Google by their
 * serial numbers.
 */
export type HeldElsewhere = { customerIds: string[]; tags: string[]; googleSerials: string[] }

/**
 * Before a round begins, the platform deletes what we have written there of the person, tags included, and Google's passes are voided;
 * this returns what. From its commit on no metafields are written for them.
 */
export async function withdrawFromOthers(ctx: Ctx, request: DueRequest): Promise<HeldElsewhere> {
  const { subject, progress } = request
  if (!subject || (progress && progress.after !== BEGIN)) return { customerIds: [], tags: [], googleSerials: [] }
  const { asked, person, googleSerials = [] } = subject
  const found = await findPerson(ctx, asked)
  const memberIds = [...new Set([...(person?.memberIds ?? []), ...found.person.memberIds])]
  await withdrawMetafields(ctx, found.person.memberIds)
  return {
    customerIds: [...new Set([...(person?.customerIds ?? []), ...found.person.customerIds])],
    tags: await listOurTags(ctx, memberIds),
    googleSerials: [...new Set([...googleSerials, ...(await listGoogleSerials(ctx, memberIds))])]
  }
}

/** Others still have something of the person: it is tried again for three days. Afterwards what is here is erased all the same. */
export async function waitForOthers(ctx: Ctx, request: DueRequest, why: string): Promise<boolean> {
  const waits = isPatientWith(ctx, request)
  if (waits) await markWaiting(ctx, request.id, why, ctx.now.add({ minutes: WAIT_MINUTES }))
  return waits
}

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
  const again = { round: progress.round + 1, table: at.table, after: BEGIN, changed: 0 }
  const runAt = isLast ? ctx.now : ctx.now.add({ minutes: CHECK_AFTER_MINUTES })
  await markProgress(ctx, id, { progress: again, runAt, status: 'checking' }, rows)
  if (isLast) await markEnded(ctx, id)
}
