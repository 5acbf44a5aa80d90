import { randomToken } from '#kit/secrets'

export type KeyMode = 'test' | 'live'

const SECRET_LENGTH = 32

/** `svc_test_<store in base 36>_<32 random characters>`: the store is in the key, so that a look-up is bound to it. */
export function makeKeyText(mode: KeyMode, storeId: number): string {
  return `svc_${mode}_${storeId.toString(36)}_${randomToken(SECRET_LENGTH)}`
}

/** The store that a presented text claims, or null when it has not the form of a key. */
export function storeIdInKey(presented: string): number | null {
  const store = /^svc_(?:test|live)_([1-9a-z][0-9a-z]{0,10})_[0-9A-Za-z]{32}$/.exec(presented)?.[1]
  if (!store) return null
  const id = Number.parseInt(store, 36)
  return Number.isSafeInteger(id) ? id : null
}

/** What is still shown of a key, so that people can tell theirs apart. */
export function keyHint(key: string): string {
  return key.slice(-4)
}
