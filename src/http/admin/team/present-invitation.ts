import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { OrNull, Timestamp } from '#resources'
import { type OpenInvitation, ROLES } from '#team'
import { oneOf } from '../fields.ts'

const EXAMPLE = {
  id: '9f2c04b7a1d35e68',
  email: 'grace@example.com',
  role: 'support',
  for_new_password: false,
  invited_by: 'Ada Lovelace',
  created_at: '2026-11-30T09:00:00.000Z',
  expires_at: '2026-12-03T09:00:00.000Z'
} as const

/** A link in a path. */
export const InvitationParams = Type.Object({
  invitation: Type.String({ minLength: 1, maxLength: 100, description: 'the id of a link', examples: [EXAMPLE.id] })
})

export const InvitationBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the link, which does not open it' }),
    email: Type.String({ description: 'For whom it was made' }),
    role: oneOf(ROLES, { description: 'What the person may do' }),
    for_new_password: Type.Boolean({
      description: 'Whether it is for a new password of an account, not for a new account'
    }),
    invited_by: OrNull(Type.String({ description: 'Who made it' })),
    created_at: Timestamp('When it was made, in real time'),
    expires_at: Timestamp('Until when it works, in real time')
  },
  { title: 'Invitation', description: 'A one-time link that was not used yet.', examples: [EXAMPLE] }
)

export const presentInvitation = (invitation: OpenInvitation) => ({
  id: invitation.id,
  email: invitation.email,
  role: invitation.role,
  for_new_password: invitation.forNewPassword,
  invited_by: invitation.invitedBy,
  created_at: isoOf(invitation.createdAt),
  expires_at: isoOf(invitation.expiresAt)
})
