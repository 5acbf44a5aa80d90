import assert from 'node:assert/strict'
import { test } from 'node:test'
import { upsertFromContracts } from '#contracts'
import { row, sql, text } from '#kit/postgres'
import type { PlatformAttempt } from '#platform'
import { setClock } from '#stores'
import { connectorTo, withCalls } from '../../test/connectors.ts'
import { aContract, anOrder } from '../../test/contract-builder.ts'
import { testDatabase } from '../../test/database.ts'
import { aStore } from '../../test/store-builder.ts'
import { submitAttempts } from '../../test/submit-attempts.ts'
import { openDueAttempts } from './charging/open-attempts.ts'

const { db } = await testDatabase()
const at = Temporal.Instant.from
const START = at('2026-01-31T15:00:00Z')
const SECOND = at('2026-02-28T15:00:00Z')

test('a result that cannot be written holds up no other, and is asked for again later', async () => {
  const { storeId, inStore } = await aStore(db, { clockAt: START })
  const [bad, good] = [aContract(START), aContract(START)]
  const origins = [bad, good].map((c) => anOrder(START, { id: c.originOrder!.id }))
  await inStore((ctx) => upsertFromContracts(ctx, [bad, good], origins))
  await inStore((ctx) => setClock(ctx, SECOND))
  await inStore((ctx) => openDueAttempts(ctx, 10))

  const paid = (contractId: string, idempotencyKey: string): PlatformAttempt => ({
    id: contractId,
    idempotencyKey,
    contractId,
    state: 'success',
    // No text of PostgreSQL holds a NUL.
    order: anOrder(SECOND, contractId === bad.id ? { name: '\0' } : {}),
    errorCode: null,
    errorMessage: null,
    nextActionUrl: null,
    createdAt: SECOND,
    originAt: null,
    completedAt: SECOND,
    paymentMethod: null
  })
  const access = { storeId, profile: 'platform' as const, url: 'http://127.0.0.1:9', accessToken: 'none' }
  const connector = withCalls(connectorTo(access), {
    billing: {
      createAttempts: async (requests) =>
        requests.map((r) => ({ ok: true, value: paid(r.contractId, r.idempotencyKey) }))
    }
  })
  await assert.rejects(submitAttempts(db, storeId, connector, 1))

  const shown = await inStore(({ tx }) =>
    tx.many(
      row({ contract: text, status: text, checkAt: text }),
      sql`
      select s.platform_contract_id as contract, a.status, coalesce(a.check_at::text, '') as check_at
        from billing_attempts a join subscriptions s on s.store_id = a.store_id and s.id = a.subscription_id
       where a.store_id = ${storeId} order by a.id`
    )
  )
  assert.deepEqual(
    shown.map(({ contract, status, checkAt }) => [contract === bad.id, status, checkAt === '' ? null : at(checkAt)]),
    [
      [true, 'pending', SECOND.add({ minutes: 10 })],
      [false, 'success', null]
    ]
  )
})
