/** Prefixes of public ids (spec 1; the ids themselves are ours). */
export type IdPrefix =
  | 'store'
  | 'mem'
  | 'sub'
  | 'ba'
  | 'plan'
  | 'cust'
  | 'sct'
  | 'scr'
  | 'scc'
  | 'ord'
  | 'we'
  | 'key'
  | 'del'
  | 'alert'
  | 'act'
  | 'imp'
  | 'evt'
  | 'priv'
  | 'wpc'

/** The public form of an internal id: `sub_42`. */
export function publicId(prefix: IdPrefix, id: number): string {
  return `${prefix}_${id}`
}

/** The internal id of a public id; null if the text is not an id with that prefix, which callers treat as not found. */
export function internalId(prefix: IdPrefix, text: string): number | null {
  if (!text.startsWith(`${prefix}_`)) return null
  const digits = text.slice(prefix.length + 1)
  if (!/^[1-9][0-9]{0,15}$/.test(digits)) return null
  const id = Number(digits)
  return Number.isSafeInteger(id) ? id : null
}
