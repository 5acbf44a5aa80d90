import { bool, type Ctx, row, sql, text } from '#kit/postgres'

const MAX_REASON_CHARACTERS = 500

/**
 * Notes contracts that are on the platform and could not be read or taken over, and why. The answer is those that were not noted
 * before.
 */
export async function quarantineContracts(ctx: Ctx, reasons: ReadonlyMap<string, string>): Promise<string[]> {
  if (reasons.size === 0) return []
  const shown = [...reasons.values()].map((reason) => reason.replaceAll('\0', '').slice(0, MAX_REASON_CHARACTERS))
  const noted = await ctx.tx.many(
    row({ contractId: text, isNew: bool }),
    sql`
    insert into quarantined_contracts (store_id, contract_id, reason, since)
    select ${ctx.storeId}, t.id, t.reason, ${ctx.now}
      from unnest(${[...reasons.keys()]}::text[], ${shown}::text[]) as t(id, reason)
    on conflict (store_id, contract_id) do update set reason = excluded.reason
    returning contract_id, xmax = 0 as is_new`
  )
  return noted.flatMap(({ contractId, isNew }) => (isNew ? contractId : []))
}

/** Nothing stands in the way of these contracts any more. */
export async function releaseQuarantinedContracts(ctx: Ctx, contractIds: string[]): Promise<void> {
  await ctx.tx.run(
    sql`delete from quarantined_contracts where store_id = ${ctx.storeId} and contract_id = any(${contractIds}::text[])`
  )
}
