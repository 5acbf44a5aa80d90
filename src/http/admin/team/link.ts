import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { Timestamp } from '#resources'
import { invitationUrl } from '#team'

export const LinkBody = Type.Object(
  {
    url: Type.String({ description: 'The link, which is shown only here. It works once' }),
    expires_at: Timestamp('Until when it works, in real time')
  },
  {
    title: 'OneTimeLink',
    description: 'A link by which somebody chooses a password.',
    examples: [
      {
        url: 'https://members.example.com/admin/welcome#3kGfXz4Vq8t2n5s7v9y0B1E3H6K8N2Q4T7W9Z1c4f6I',
        expires_at: '2026-12-03T09:00:00.000Z'
      }
    ]
  }
)

/** The link with a new token. */
export const presentLink = (
  publicUrl: string,
  { token, expiresAt }: { token: string; expiresAt: Temporal.Instant }
) => ({ url: invitationUrl(publicUrl, token), expires_at: isoOf(expiresAt) })
