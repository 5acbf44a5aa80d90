import type { AdminApi, Document } from './admin-api.ts'
import { CommandError } from './command-error.ts'
import { storePath } from './commands/store-flag.ts'
import { matching } from './flags.ts'

/** Names a customer in a filter. */
export const customerText = matching(
  "a customer id such as cust_24, the platform's number, its global id, or a member's e-mail address",
  /^(cust_\d{1,18}|\d{1,20}|gid:\/\/\S+|[^\s@]+@[^\s@]+)$/
)

/** The filters of the admin API take ids: of an address, the platform's number of the member who has it. */
export async function customerIdOf(
  api: AdminApi,
  store: string,
  given: string | undefined
): Promise<string | undefined> {
  if (!given?.includes('@')) return given
  const query = new URLSearchParams({ email: given, limit: '2' })
  const members = (await api.get(storePath(store, `/members?${query}`))).data as Document[]
  if (members.length === 1) return String(members[0]!.platform_customer_id)
  const found = members.length === 0 ? 'No member has' : 'Several members have'
  throw new CommandError('not_found', `${found} the address ${given}: give --customer an id, or the platform's number`)
}
