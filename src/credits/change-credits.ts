import { record } from '#kit/outbox'
import type { Ctx } from '#kit/postgres'
import type { Refusal } from '#kit/refusal'
import { listCustomers } from '#members'
import { storeContext } from '#stores'
import type { Credit, CreditChange, CreditEntry } from './credit.ts'
import { creditAdded } from './events/credit-added.ts'
import { creditDeducted } from './events/credit-deducted.ts'
import { availableOf, creditOf, type Draft, type NewEntry, planChange } from './plan-change.ts'
import { insertMissingAccounts, listEntriesOf, listSpendable, lockAccounts, writeLedger } from './queries.ts'
import { expiresInThePast, notEnoughCredit, tooMuchCredit } from './refusals.ts'

/**
 * The outcome of one change: its entry and the account right after it, or a refusal. `isRepeated`: the operation had an entry
 * already, and nothing happened now.
 */
export type CreditOutcome =
  | { refusal: Refusal; entry?: undefined; credit?: undefined }
  | { refusal?: undefined; entry: CreditEntry; credit: Credit; isRepeated: boolean }

/** How many lots are read first for a member who spends; most members have far fewer. */
const LOTS_AT_FIRST = 50

/**
 * Applies changes of store credit in the given order: a later change of a member sees the earlier ones. Each is independent: a
 * refused one writes nothing, and the others are applied. Each applied change is recorded as one event.
 */
export async function changeCredits(ctx: Ctx, changes: CreditChange[]): Promise<CreditOutcome[]> {
  if (changes.length === 0) return []
  const { currency } = await storeContext(ctx)
  const drafts = await draftAccounts(ctx, changes)
  const byOperation = new Map<string, CreditEntry | NewEntry>(
    (
      await listEntriesOf(
        ctx,
        changes.map((c) => c.operationId)
      )
    ).map((entry) => [entry.operationId, entry])
  )

  const planned: NewEntry[] = []
  const outcomes = changes.map((change) => {
    const draft = drafts.get(change.memberId) ?? emptyDraft(change.memberId)
    const before = byOperation.get(change.operationId)
    if (before) return { entry: before, credit: creditOf(draft), isRepeated: true }
    if (isPast(ctx, change)) return { refusal: expiresInThePast(ctx.now) }
    const entry = planChange(draft, change, ctx.now)
    if (entry === 'not enough') return { refusal: notEnoughCredit(creditOf(draft), -change.amountMinor, currency) }
    if (entry === 'too much') return { refusal: tooMuchCredit() }
    planned.push(entry)
    byOperation.set(change.operationId, entry)
    return { entry, credit: creditOf(draft), isRepeated: false }
  })

  const written = await writeEntries(ctx, [...drafts.values()], planned)
  return outcomes.map((outcome) => {
    if (!outcome.entry) return outcome
    return { ...outcome, entry: written.get(outcome.entry.operationId) ?? (outcome.entry as CreditEntry) }
  })
}

/** Writes planned entries with their accounts and lots, and records an event of each. By operation id. */
export async function writeEntries(ctx: Ctx, drafts: Draft[], planned: NewEntry[]): Promise<Map<string, CreditEntry>> {
  if (planned.length === 0) return new Map()
  const { currency } = await storeContext(ctx)
  const members = new Set(planned.map((entry) => entry.memberId))
  const written = await writeLedger(
    ctx,
    drafts.filter((draft) => members.has(draft.memberId)),
    planned
  )
  const emails = new Map((await listCustomers(ctx, [...members])).map(({ id, email }) => [id, email]))
  const facts = written.map((entry) => {
    const fact = entry.amountMinor > 0 ? creditAdded : creditDeducted
    return fact(entry, emails.get(entry.memberId) ?? null, currency)
  })
  await record(ctx, ...facts)
  return new Map(written.map((entry) => [entry.operationId, entry]))
}

/** Locked accounts by member. Added credit creates an account; without an account there is nothing to deduct. */
async function draftAccounts(ctx: Ctx, changes: CreditChange[]): Promise<Map<number, Draft>> {
  const wanted = [...new Set(changes.map((c) => c.memberId))]
  const accounts = await lockAccounts(ctx, wanted)
  const known = new Set(accounts.map((a) => a.memberId))
  const additions = changes.filter((c) => c.amountMinor > 0 && !isPast(ctx, c))
  const missing = [...new Set(additions.map((c) => c.memberId))].filter((id) => !known.has(id))
  if (missing.length > 0) {
    await insertMissingAccounts(ctx, missing)
    accounts.push(...(await lockAccounts(ctx, missing)))
  }
  const drafts = new Map(accounts.map((a) => [a.memberId, { ...a, dueMinor: 0, lots: [] } as Draft]))
  await readLots(ctx, drafts, spendingOf(changes))
  return drafts
}

function isPast(ctx: Ctx, { expiresAt = null }: CreditChange): boolean {
  return expiresAt !== null && Temporal.Instant.compare(expiresAt, ctx.now) <= 0
}

/** The most that the changes can deduct from each account. */
function spendingOf(changes: CreditChange[]): Map<number, number> {
  const spending = new Map<number, number>()
  for (const { memberId, amountMinor } of changes) {
    spending.set(memberId, (spending.get(memberId) ?? 0) + Math.max(0, -amountMinor))
  }
  return spending
}

/** Reads lots until they cover the amount that may be spent: an account may have very many, and most changes need one or two. */
async function readLots(ctx: Ctx, drafts: Map<number, Draft>, spending: Map<number, number>): Promise<void> {
  let open = [...drafts.values()].map((draft) => ({ draft, spends: spending.get(draft.memberId) ?? 0 }))
  for (let most = LOTS_AT_FIRST; open.length > 0; most *= 10) {
    const rows = await listSpendable(
      ctx,
      open.map(({ draft, spends }) => ({ memberId: draft.memberId, most: spends > 0 ? most : 0 }))
    )
    const byMember = Map.groupBy(rows, (r) => r.memberId)
    open = open.filter(({ draft, spends }) => {
      const found = byMember.get(draft.memberId)!
      draft.dueMinor = found[0]!.dueMinor
      draft.lots = found.flatMap(({ entryId, remainingMinor, expiresAt }) =>
        entryId === null
          ? []
          : [{ entryId, operationId: null, expiresAt, remainingMinor: remainingMinor!, isChanged: false }]
      )
      const covered = draft.lots.reduce((sum, lot) => sum + lot.remainingMinor, 0)
      return draft.lots.length === most && covered < Math.min(spends, availableOf(draft))
    })
  }
}

function emptyDraft(memberId: number): Draft {
  return { memberId, balanceMinor: 0, entries: 0, updatedAt: null, dueMinor: 0, lots: [] }
}
