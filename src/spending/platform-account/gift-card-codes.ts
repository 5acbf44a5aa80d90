import { randomInt, randomUUID } from 'node:crypto'
import type { Vault } from '#kit/secrets'

/** Without letters and digits that look alike. */
const ALPHABET = 'abcdefghjkmnpqrstuvwxyz23456789'
const LENGTH = 16
const NOTE = /^perennial:([0-9a-f-]{36})$/

/** A code that nobody can guess, and the reference that the notes of the card have. */
export function newGiftCard(vault: Vault, storeId: number) {
  const code = Array.from({ length: LENGTH }, () => ALPHABET[randomInt(ALPHABET.length)]).join('')
  const reference = newReference()
  return { code: vault.seal(purposeOf(storeId, reference), code), lastCharacters: code.slice(-4), reference }
}

/** The code of a card. */
export const openCode = (vault: Vault, storeId: number, card: { reference: string; code: Buffer }): string =>
  vault.open(purposeOf(storeId, card.reference), card.code)

const purposeOf = (storeId: number, reference: string) => `spending.gift_card_code:${storeId}:${reference}`

/** Names a card, or one credit or debit of it. */
export const newReference = (): string => randomUUID()

/** What the note says of a card or a transaction that is ours. */
export const noteOf = (reference: string): string => `perennial:${reference}`

/** The reference in a note; null in one that is not ours. */
export const referenceIn = (note: string | null | undefined): string | null => NOTE.exec(note ?? '')?.[1] ?? null
