import {
  editOf,
  endReady,
  listReadyChanges,
  partsOf,
  type ReadyChange,
  type RefusedChange,
  reportRefusedChanges
} from '#contracts'
import { defineJob, type JobOutcome } from '#kit/jobs'
import type { Connector, PlatformContract } from '#platform'
import { editContractJob } from '#subscriptions'
import type { SyncDeps } from '../deps.ts'
import { readAndApplyContracts } from './read-and-apply-contracts.ts'

/** How often an edit is repeated at once because the contract changed meanwhile. */
const MAX_DRAFTS = 3

const NO_SUCH_CONTRACT = 'The platform has no such contract'

/**
 * Makes requested changes of terms on the platform's contracts, and then applies the edited contracts here. What the platform
 * refuses for good of a change is dropped and reported; a change during a charge waits until the charge has ended.
 */
export const editContracts = defineJob(
  editContractJob,
  async (deps: SyncDeps, storeId, jobs): Promise<JobOutcome[]> => {
    const { db, connectorOf } = deps
    const wanted = jobs.map(({ input }) => input.subscriptionId)
    const { ready, unsettled } = await db.inStore(storeId, (ctx) => listReadyChanges(ctx, wanted))
    const waits = { done: false, waits: true, reason: 'A charge is under way' } as const
    if (ready.length === 0) return wanted.map((id) => (unsettled.includes(id) ? waits : { done: true }))
    const connector = await connectorOf(storeId)
    const read = await connector.contracts.findReadable(
      ready.map(({ subscription }) => subscription.platformContractId)
    )
    if (!read.ok) return jobs.map(() => ({ done: false, reason: read.failure.message }))
    const { contracts, unreadable } = read.value

    const results = await Promise.all(
      ready.map((one): Edited | Promise<Edited> => {
        const { platformContractId: id } = one.subscription
        const reason = unreadable.get(id)
        return reason === undefined ? edit(connector, one, contracts.get(id)) : { outcome: 'failed', reason }
      })
    )
    const failures = new Map<number, string>()
    const edited: Ended[] = []
    const refused: Ended[] = []
    for (const [i, result] of results.entries()) {
      const one = ready[i]!
      if (result.outcome === 'failed') failures.set(one.subscription.id, result.reason)
      else if (result.outcome === 'edited') edited.push({ one, refused: result.refused })
      else refused.push({ one, refused: [{ refused: one, reason: result.reason }] })
    }
    const end = (ended: Ended[]) =>
      db.inStore(storeId, async (ctx) => {
        const whole = ended.map(({ one }) => one)
        await endReady(ctx, whole)
        await reportRefusedChanges(
          ctx,
          ended.flatMap((each) => each.refused)
        )
      })
    if (refused.length > 0) await end(refused)
    if (edited.length > 0) {
      const { failed } = await readAndApplyContracts(
        deps,
        storeId,
        edited.map(({ one }) => one.subscription.platformContractId)
      )
      const reasonOf = ({ one }: Ended) => failed.get(one.subscription.platformContractId)
      for (const each of edited) {
        const reason = reasonOf(each)
        if (reason !== undefined) failures.set(each.one.subscription.id, reason)
      }
      await end(edited.filter((each) => reasonOf(each) === undefined))
    }
    return wanted.map((id): JobOutcome => {
      if (unsettled.includes(id)) return waits
      const reason = failures.get(id)
      return reason === undefined ? { done: true } : { done: false, reason }
    })
  }
)

/** A change that is not to be made again, with what was refused of it. */
type Ended = { one: ReadyChange; refused: RefusedChange[] }

type EditedPart = { outcome: 'edited' } | { outcome: 'refused' | 'failed'; reason: string }
type Edited = { outcome: 'edited'; refused: RefusedChange[] } | { outcome: 'refused' | 'failed'; reason: string }

/**
 * Makes the change. If the platform refuses it for good, its terms and its payment method are tried one by one: they may come
 * from different requests, and one that is refused does not drop the other.
 */
async function edit(connector: Connector, one: ReadyChange, contract: PlatformContract | undefined): Promise<Edited> {
  if (!contract) return { outcome: 'refused', reason: NO_SUCH_CONTRACT }
  const whole = await editPart(connector, one, contract)
  if (whole.outcome === 'edited') return { outcome: 'edited', refused: [] }
  const parts = partsOf(one)
  if (whole.outcome === 'failed' || parts.length === 1) return whole
  const refused: RefusedChange[] = []
  for (const part of parts) {
    const made = await editPart(connector, part, contract)
    if (made.outcome === 'failed') return made
    if (made.outcome === 'refused') refused.push({ refused: part, reason: made.reason })
  }
  return refused.length === parts.length ? whole : { outcome: 'edited', refused }
}

/** Edits the contract. One that changed meanwhile is read again: its price may be another one now, which stays. */
async function editPart(connector: Connector, part: ReadyChange, read: PlatformContract): Promise<EditedPart> {
  let contract = read
  for (let drafts = 1; ; drafts++) {
    const wanted = editOf(part, contract)
    if (typeof wanted === 'string') return { outcome: 'refused', reason: wanted }
    const result = await connector.contracts.edit(wanted)
    if (result.ok) return { outcome: 'edited' }
    const { kind, code, message } = result.failure
    const isStale = code === 'stale_contract'
    if (kind === 'rejected' && !isStale) return { outcome: 'refused', reason: message }
    if (!isStale || drafts === MAX_DRAFTS) return { outcome: 'failed', reason: message }
    const again = await connector.contracts.find(contract.id)
    if (!again.ok) return { outcome: 'failed', reason: again.failure.message }
    if (!again.value) return { outcome: 'refused', reason: NO_SUCH_CONTRACT }
    contract = again.value
  }
}
