import type { Connector, PlatformCreditMove, PlatformResult } from '#platform'
import { noteOf } from './gift-card-codes.ts'
import type { Named } from './read-accounts.ts'

/** A gift card that is changed. `code`: it is to be made with it. */
type ChangedCard = { id: number; platformId: string | null; code: string | null; reference: string }

/**
 * What is to be sent. A push is recorded: a credit or debit of the account, or of a card, or the making of one. `isLast`: the customer's
 * credit is as it should be then.
 */
export type Change = Named & { version: number } & (
    | {
        what: 'push'
        pushId: number
        amountMinor: number
        currency: string
        endBy: number
        card: ChangedCard | null
        isLast: boolean
      }
    | { what: 'close' | 'notify'; cardId: number; platformCardId: string }
  )
export type Push = Extract<Change, { what: 'push' }>

/** `cardMade`: the number of a card that was made; its first transaction is read afterwards. */
export type Sent =
  | { step: 'push'; change: Push; moved: PlatformResult<PlatformCreditMove | { cardMade: string }> }
  | { step: 'asked'; change: Exclude<Change, Push>; done: PlatformResult<null> }

/** Sends one change. */
export async function send(
  { storeCredit, giftCards }: Pick<Connector, 'storeCredit' | 'giftCards'>,
  change: Change
): Promise<Sent> {
  if (change.what !== 'push') {
    const ask = change.what === 'close' ? giftCards.deactivate : giftCards.notifyCustomer
    return { step: 'asked', change, done: await ask(change.platformCardId) }
  }
  const { card, platformId, amountMinor, currency, endBy } = change
  const size = Math.abs(amountMinor)
  if (card === null) {
    const moved =
      amountMinor > 0
        ? await storeCredit.credit(platformId, size, currency, { endBy })
        : await storeCredit.debit(platformId, size, currency, { endBy })
    return { step: 'push', change, moved }
  }
  const note = noteOf(card.reference)
  if (card.platformId === null) {
    const made = await giftCards.create(
      { customerId: platformId, code: card.code!, amountMinor, currency, note },
      { endBy }
    )
    return { step: 'push', change, moved: made.ok ? { ok: true, value: { cardMade: made.value.id } } : made }
  }
  const move = { amountMinor: size, currency, note }
  const moved =
    amountMinor > 0
      ? await giftCards.credit(card.platformId, move, { endBy })
      : await giftCards.debit(card.platformId, move, { endBy })
  return { step: 'push', change, moved }
}
