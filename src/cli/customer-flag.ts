import type { AdminApi } from './admin-api.ts'
import { storePath } from './commands/store-flag.ts'
import { matching } from './flags.ts'

/** Names a customer. */
export const customerText = matching(
  "a customer id such as cust_24, the platform's number, its global id, or an e-mail address",
  /^(cust_\d{1,18}|\d{1,20}|gid:\/\/\S+|[^\s@]+@[^\s@]+)$/
)

/** Paths and filters of the admin API take ids: of an address, the id of the customer who has it, member or not. */
export async function customerIdOf(
  api: AdminApi,
  store: string,
  given: string | undefined
): Promise<string | undefined> {
  if (!given?.includes('@')) return given
  const { id } = await api.get(storePath(store, `/customers/${encodeURIComponent(given)}`))
  return String(id)
}
