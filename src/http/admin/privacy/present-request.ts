import { Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { PRIVACY_STATUSES, PRIVACY_TOPICS, type PrivacyRequest } from '#privacy'
import { OrNull, Timestamp } from '#resources'
import { StoreParams } from '../store.ts'

export const PrivacyParams = Type.Object({
  ...StoreParams.properties,
  privacy_request: Type.String({ description: 'the id of a privacy request', examples: ['priv_3'] })
})

const words = <const T extends readonly string[]>(all: T, description: string) =>
  Type.Unsafe<T[number]>(
    Type.Union(
      all.map((word) => Type.Literal(word)),
      { description }
    )
  )

export const PRIVACY_REQUEST_EXAMPLE = {
  id: 'priv_3',
  topic: 'customers/redact',
  source: 'platform',
  customer_id: 'cust_24',
  platform_request_id: null,
  status: 'done',
  reason: null,
  rows: { orders: 3, facts: 21 },
  received_at: '2026-10-01T08:00:00.000Z',
  due_at: '2026-10-31T08:00:00.000Z',
  done_at: '2026-10-01T08:15:00.000Z',
  expires_at: null
}

export const PrivacyRequestBody = Type.Object(
  {
    id: Type.String({ description: 'The request id' }),
    topic: words(PRIVACY_TOPICS, "What is asked for, by the platform's name of it"),
    source: words(['platform', 'operator'], 'Who asked'),
    customer_id: OrNull(
      Type.String({ description: 'Our id of the customer, which stays when they are erased; null before it is known' })
    ),
    platform_request_id: OrNull(Type.String({ description: "The platform's number of a data request" })),
    status: words(
      PRIVACY_STATUSES,
      '`waiting` to begin, `running`, `checking` for what was written meanwhile and until others have deleted what they have, `ready` to be fetched, `done`, or `refused`'
    ),
    reason: OrNull(
      Type.String({
        description:
          'Why it waits or was refused; of an erasure also what others still have, which stays when it is done without that'
      })
    ),
    rows: Type.Object(
      {},
      {
        additionalProperties: Type.Integer(),
        description: 'How many rows of each table were changed by an erasure, or are in the file of a data request',
        examples: [{ orders: 3 }]
      }
    ),
    received_at: Timestamp("When it came, in the store's time"),
    due_at: Timestamp('Until when it must be done: 30 days later'),
    done_at: OrNull(Timestamp('When it was done or refused')),
    expires_at: OrNull(Timestamp('Until when the file of a data request can be fetched'))
  },
  {
    title: 'PrivacyRequest',
    description: 'A request about the personal data of a customer.',
    examples: [PRIVACY_REQUEST_EXAMPLE]
  }
)

export const presentRequest = (request: PrivacyRequest) => ({
  id: publicId('priv', request.id),
  topic: request.topic,
  source: request.source,
  customer_id: request.memberId === null ? null : publicId('cust', request.memberId),
  platform_request_id: request.platformRequestId,
  status: request.status,
  reason: request.reason,
  rows: request.counts,
  received_at: isoOf(request.receivedAt),
  due_at: isoOf(request.dueAt),
  done_at: isoOrNull(request.doneAt),
  expires_at: isoOrNull(request.expiresAt)
})
