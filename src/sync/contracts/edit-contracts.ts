import { editOf, endReady, listReadyChanges, type ReadyChange, refuseChange } from '#contracts'
import { defineJob, type JobOutcome } from '#kit/jobs'
import type { ChangedContract, Connector, ContractEdit, PlatformContract, PlatformResult } from '#platform'
import { editContractJob } from '#subscriptions'
import type { SyncDeps } from '../deps.ts'
import { readAndApplyContracts } from './read-and-apply-contracts.ts'

/** How often an edit is repeated at once because the contract changed meanwhile. */
const MAX_DRAFTS = 3

/**
 * Makes requested changes of terms on the platform's contracts, and then applies the edited contracts here. A change that the
 * platform refuses for good is dropped; a change during a charge waits until the charge has ended.
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
    const edited: ReadyChange[] = []
    for (const [i, result] of results.entries()) {
      const one = ready[i]!
      if (result.outcome === 'edited') edited.push(one)
      else if (result.outcome === 'refused') await db.inStore(storeId, (ctx) => refuseChange(ctx, one, result.reason))
      else failures.set(one.subscription.id, result.reason)
    }
    if (edited.length > 0) {
      const { failed } = await readAndApplyContracts(
        deps,
        storeId,
        edited.map(({ subscription }) => subscription.platformContractId)
      )
      const reasonOf = ({ subscription }: ReadyChange) => failed.get(subscription.platformContractId)
      for (const one of edited) {
        const reason = reasonOf(one)
        if (reason !== undefined) failures.set(one.subscription.id, reason)
      }
      const synced = edited.filter((one) => reasonOf(one) === undefined)
      await db.inStore(storeId, (ctx) => endReady(ctx, synced))
    }
    return wanted.map((id): JobOutcome => {
      if (unsettled.includes(id)) return waits
      const reason = failures.get(id)
      return reason === undefined ? { done: true } : { done: false, reason }
    })
  }
)

type Edited = { outcome: 'edited' } | { outcome: 'refused' | 'failed'; reason: string }

async function edit(connector: Connector, one: ReadyChange, contract: PlatformContract | undefined): Promise<Edited> {
  if (!contract) return { outcome: 'refused', reason: 'The platform has no such contract' }
  const wanted = editOf(one, contract)
  if (typeof wanted === 'string') return { outcome: 'refused', reason: wanted }
  const result = await editUnlessStale(connector, wanted)
  if (result.ok) return { outcome: 'edited' }
  const { kind, code, message } = result.failure
  const isFinal = kind === 'rejected' && code !== 'stale_contract'
  return { outcome: isFinal ? 'refused' : 'failed', reason: message }
}

async function editUnlessStale(connector: Connector, edit: ContractEdit): Promise<PlatformResult<ChangedContract>> {
  for (let drafts = 1; ; drafts++) {
    const result = await connector.contracts.edit(edit)
    if (result.ok || result.failure.code !== 'stale_contract' || drafts === MAX_DRAFTS) return result
  }
}
