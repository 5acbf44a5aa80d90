import { record } from '#kit/outbox'
import { type Ctx, sentTogether } from '#kit/postgres'
import type { Refusal } from '#kit/refusal'
import { type KnownCustomer, listCustomers } from '#members'
import { storeContext } from '#stores'
import { API_OPERATION, type Credit, type CreditChange, type CreditEntry } from './credit.ts'
import { creditAdded } from './events/credit-added.ts'
import { creditDeducted } from './events/credit-deducted.ts'
import { historyChanged } from './events/history-changed.ts'
import { reservationChanged } from './events/reservation-changed.ts'
import { openAccounts } from './open-accounts.ts'
import { creditOf, type Draft, type NewEntry, planChange } from './plan-change.ts'
import { listEntriesOf, takeEntryIds, writeLedger } from './queries.ts'
import { customerDeleted, expiresInThePast, notEnoughCredit, tooMuchCredit } from './refusals.ts'
import { writeReservations } from './reservation-queries.ts'

/**
 * The outcome of one change: its entry and the account right after it, or a refusal. `isRepeated`: the operation had an entry
 * already, and nothing happened now.
 */
export type CreditOutcome =
  | { refusal: Refusal; entry?: undefined; credit?: undefined }
  | { refusal?: undefined; entry: CreditEntry; credit: Credit; isRepeated: boolean }

/** What the platform says of a deleted customer is entered all the same, and so is what they get back. */
const ADDED_BY_PEOPLE = new Set<CreditChange['type']>(['manual_add', 'import'])

/**
 * Applies changes of store credit in the given order: a later change of a member sees the earlier ones. Each is independent: a
 * refused one writes nothing, and the others are applied. Each applied change is recorded as one event. `known`: the customers, if
 * they are read already. A change of somebody who was merged into another is one of who was kept; adding credit by hand or by a file for
 * a customer who is deleted on the platform is refused.
 */
export async function changeCredits(
  ctx: Ctx,
  changes: CreditChange[],
  known: KnownCustomer[] | null = null
): Promise<CreditOutcome[]> {
  if (changes.length === 0) return []
  const operations = changes.map(({ operationId }) => operationId)
  const members = [...new Set(changes.map(({ memberId }) => memberId))]
  const opened = openAccounts(
    ctx,
    changes.map((change) => ({
      memberId: change.memberId,
      isOwn: change.isOwn === true,
      adds:
        change.isCapped === true ||
        change.shortfallMinor !== undefined ||
        (change.amountMinor > 0 && !isPast(ctx, change)),
      spends: Math.max(0, -change.amountMinor),
      lotsOf: [
        ...(change.returns ?? []).map(({ entryId }) => entryId),
        ...(change.reversesId ? [change.reversesId] : [])
      ]
    })),
    () => sentTogether(listEntriesOf(ctx, operations), takeEntryIds(ctx, changes.length))
  )
  const [opening, { currency }, customers] = await sentTogether(
    opened,
    storeContext(ctx),
    known ?? listCustomers(ctx, members)
  )
  const {
    drafts,
    draftOf,
    read: [written, ids]
  } = opening
  const byOperation = new Map<string, CreditEntry | NewEntry>(written.map((entry) => [entry.operationId, entry]))

  const planned: NewEntry[] = []
  const outcomes = changes.map((change) => {
    const draft = draftOf(change.memberId)
    const before = byOperation.get(change.operationId)
    if (before) return { entry: before, credit: creditOf(draft), isRepeated: true }
    if (isPast(ctx, change)) return { refusal: expiresInThePast(ctx.now) }
    if (draft.isDeleted && change.amountMinor > 0 && ADDED_BY_PEOPLE.has(change.type)) {
      return { refusal: customerDeleted(draft.memberId) }
    }
    const entry = planChange(draft, change, ctx.now)
    if (entry === 'not enough') return { refusal: notEnoughCredit(creditOf(draft), -change.amountMinor, currency) }
    if (entry === 'too much') return { refusal: tooMuchCredit() }
    planned.push(entry)
    byOperation.set(change.operationId, entry)
    return { entry, credit: creditOf(draft), isRepeated: false }
  })

  const { entries } = await writeAccounts(ctx, drafts, planned, { customers, ids })
  return outcomes.map((outcome) => {
    if (!outcome.entry) return outcome
    return { ...outcome, entry: entries.get(outcome.entry.operationId) ?? (outcome.entry as CreditEntry) }
  })
}

/**
 * Writes planned entries with their accounts, lots and reservations, and what was collected as reservations ended, and records an event of
 * each entry. Returns the entries, and the numbers of new reservations, by operation id. `known`: the customers of the entries and ids for
 * them, if they were read and taken already.
 */
export async function writeAccounts(
  ctx: Ctx,
  drafts: Draft[],
  planned: NewEntry[],
  known: { customers: KnownCustomer[]; ids: number[] } | null = null
): Promise<{ entries: Map<string, CreditEntry>; reservations: Map<string, number> }> {
  // In the order of their positions: the ids of an account rise as these do.
  const collected = drafts.flatMap((draft) => draft.collected)
  const all = [...planned, ...collected].sort((a, b) => a.position - b.position)
  const members = new Set(all.map((entry) => entry.memberId))
  const isChanged = ({ memberId, lots, reservations }: Draft) =>
    members.has(memberId) || lots.some((lot) => lot.isChanged) || reservations.some((r) => r.isChanged)
  const changed = drafts.filter(isChanged)
  if (changed.length === 0) return { entries: new Map(), reservations: new Map() }
  const [{ currency }, ids] = await sentTogether(storeContext(ctx), takeMissingIds(ctx, known?.ids ?? [], all.length))
  const numbered = all.map((entry, i) => ({ ...entry, id: ids[i]! }))
  writeLedger(ctx, changed, numbered)
  const written = numbered.map(({ spent, heldBy, takeBackId, ...entry }): CreditEntry => entry)
  const entries = new Map(written.map((entry) => [entry.operationId, entry]))
  const reservations = changed.some((draft) => draft.reservations.some((r) => r.isChanged))
    ? await writeReservations(ctx, changed, new Map(written.map(({ operationId, id }) => [operationId, id])))
    : new Map<string, number>()
  // What a capture spends is told by its entry.
  const held = changed.filter(({ reservations }) => reservations.some((r) => r.isChanged && r.status !== 'captured'))
  if (held.length > 0) await record(ctx, ...held.map(reservationChanged))
  const moved = written.filter(({ amountMinor }) => amountMinor !== 0)
  if (moved.length > 0) {
    const emails = new Map(known?.customers.map(({ id, email }) => [id, email]))
    const unknown = [...members].filter((id) => !emails.has(id))
    if (unknown.length > 0) for (const { id, email } of await listCustomers(ctx, unknown)) emails.set(id, email)
    const facts = moved.map((entry) => {
      const fact = entry.amountMinor > 0 ? creditAdded : creditDeducted
      return { ...fact(entry, emails.get(entry.memberId) ?? null, currency), ...requestOf(entry) }
    })
    await record(ctx, ...facts)
  }
  const unmoved = new Set(written.flatMap(({ amountMinor, memberId }) => (amountMinor === 0 ? [memberId] : [])))
  if (unmoved.size > 0) await record(ctx, ...[...unmoved].map((memberId) => historyChanged({ memberId })))
  return { entries, reservations }
}

/** Requests of the API share a transaction: each entry names its own. */
const requestOf = ({ operationId }: CreditEntry) =>
  operationId.startsWith(API_OPERATION) ? { requestId: operationId.slice(API_OPERATION.length) } : {}

/** Ids for so many entries: those that were taken before, and later ones. */
async function takeMissingIds(ctx: Ctx, taken: number[], count: number): Promise<number[]> {
  return count <= taken.length ? taken : [...taken, ...(await takeEntryIds(ctx, count - taken.length))]
}

function isPast(ctx: Ctx, { expiresAt = null }: CreditChange): boolean {
  return expiresAt !== null && Temporal.Instant.compare(expiresAt, ctx.now) <= 0
}
