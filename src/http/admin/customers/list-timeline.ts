import { type Static, Type } from 'typebox'
import { isoOf } from '#kit/clock'
import { publicId } from '#kit/ids'
import { numberOf } from '#kit/money'
import { invalidField } from '#kit/refusal'
import { OrNull, Timestamp } from '#resources'
import { listTimeline, type TimelineEntry, type TimelinePlace } from '#views'
import type { Surface } from '../../shared/surface.ts'
import { ACTOR_NAME, actorNames } from '../actor-names.ts'
import type { AdminDeps } from '../deps.ts'
import { Page, PageLimit, text } from '../fields.ts'
import { storeOf } from '../store.ts'
import { CustomerParams, requireCustomer } from './one-customer.ts'

const DEFAULT_LIMIT = 50

const TimelineEntryBody = Type.Object(
  {
    id: Type.String({ description: 'Its place in the timeline' }),
    kind: Type.String({
      description: '`subscription`, `credit`, `points`, `order`, `offer` or `coupon`; there may be more'
    }),
    at: Timestamp('When it happened'),
    text: Type.String({
      description: 'What happened: a sentence, a reason, or the name of the order, offer or coupon'
    }),
    notes: OrNull(Type.String({ description: 'A note by a person' })),
    actor: OrNull(Type.String({ description: 'Who did it, of an entry about a subscription' })),
    actor_id: OrNull(Type.String({ description: 'Which one: the id of the person or the API key' })),
    actor_name: OrNull(Type.String({ description: ACTOR_NAME })),
    activity: OrNull(
      Type.Object(
        {
          kind: Type.String({ description: 'What happened, as the history of the subscription names it' }),
          details: Type.Object({}, { additionalProperties: true, description: 'Details, as there' })
        },
        { description: 'Of an entry about a subscription: its entry in the history of the subscription' }
      )
    ),
    object: OrNull(
      Type.String({
        description: "What it is about: `sub_24`, the platform's number of the order, the code of the coupon"
      })
    ),
    amount: OrNull(Type.Number({ description: 'Money, in `currency`; negative when it was taken' })),
    currency: OrNull(Type.String({ description: 'ISO 4217' })),
    points: OrNull(Type.Integer({ description: 'Points, pending ones too; negative when they were taken' })),
    balance_after: OrNull(Type.Number({ description: 'The balance of store credit or points after it' }))
  },
  {
    title: 'TimelineEntry',
    description: 'Something that happened to a customer.',
    examples: [
      {
        id: '2026-11-15T06:25:00Z~credit~8',
        kind: 'credit',
        at: '2026-11-15T06:25:00.000Z',
        text: 'Sorry for the late parcel',
        notes: null,
        actor: null,
        actor_id: null,
        actor_name: null,
        activity: null,
        object: null,
        amount: 5,
        currency: 'EUR',
        points: null,
        balance_after: 20
      }
    ]
  }
)

/** GET /stores/{store}/customers/{customer}/timeline */
export function listTimelineRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/customers/:customer/timeline',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'listTimeline',
        summary: 'List what happened to a customer',
        description:
          'Newest first: entries in the history of their subscriptions, of store credit and points, their orders, the offers that they accepted and their coupons.',
        params: CustomerParams,
        querystring: Type.Object({
          before: Type.Optional(
            text(100, 'the `next` of the page before', {
              meaning: 'The list goes on after it',
              examples: ['2026-11-15T06:25:00Z~credit~8']
            })
          ),
          limit: PageLimit
        }),
        response: { 200: Page(TimelineEntryBody, 'The entries') }
      }
    },
    async (request) => {
      const { before, limit = DEFAULT_LIMIT } = request.query
      const place = before === undefined ? null : placeOf(before)
      const customer = await request.inStore((ctx) => requireCustomer(ctx, request.params.customer, storeOf(request)))
      const found = await listTimeline(db.direct, storeOf(request).storeId, customer.id, {
        before: place,
        limit: limit + 1
      })
      const nameOf = await actorNames(db, storeOf(request), found)
      const data = found.slice(0, limit).map((entry) => present(entry, nameOf(entry)))
      return { data, next: found.length > limit ? data.at(-1)!.id : null }
    }
  )
}

const KIND_AND_NUMBER = /^([a-z]{1,20})~([0-9]{1,15})$/

/** The place that a cursor names. */
function placeOf(cursor: string): TimelinePlace {
  const [at = '', ...rest] = cursor.split('~')
  const [, kind, id] = KIND_AND_NUMBER.exec(rest.join('~')) ?? []
  try {
    if (kind) return { at: Temporal.Instant.from(at), kind: kind as TimelinePlace['kind'], id: Number(id) }
  } catch {
    // Said below.
  }
  throw invalidField('before', 'must be the `next` of the page before')
}

function present(entry: TimelineEntry, actorName: string | null): Static<typeof TimelineEntryBody> {
  const {
    kind,
    id,
    at,
    text,
    notes,
    actor,
    actorId,
    activity,
    details,
    object,
    amountMinor,
    currency,
    points,
    balanceAfter
  } = entry
  const isAboutSubscription = kind === 'subscription' || kind === 'offer'
  return {
    id: `${at}~${kind}~${id}`,
    kind,
    at: isoOf(at),
    text,
    notes,
    actor,
    actor_id: actorId,
    actor_name: actorName,
    activity: activity === null ? null : { kind: activity, details: details ?? {} },
    object: object !== null && isAboutSubscription ? publicId('sub', Number(object)) : object,
    amount: amountMinor === null || currency === null ? null : numberOf(amountMinor, currency),
    currency,
    points,
    balance_after: balanceAfter !== null && currency !== null ? numberOf(balanceAfter, currency) : balanceAfter
  }
}
