import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { OrNull, Timestamp } from '#resources'
import { RATE_PLANS, type Store } from '#stores'
import { inWords } from '../fields.ts'

export const StoreBody = Type.Object(
  {
    id: Type.String({ description: 'The store id, `store_2`' }),
    domain: Type.String({ description: "The shop's domain on its platform" }),
    name: Type.String({ description: "The shop's name" }),
    timezone: Type.String({ description: 'The IANA time zone of billing dates and days' }),
    currency: Type.String({ description: 'ISO 4217' }),
    plan: Type.String({ description: `The rate limits of the store: ${inWords(RATE_PLANS)}` }),
    sandbox: Type.Boolean({ description: 'Whether its platform is the sandbox' }),
    clock: OrNull(Timestamp('The test clock; null for a store in real time')),
    profile: Type.String({ description: "The platform's dialect: `platform` or `shopify`" }),
    platform_url: Type.String({ description: 'The address of its platform' }),
    status: Type.String({
      description:
        '`active`; `disconnected` after an operator has disconnected it or the platform has removed the app; `deleting` until a deletion is done'
    }),
    connected: Type.Boolean({
      description: 'Whether it was ever connected to its platform; when false, repeat its creation'
    }),
    restored_at: OrNull(
      Timestamp(
        'Since when it is on hold because it was restored from a backup, in real time: nothing is charged, pushed or sent until its platform was read; null while it is not'
      )
    ),
    created_at: Timestamp('When the store was created, in real time')
  },
  {
    title: 'Store',
    description: 'A store of the installation, without its secrets.',
    examples: [
      {
        id: 'store_2',
        domain: 'books.example',
        name: 'Books',
        timezone: 'Europe/Vienna',
        currency: 'EUR',
        plan: 'starter',
        sandbox: true,
        clock: '2027-09-01T12:12:00.000Z',
        profile: 'platform',
        platform_url: 'http://127.0.0.1:3001/books.example',
        status: 'active',
        connected: true,
        restored_at: null,
        created_at: '2026-11-21T05:19:42.013Z'
      }
    ]
  }
)

export function presentStore(store: Store): Static<typeof StoreBody> {
  return {
    id: publicId('store', store.storeId),
    domain: store.domain,
    name: store.name,
    timezone: store.timezone,
    currency: store.currency,
    plan: store.ratePlan,
    sandbox: store.sandbox,
    clock: isoOrNull(store.clockAt),
    profile: store.platformProfile,
    platform_url: store.platformUrl,
    status: store.status,
    connected: store.connectedAt !== null,
    restored_at: isoOrNull(store.restoredAt),
    created_at: isoOf(store.createdAt)
  }
}
