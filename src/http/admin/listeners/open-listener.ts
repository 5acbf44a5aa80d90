import { Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { Timestamp } from '#resources'
import { EVENT_TYPES, openListener } from '#webhooks'
import type { Surface } from '../../shared/surface.ts'
import { eventTypes } from '../../shared/webhook-fields.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams } from '../store.ts'

const OpenedListener = Type.Object(
  {
    id: Type.String({ description: 'The id of the listener, `we_4`' }),
    events: Type.Array(Type.String(), { description: 'The event types that it receives' }),
    all_events: Type.Boolean({ description: 'Whether it receives every type' }),
    secret: Type.String({ description: 'Signs what it fetches; shown only here' }),
    listening_until: Timestamp('When it is closed unless it is used again, in real time')
  },
  {
    title: 'WebhookListener',
    description: 'A program that fetches its deliveries, such as a running `perennial listen`.',
    examples: [
      {
        id: 'we_4',
        events: ['billing.failed'],
        all_events: false,
        secret: 'whsec_0NqrlOzx9v6eh3SM4IzDVGxBEXj9meLy42AR8SDSltY=',
        listening_until: '2026-11-21T11:27:24.930Z'
      }
    ]
  }
)

/** POST /stores/{store}/webhook-listeners */
export function openListenerRoute(admin: Surface, { vault }: AdminDeps): void {
  admin.post(
    '/stores/:store/webhook-listeners',
    {
      config: { allow: 'develop' },
      schema: {
        operationId: 'openWebhookListener',
        summary: 'Open a listener',
        description:
          'Opens a listener for a program such as `perennial listen`, which fetches its deliveries, posts them where it likes and records the results. A listener that does nothing for a minute is closed: every fetch and every result moves `listening_until` on.',
        params: StoreParams,
        body: Type.Object({
          events: Type.Optional(eventTypes({ meaning: 'What it receives; every type without them' }))
        }),
        response: { 201: OpenedListener }
      }
    },
    async (request, reply) => {
      const opened = await request.inStore((ctx) => openListener(ctx, request.body, { vault }))
      return reply.code(201).send({
        id: opened.id,
        events: opened.events ?? [...EVENT_TYPES],
        all_events: opened.events === null,
        secret: opened.secret,
        listening_until: isoOf(opened.listeningUntil)
      })
    }
  )
}
