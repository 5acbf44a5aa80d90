import type { Database } from '#kit/postgres'
import type { Vault } from '#kit/secrets'
import { deleteFromCustomers } from '#mirror'
import type { Connector, PlatformFailure } from '#platform'
import { type WalletUrls, withdrawGooglePasses } from '#wallet'
import type { StoredSubject } from './request.ts'

type Deps = {
  db: Database
  vault: Vault
  /** The connector to a store's platform; null while it is disconnected. */
  connectorOrNull: (storeId: number) => Promise<Connector | null>
  walletUrls?: WalletUrls | undefined
}

/**
 * Has others delete what they have by us of a person: the platform tags and metafields, Google passes. Returns what they still have and why,
 * in sentences that tell nothing of the person; null: nothing. Safe to repeat. Not inside a transaction.
 */
export async function deleteElsewhere(
  { connectorOrNull, ...deps }: Deps,
  storeId: number,
  { person, tags = [], googleSerials = [] }: StoredSubject
): Promise<string | null> {
  const customerIds = person?.customerIds ?? []
  const onPlatform =
    customerIds.length > 0 ? await deleteThere(await connectorOrNull(storeId), customerIds, tags) : null
  const atGoogle = await withdrawGooglePasses(deps, storeId, googleSerials)
  const left = [
    ...(onPlatform === null ? [] : [onPlatform]),
    ...(atGoogle === null ? [] : [`Google still has the wallet pass of the customer: ${atGoogle}`.slice(0, 300)])
  ]
  return left.length === 0 ? null : left.join('. ')
}

async function deleteThere(connector: Connector | null, ids: string[], tags: string[]): Promise<string | null> {
  const ours = tags.length === 0 ? [] : [`the tags ${tags.map((tag) => JSON.stringify(tag)).join(', ')}`]
  const all = [...ours, 'the metafields']
  if (!connector) return sentence(all, 'the store is disconnected from it')
  const left = await deleteFromCustomers(connector, ids, tags)
  const failure = left.tags ?? left.metafields
  if (!failure) return null
  return sentence([...(left.tags ? ours : []), ...(left.metafields ? ['the metafields'] : [])], reasonOf(failure))
}

const sentence = (what: string[], why: string) => `The platform still has ${what.join(' and ')} of the customer: ${why}`

/** What the platform says to a request about a customer may name them; only of access it does not. */
function reasonOf({ kind, message, code }: PlatformFailure): string {
  if (kind === 'unauthorized') return message
  const said = code === undefined ? '' : ` (${code})`
  return kind === 'rejected' ? `it refuses to delete that${said}` : `it was not reached${said}`
}
