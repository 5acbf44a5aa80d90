import { bytes, type Database, row, sql, text } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { openCredentials } from './platform-access.ts'

/**
 * Whether the vault's key opens the installation's secrets: those of one of the newest stores. Several are tried, so that one
 * damaged row does not prevent a start. True when there is no store.
 */
export async function isMasterKeyValid(db: Database, vault: Vault): Promise<boolean> {
  const newest = await db.inInstallation((tx) =>
    tx.many(
      row({ domain: text, platformCredentials: bytes }),
      sql`select domain, platform_credentials from stores order by store_id desc limit 3`
    )
  )
  return newest.length === 0 || newest.some((store) => opens(vault, store))
}

function opens(vault: Vault, { domain, platformCredentials }: { domain: string; platformCredentials: Buffer }) {
  try {
    openCredentials(vault, domain, platformCredentials)
    return true
  } catch {
    return false
  }
}
