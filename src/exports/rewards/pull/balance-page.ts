import { parseExactJson } from '#kit/storable-json'

/** The balance of a customer as a service says it, in points: by their id, or by their e-mail address where it says no id. */
export type PulledBalance = { id: string; email: null; points: number } | { id: null; email: string; points: number }

export type BalancePage = {
  balances: PulledBalance[]
  /** Where the next page begins; null on the last. */
  nextCursor: string | null
}

/** How many balances we ask for at once; a page may have fewer. */
export const PAGE_BALANCES = 1000
const MAX_CURSOR = 2000

/** Thrown for an answer that is not what we asked for; the message begins with the field. */
export class MalformedPage extends Error {}

/**
 * Reads `{"balances": [{"customer_id" or "email", "points"}], "next_cursor": text or null}`. `cursor`: where the page was asked to begin.
 * Throws `MalformedPage`.
 */
export function readBalancePage(text: string, cursor: string | null): BalancePage {
  const page = objectOf(parsed(text), 'the answer')
  const { balances, next_cursor: nextCursor } = page
  if (!Array.isArray(balances)) throw new MalformedPage('balances must be a list')
  if (balances.length > PAGE_BALANCES) {
    throw new MalformedPage(`balances must have at most ${PAGE_BALANCES} entries, as the parameter limit says`)
  }
  const isCursor = typeof nextCursor === 'string' && nextCursor !== '' && nextCursor.length <= MAX_CURSOR
  // A service that left it out by mistake would lose all other pages.
  if (!isCursor && nextCursor !== null) {
    throw new MalformedPage(`next_cursor must be a text of 1 to ${MAX_CURSOR} characters, or null on the last page`)
  }
  if (isCursor && nextCursor === cursor) throw new MalformedPage('next_cursor must not be the cursor of the same page')
  return {
    balances: balances.map((one, i) => readBalance(one, `balances[${i}]`)),
    nextCursor: isCursor ? nextCursor : null
  }
}

function parsed(text: string): unknown {
  try {
    return parseExactJson(text)
  } catch {
    throw new MalformedPage('the answer is not JSON')
  }
}

function objectOf(value: unknown, field: string): Record<string, unknown> {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new MalformedPage(`${field} must be an object`)
  }
  return value as Record<string, unknown>
}

function readBalance(value: unknown, field: string): PulledBalance {
  const { customer_id: id, email, points } = objectOf(value, field)
  if (!(typeof points === 'number' && Number.isSafeInteger(points) && points >= 0)) {
    throw new MalformedPage(`${field}.points must be an integer from 0 to ${Number.MAX_SAFE_INTEGER}`)
  }
  if (id !== undefined && id !== null) {
    const isNumber = typeof id === 'number' && Number.isSafeInteger(id) && id >= 0
    if (!isNumber && typeof id !== 'string')
      throw new MalformedPage(`${field}.customer_id must be a text or an integer`)
    return { id: String(id), email: null, points }
  }
  if (email === undefined || email === null) throw new MalformedPage(`${field} must have customer_id or email`)
  if (typeof email !== 'string') throw new MalformedPage(`${field}.email must be a text`)
  return { id: null, email, points }
}
