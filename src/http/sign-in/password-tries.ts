import type { Database } from '#kit/postgres'
import { beginPasswordTry, endPasswordTries } from '#team'
import { TriedTooOften } from './refused.ts'

/**
 * Lets a password of an address be tried, unless too many were wrong. A try counts before it is compared, so that many at once are no more
 * than the limit.
 */
export async function tryPassword<T>(db: Database, email: unknown, compare: () => Promise<T>): Promise<T> {
  if (typeof email !== 'string') return compare()
  const lockedUntil = await db.inInstallation((tx) => beginPasswordTry(tx, email))
  if (lockedUntil) {
    const time = lockedUntil.round({ smallestUnit: 'second', roundingMode: 'ceil' })
    throw new TriedTooOften(
      `Too many wrong passwords: no password of this account is taken until ${time}. A passkey works meanwhile; an owner can make a link for a new password`,
      'too_many_passwords'
    )
  }
  const compared = await compare()
  await db.inInstallation((tx) => endPasswordTries(tx, email))
  return compared
}
