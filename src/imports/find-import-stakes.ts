import type { ImportStake } from '#contracts'
import type { Ctx } from '#kit/postgres'
import type { PlatformContract } from '#platform'
import { fetchingSince } from './queries.ts'
import { listKeysInCreation, listRowsOfContracts } from './row-queries.ts'

/**
 * What imports have to do with contracts that are new here, by id; others are left out. An import is `creating` a contract before
 * we have the platform's response. It has `awaited` what it has still to take over, or, while the platform's list is fetched, may
 * have: the import knows how the contract begins. It has `left` out what it named and did not take over.
 */
export async function findImportStakes(ctx: Ctx, contracts: PlatformContract[]): Promise<Map<string, ImportStake>> {
  if (contracts.length === 0) return new Map()
  const keys = contracts.flatMap(({ createKey }) => createKey ?? [])
  const creating = keys.length === 0 ? new Set<string>() : await listKeysInCreation(ctx, keys)
  const named = new Map(
    (
      await listRowsOfContracts(
        ctx,
        contracts.map(({ id }) => id)
      )
    ).map(({ contractId, isAwaited }) => [contractId, isAwaited])
  )
  const fetching = await fetchingSince(ctx)
  const stakeOf = ({ id, createKey, createdAt }: PlatformContract): ImportStake | null => {
    if (createKey && creating.has(createKey)) return 'creating'
    const isListed = fetching && Temporal.Instant.compare(createdAt, fetching) < 0
    if (named.get(id) || isListed) return 'awaited'
    return named.has(id) ? 'left' : null
  }
  return new Map(
    contracts.flatMap((contract) => {
      const stake = stakeOf(contract)
      return stake ? [[contract.id, stake] as const] : []
    })
  )
}
