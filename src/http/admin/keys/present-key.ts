import { type Static, Type } from 'typebox'
import { isoOf, isoOrNull } from '#kit/clock'
import { publicId } from '#kit/ids'
import { OrNull, Timestamp } from '#resources'
import type { ApiKey } from '#stores'
import { StoreParams } from '../store.ts'

/** Names a key of a store in a path. */
export const KeyParams = Type.Object({
  ...StoreParams.properties,
  key: Type.String({ description: 'a key id', examples: ['key_2'] })
})

const EXAMPLE = {
  id: 'key_2',
  name: 'Tour',
  mode: 'test',
  hint: 'rBHJ',
  scopes: ['read:members', 'read:subscriptions'],
  created_at: '2026-11-21T05:36:16.945Z',
  last_used_at: null,
  expires_at: null,
  revoked_at: null
}

export const KeyBody = Type.Object(
  {
    id: Type.String({ description: 'The id of the key, `key_2`' }),
    name: Type.String({ description: 'The name it was given' }),
    mode: Type.String({ description: '`test` for a sandbox store, else `live`' }),
    hint: Type.String({ description: 'Its last characters' }),
    scopes: Type.Array(Type.String(), { description: 'What it may do' }),
    created_at: Timestamp('When it was made, in real time'),
    last_used_at: OrNull(Timestamp('When it was used last, in real time')),
    expires_at: OrNull(Timestamp('Until when it works after it was rolled, in real time; null without an end')),
    revoked_at: OrNull(Timestamp('When it was revoked, in real time'))
  },
  { title: 'ApiKey', description: 'A key of the REST API, without its text.', examples: [EXAMPLE] }
)

export const CreatedKey = Type.Object(
  { ...KeyBody.properties, key: Type.String({ description: 'The key itself; shown only here' }) },
  {
    title: 'CreatedApiKey',
    description: 'A new key with its text, which is shown only here.',
    examples: [{ ...EXAMPLE, key: 'svc_test_2_EqFaUG32esML9YTMG4JDj8dmWzsErBHJ' }]
  }
)

export function presentKey(key: ApiKey): Static<typeof KeyBody> {
  return {
    id: publicId('key', key.id),
    name: key.name,
    mode: key.mode,
    hint: key.keyHint,
    scopes: key.scopes,
    created_at: isoOf(key.createdAt),
    last_used_at: isoOrNull(key.lastUsedAt),
    expires_at: isoOrNull(key.expiresAt),
    revoked_at: isoOrNull(key.revokedAt)
  }
}
