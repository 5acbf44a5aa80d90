import { bool, instant, nullable, oneOf, type RowOf, row, text } from '#kit/postgres'
import { ROLES } from './roles.ts'

export const MIN_PASSWORD_CHARACTERS = 12
export const MAX_PASSWORD_CHARACTERS = 128
export const MAX_NAME_CHARACTERS = 100
export const MAX_EMAIL_CHARACTERS = 254

/** Somebody who signs in to the admin interface. */
export const TeamPerson = row({
  id: text,
  name: text,
  email: text,
  role: oneOf(...ROLES),
  twoFactorEnabled: bool,
  lockedUntil: nullable(instant),
  createdAt: instant
})
export type TeamPerson = RowOf<typeof TeamPerson>

/** As addresses are stored and compared. */
export const plainEmail = (email: string): string => email.trim().toLowerCase()
