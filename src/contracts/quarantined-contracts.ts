import { waitingKeys } from '#kit/jobs'
import { bool, type Ctx, row, sql, text } from '#kit/postgres'
import { shortenList } from '#kit/texts'
import { type NewAlert, notify } from '#stores'
import { enqueueContractSync, syncContractJob } from '#subscriptions'

const MAX_REASON_CHARACTERS = 500
/** An alert names up to ten contracts in at most 2,000 characters. */
const MAX_REASON_IN_ALERT = 100

/**
 * Records contracts that are on the platform and could not be read or taken over, each with its reason. They are read again
 * later, and one alert names those that were not quarantined before.
 */
export async function quarantineContracts(ctx: Ctx, reasons: ReadonlyMap<string, string>): Promise<void> {
  if (reasons.size === 0) return
  const ids = [...reasons.keys()]
  const shown = [...reasons.values()].map((reason) => reason.replaceAll('\0', '').slice(0, MAX_REASON_CHARACTERS))
  const reasonOf = new Map(ids.map((id, i) => [id, shown[i]!]))
  const recorded = await ctx.tx.many(
    row({ contractId: text, isNew: bool }),
    sql`
    insert into quarantined_contracts (store_id, contract_id, reason, since)
    select ${ctx.storeId}, t.id, t.reason, ${ctx.now}
      from unnest(${ids}::text[], ${shown}::text[]) as t(id, reason)
    on conflict (store_id, contract_id) do update set reason = excluded.reason
    returning contract_id, xmax = 0 as is_new`
  )
  // A job that is there already waits for its next time.
  const waiting = await waitingKeys(ctx, syncContractJob, ids)
  await enqueueContractSync(
    ctx,
    ids.filter((id) => !waiting.has(id))
  )
  const fresh = recorded.flatMap(({ contractId, isNew }) => (isNew ? contractId : []))
  if (fresh.length > 0) await notify(ctx, quarantineAlert(fresh, reasonOf))
}

const quarantineAlert = (contractIds: string[], reasonOf: ReadonlyMap<string, string>): NewAlert => ({
  kind: 'contracts_quarantined',
  subject: `Contracts of the platform that could not be taken over: ${contractIds.length}`,
  message:
    `The platform's data of these contracts could not be read or stored (${shortenList(
      contractIds.map((id) => `contract ${id}: ${reasonOf.get(id)!.slice(0, MAX_REASON_IN_ALERT)}`),
      '; '
    )}). ` +
    'They are read again, in the end every six hours. Until then their changes are not applied; those of all others are. ' +
    '`perennial doctor` has the list.'
})

/** These contracts could be read: they are quarantined no longer. */
export async function releaseQuarantinedContracts(ctx: Ctx, contractIds: string[]): Promise<void> {
  await ctx.tx.run(
    sql`delete from quarantined_contracts where store_id = ${ctx.storeId} and contract_id = any(${contractIds}::text[])`
  )
}
