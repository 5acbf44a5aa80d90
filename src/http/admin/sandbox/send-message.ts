import { Type } from 'typebox'
import { invalidField } from '#kit/refusal'
import { findInbound } from '#platform'
import { OrNull } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { play } from './sandbox-store.ts'

const ACCEPTED_AT = 'an instant such as 2026-12-01T00:00:00Z'

const MessageBody = Type.Object({
  topic: text(100, 'a topic that the sandbox sends, such as orders/updated', { examples: ['orders/updated'] }),
  body: text(200_000, 'the text of one JSON object, of up to 200,000 characters', {
    meaning: 'What is sent, as it is',
    examples: ['{"id":5820982912465,"updated_at":"2026-12-01T00:00:00Z"}']
  }),
  webhook_id: Type.Optional(
    text(36, 'a UUID', {
      meaning: 'That of an earlier message makes this a repetition of it; a new one without it',
      examples: ['b54557e4-bdd9-4b37-8a5f-bf7d70bcd043']
    })
  ),
  at: Type.Optional(
    text(100, ACCEPTED_AT, {
      meaning: 'When it was triggered, as its header says; the present time of the store without it',
      examples: ['2026-12-01T00:00:00Z']
    })
  )
})

const SentMessage = Type.Object(
  {
    webhook_id: Type.String({ description: 'The id of the message' }),
    status: OrNull(
      Type.String({
        description:
          '`done`; `waiting` to be tried again, or while the store is on hold; `failed` for good; `ignored`; null where it has not arrived'
      })
    ),
    error: OrNull(Type.String({ description: 'Why its last try failed' }))
  },
  {
    title: 'SandboxMessage',
    description: 'A message of the sandbox platform, and what the service made of it.',
    examples: [{ webhook_id: 'b54557e4-bdd9-4b37-8a5f-bf7d70bcd043', status: 'done', error: null }]
  }
)

/** POST /stores/{store}/sandbox/messages */
export function sendMessageRoute(admin: Surface, deps: AdminDeps): void {
  admin.post(
    '/stores/:store/sandbox/messages',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'sendSandboxMessage',
        summary: 'Send a message of the platform',
        description:
          "Sends a webhook of the sandbox platform with a body of one's own, signed as the platform signs, and says what the service made of it. Nothing changes on the platform itself.",
        params: StoreParams,
        body: MessageBody,
        response: { 201: SentMessage }
      }
    },
    async (request, reply) => {
      const { topic, body, webhook_id, at } = request.body
      const message = { topic, body, webhookId: webhook_id ?? null, at: at === undefined ? null : instantFrom(at) }
      const { webhookId } = await play(deps, request, ({ storeId }) => deps.sandbox.sendMessage(storeId, message))
      const received = await request.inStore((ctx) => findInbound(ctx, webhookId))
      return reply
        .code(201)
        .send({ webhook_id: webhookId, status: received?.status ?? null, error: received?.lastError ?? null })
    }
  )
}

function instantFrom(given: string): Temporal.Instant {
  try {
    return Temporal.Instant.from(given)
  } catch {
    throw invalidField('at', `must be ${ACCEPTED_AT}`)
  }
}
