import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { listDeadLetters } from '#kit/outbox'
import { Timestamp } from '#resources'
import type { Surface } from '../../shared/surface.ts'
import { Page, PageLimit, text } from '../fields.ts'
import { StoreParams } from '../store.ts'
import { deadLetterId, deadLetterKey } from './dead-letter-id.ts'

const DEFAULT_LIMIT = 50

const DeadLetterBody = Type.Object(
  {
    id: Type.String({ description: 'The consumer and the number of the event, `webhooks:812`' }),
    consumer: Type.String({ description: 'The part of the service that failed: `webhooks` queues the deliveries' }),
    fact: Type.String({ description: 'What happened, by its internal name' }),
    ordering_key: Type.String({
      description: 'The customer whose event it is: events with the same key are handled in order'
    }),
    attempts: Type.Integer({ description: 'How often it was tried' }),
    error: Type.String({ description: 'Why the last try failed' }),
    occurred_at: Timestamp("When it occurred, in the store's time"),
    dead_at: Timestamp("When its last try failed, in the store's time")
  },
  {
    title: 'DeadLetter',
    description: 'An event that a part of the service could not handle in any of its tries, and goes on without.',
    examples: [
      {
        id: 'webhooks:812',
        consumer: 'webhooks',
        fact: 'subscription.paused',
        ordering_key: 'member:41',
        attempts: 6,
        error: 'canceling statement due to statement timeout',
        occurred_at: '2027-09-05T12:12:00.000Z',
        dead_at: '2027-09-06T02:48:00.000Z'
      }
    ]
  }
)

/** GET /stores/{store}/dead-letters */
export function listDeadLettersRoute(admin: Surface): void {
  admin.get(
    '/stores/:store/dead-letters',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listDeadLetters',
        summary: 'List dead letters',
        description:
          'Every event goes to each part of the service that needs it. An event that such a part cannot handle is tried again after 1, 5, 30, 120 and 720 minutes; then it is a dead letter, and later events go on without it. Newest first.',
        params: StoreParams,
        querystring: Type.Object({
          before: Type.Optional(
            text(100, 'the id of the last dead letter of the page before', {
              meaning: 'The list goes on after it, also when it is no longer a dead letter',
              examples: ['webhooks:812']
            })
          ),
          limit: PageLimit
        }),
        response: { 200: Page(DeadLetterBody, 'The dead letters') }
      }
    },
    async (request) => {
      const { before, limit = DEFAULT_LIMIT } = request.query
      const key = before === undefined ? undefined : deadLetterKey(before)
      const letters = await request.inStore((ctx) => listDeadLetters(ctx, { before: key, limit: limit + 1 }))
      const data = letters.slice(0, limit).map((letter) => ({
        id: deadLetterId(letter),
        consumer: letter.consumer,
        fact: letter.name,
        ordering_key: letter.orderingKey,
        attempts: letter.attempts,
        error: letter.lastError,
        occurred_at: isoOf(letter.occurredAt),
        dead_at: isoOf(letter.deadAt)
      }))
      return { data, next: letters.length > limit ? data.at(-1)!.id : null }
    }
  )
}
