import { randomToken } from '#kit/secrets'

export type KeyMode = 'test' | 'live'

const SECRET_LENGTH = 32

/** `svc_test_<store in base 36>_<32 random characters>`. The store is in the key, so that a lookup is limited to that store. */
export function makeKeyText(mode: KeyMode, storeId: number): string {
  return `svc_${mode}_${storeId.toString(36)}_${randomToken(SECRET_LENGTH)}`
}

/** The store in a key; null when the text does not have the form of a key. */
export function storeIdInKey(presented: string): number | null {
  const store = /^svc_(?:test|live)_([1-9a-z][0-9a-z]{0,10})_[0-9A-Za-z]{32}$/.exec(presented)?.[1]
  if (!store) return null
  const id = Number.parseInt(store, 36)
  return Number.isSafeInteger(id) ? id : null
}

/** The part of a key that is shown later, so that people can tell keys apart. */
export function keyHint(key: string): string {
  return key.slice(-4)
}
