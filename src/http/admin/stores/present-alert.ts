import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { Timestamp } from '#resources'
import type { Alert } from '#stores'

export const AlertBody = Type.Object(
  {
    id: Type.String({ description: 'The alert id, `alert_1`' }),
    kind: Type.String({
      description: 'What it is about, to branch on: `webhook_endpoint_disabled`, `disconnected`, …'
    }),
    subject: Type.String({ description: 'The subject of a mail' }),
    message: Type.String({ description: 'Its text, in whole sentences' }),
    created_at: Timestamp("When it was raised, in the store's time")
  },
  {
    title: 'Alert',
    description: 'Something that the people who run a store need to know, ready to be mailed.',
    examples: [
      {
        id: 'alert_1',
        kind: 'webhook_endpoint_disabled',
        subject: 'Webhook endpoint we_2 has been disabled',
        message: 'The webhook endpoint we_2 (https://example.com/hooks) was disabled on …',
        created_at: '2027-09-05T12:12:00.000Z'
      }
    ]
  }
)

export const presentAlert = ({ id, kind, subject, message, createdAt }: Alert): Static<typeof AlertBody> => ({
  id: publicId('alert', id),
  kind,
  subject,
  message,
  created_at: isoOf(createdAt)
})
