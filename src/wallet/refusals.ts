import { publicId } from '#kit/ids'
import { Busy, invalidField, Refusal } from '#kit/refusal'
import { MAX_METAFIELD_BYTES } from '#platform'

export type WalletKind = 'apple' | 'google'

const NAME_OF: Record<WalletKind, string> = { apple: 'Apple Wallet', google: 'Google Wallet' }

export const passesSwitchedOff = () => new Refusal('not_found', 'The shop has no wallet passes')

export const walletNotSetUp = (kind: WalletKind) =>
  new Refusal('not_found', `The shop has no passes for ${NAME_OF[kind]}: its credentials are not set`)

export const noMembershipForPass = () => new Refusal('forbidden', 'Only members have a pass')

export const membershipEnded = () => new Refusal('forbidden', 'The membership has ended, and its pass with it')

export const googleAway = () => new Busy('Google Wallet does not take the pass at the moment; try again later')

export const campaignNotFound = (id: string) =>
  new Refusal('not_found', `There is no sale campaign ${id.slice(0, 100)}`)

export const tooManyCampaigns = (max: number) =>
  new Refusal('conflict', `A store has at most ${max} sale campaigns: remove one first`)

export const campaignsTooLong = (field: string, bytes: number) =>
  invalidField(
    field,
    `must be shorter, or another sale campaign removed: all of them come to ${bytes} bytes as the metafield svc_wallet_pass_sale_campaigns, of which the platform takes at most ${MAX_METAFIELD_BYTES}`
  )

export const campaignEndsBefore = (id: number | null) =>
  new Refusal('invalid_request', `ends_at must be after starts_at${id === null ? '' : ` of ${publicId('wpc', id)}`}`, [
    { field: 'ends_at', code: 'invalid', message: 'must be after starts_at' }
  ])

/** The wallet that a text names. */
export function walletOf(name: string): WalletKind {
  if (name === 'apple' || name === 'google') return name
  throw new Refusal('not_found', `There is no wallet ${name.slice(0, 100)}: there are apple and google`)
}
