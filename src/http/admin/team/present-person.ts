import { Type } from 'typebox'
import { isoOf, realNow } from '#kit/clock'
import { Timestamp } from '#resources'
import { ROLES, type TeamPerson } from '#team'
import { oneOf } from '../fields.ts'

const EXAMPLE = {
  id: '34a7cd32-4414-4555-b1f7-f7fa244b78b5',
  name: 'Ada Lovelace',
  email: 'ada@example.com',
  role: 'owner',
  two_factor: true,
  locked: false,
  created_at: '2026-11-30T09:00:00.000Z'
} as const

/** A person in a path. */
export const PersonParams = Type.Object({
  person: Type.String({ minLength: 1, maxLength: 100, description: 'the id of a person', examples: [EXAMPLE.id] })
})

export const RoleField = oneOf(ROLES, { meaning: 'What the person may do', examples: ['support'] })

export const EmailField = Type.String({
  format: 'email',
  maxLength: 254,
  description: 'an e-mail address',
  meaning: 'By which the person signs in',
  examples: [EXAMPLE.email]
})

export const PersonBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the person' }),
    name: Type.String({ description: 'How others see the person' }),
    email: Type.String({ description: 'By which the person signs in' }),
    role: oneOf(ROLES, { description: 'What the person may do' }),
    two_factor: Type.Boolean({ description: 'Whether a code is asked for beside the password' }),
    locked: Type.Boolean({ description: 'Whether no password is taken for a while, since too many were wrong' }),
    created_at: Timestamp('When the account was made, in real time')
  },
  { title: 'Person', description: 'Somebody who signs in to the admin interface.', examples: [EXAMPLE] }
)

export const presentPerson = ({ id, name, email, role, twoFactorEnabled, lockedUntil, createdAt }: TeamPerson) => ({
  ...{ id, name, email, role },
  two_factor: twoFactorEnabled,
  locked: lockedUntil !== null && Temporal.Instant.compare(lockedUntil, realNow()) > 0,
  created_at: isoOf(createdAt)
})
