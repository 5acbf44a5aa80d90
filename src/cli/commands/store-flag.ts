import { needed, text } from '../flags.ts'

/** The store that a command is about. */
export const storeFlag = needed('--store <store>', text("a store's domain or id"))

export function storePath(store: string, rest = ''): string {
  return `/stores/${encodeURIComponent(store)}${rest}`
}
