import { Type } from 'typebox'
import { isoOrNull } from '#kit/clock'
import { accessScopes, withImpliedScopes } from '#platform'
import { OrNull, Timestamp } from '#resources'
import { findTokenState } from '#stores'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { StoreParams, storeOf } from '../store.ts'

const GrantedScope = Type.Object({
  scope: Type.String({ description: 'The name of an access scope that the app requests' }),
  granted: OrNull(Type.Boolean({ description: 'Whether the app has it; null before the platform was asked' })),
  optional: Type.Boolean({ description: 'Whether the app works without it' }),
  needed_for: Type.String({ description: 'What needs it' }),
  without: Type.String({ description: 'What stops without it' })
})

const PlatformConnection = Type.Object(
  {
    domain: Type.String({ description: "The shop's domain on its platform" }),
    status: Type.String({ description: '`active`, `disconnected` or `deleting`' }),
    token_expires_at: OrNull(
      Timestamp('When the access token ends, in real time; null for one that does not expire, and where there is none')
    ),
    refresh_token_expires_at: OrNull(Timestamp('Until when it can be refreshed, in real time')),
    token_refused_at: OrNull(Timestamp('Since when the platform has refused it; null while it takes it')),
    refresh_error: OrNull(Type.String({ description: 'Why the last refresh came to nothing' })),
    proxy_used_at: OrNull(
      Timestamp(
        'When the app proxy last passed on a request that it had signed, in real time, give or take a minute; null for never'
      )
    ),
    scopes: Type.Array(GrantedScope, { description: 'The access scopes that the app requests' })
  },
  {
    title: 'PlatformConnection',
    description: 'How a store is connected to its platform.',
    examples: [
      {
        domain: 'books.example',
        status: 'active',
        token_expires_at: '2026-11-21T06:19:42.013Z',
        refresh_token_expires_at: '2027-02-19T05:19:42.013Z',
        token_refused_at: null,
        refresh_error: null,
        proxy_used_at: '2026-11-20T09:00:00.000Z',
        scopes: [
          {
            scope: 'write_orders',
            granted: true,
            optional: false,
            needed_for: 'tags of orders',
            without: 'orders get no tags'
          }
        ]
      }
    ]
  }
)

/** GET /stores/{store}/platform */
export function getConnectionRoute(admin: Surface, { db }: AdminDeps): void {
  admin.get(
    '/stores/:store/platform',
    {
      config: { allow: 'view' },
      schema: {
        operationId: 'getPlatformConnection',
        summary: 'Get the connection to the platform',
        description:
          'The access token, without its text, and the access scopes with what stops without each. Asks the platform nothing.',
        params: StoreParams,
        response: { 200: PlatformConnection }
      }
    },
    async (request) => {
      const { storeId, domain, status, tokenRefusedAt } = storeOf(request)
      const { expiresAt, refreshExpiresAt, refreshError, grantedScopes, proxyUsedAt } = await db.inStore(
        storeId,
        findTokenState
      )
      const granted = grantedScopes && withImpliedScopes(grantedScopes)
      return {
        domain,
        status,
        token_expires_at: isoOrNull(expiresAt),
        refresh_token_expires_at: isoOrNull(refreshExpiresAt),
        token_refused_at: isoOrNull(tokenRefusedAt),
        refresh_error: refreshError,
        proxy_used_at: isoOrNull(proxyUsedAt),
        scopes: accessScopes.map(({ scope, optional, neededFor, without }) => ({
          scope,
          granted: granted?.has(scope) ?? null,
          optional,
          needed_for: neededFor,
          without
        }))
      }
    }
  )
}
