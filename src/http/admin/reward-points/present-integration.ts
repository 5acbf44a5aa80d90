import { type Static, Type } from 'typebox'
import type { RewardIntegration } from '#exports'
import { isoOf, isoOrNull } from '#kit/clock'
import { OrNull, Timestamp } from '#resources'
import { StoreParams } from '../store.ts'

export const IntegrationParams = Type.Object({
  ...StoreParams.properties,
  integration: Type.String({ description: 'the key of an integration', examples: ['smile'] })
})

const pull = {
  url: 'https://rewards.example.com/balances',
  every_minutes: 60,
  has_authorization: true,
  status: 'waiting',
  next_at: '2026-09-15T06:25:00.000Z',
  received: 2310,
  stored: 2298,
  unknown: 12,
  failures: 0,
  last_error: null,
  failing_since: null,
  finished_at: '2026-09-15T05:25:00.000Z'
}

const PullBody = Type.Object(
  {
    url: Type.String({ description: 'From where balances are pulled' }),
    every_minutes: Type.Integer({ description: 'How often, in minutes' }),
    has_authorization: Type.Boolean({
      description: 'Whether the header `Authorization` is sent. Its value is not shown'
    }),
    status: Type.String({
      description:
        '`running` while a pull is due or under way, `failing` when its last try failed and it waits for the next, `waiting` for the next pull, `off` while the integration is inactive'
    }),
    next_at: OrNull(Timestamp('When the next pull, page or try is due; null while the integration is inactive')),
    received: Type.Integer({
      description: 'How many balances the pull that is under way has got, or the last one had'
    }),
    stored: Type.Integer({ description: 'For how many of them the store has the customer' }),
    unknown: Type.Integer({ description: 'How many of them named nobody, or an address that several customers share' }),
    failures: Type.Integer({ description: 'How many tries in a row have failed' }),
    last_error: OrNull(Type.String({ description: 'Why the last try failed; null when it did not' })),
    failing_since: OrNull(Timestamp('When the first of these tries failed; null when the last one did not')),
    finished_at: OrNull(Timestamp('When a pull last came to its end'))
  },
  {
    title: 'RewardPull',
    description: 'The pulling of balances from a URL. All times are real time.',
    examples: [pull]
  }
)

export const IntegrationBody = Type.Object(
  {
    key: Type.String({ description: 'Its key: rows of members have the field `<key>_points`' }),
    active: Type.Boolean({ description: 'Whether rows of members have that field' }),
    shown: Type.Boolean({
      description: 'Whether the shop shows the balances in its storefront; if not, the field is ` - ` everywhere'
    }),
    balances: Type.Integer({ description: 'Of how many customers a balance is known' }),
    pull: Type.Union([PullBody, Type.Null()], {
      description: 'From where its balances are pulled, and how that goes; null where they are not'
    }),
    created_at: Type.String({ format: 'date-time', description: 'When it was added' }),
    updated_at: Type.String({ format: 'date-time', description: 'When its settings last changed' })
  },
  {
    title: 'RewardIntegration',
    description: 'A service that keeps reward points for the shop',
    examples: [
      {
        key: 'smile',
        active: true,
        shown: true,
        balances: 0,
        pull,
        created_at: '2026-09-15T05:25:00.000Z',
        updated_at: '2026-09-15T05:25:00.000Z'
      }
    ]
  }
)

export const presentIntegration = (one: RewardIntegration): Static<typeof IntegrationBody> => ({
  key: one.key,
  active: one.isActive,
  shown: one.isShown,
  balances: one.balances,
  pull: one.url === null ? null : presentPull(one, one.url),
  created_at: isoOf(one.createdAt),
  updated_at: isoOf(one.updatedAt)
})

const presentPull = (one: RewardIntegration, url: string): Static<typeof PullBody> => ({
  url,
  every_minutes: one.everyMinutes!,
  has_authorization: one.hasAuthorization!,
  status: statusOf(one),
  next_at: isoOrNull(one.nextAt),
  received: one.received!,
  stored: one.stored!,
  unknown: one.unknown!,
  failures: one.failures!,
  last_error: one.lastError,
  failing_since: isoOrNull(one.failingSince),
  finished_at: isoOrNull(one.finishedAt)
})

function statusOf({ nextAt, failures, isDue }: RewardIntegration) {
  if (nextAt === null) return 'off'
  // A page that is asked for stays due until it is recorded.
  if (isDue) return 'running'
  return failures! > 0 ? 'failing' : 'waiting'
}
