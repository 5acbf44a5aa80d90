import assert from 'node:assert/strict'
import { test } from 'node:test'
import { row, sql, text } from '#kit/postgres'
import { connectorTo, withCalls } from '../../../test/connectors.ts'
import { testDatabase } from '../../../test/database.ts'
import { submitAttempts } from '../../../test/submit-attempts.ts'
import { aSubscriptionLife } from '../../../test/subscription-life.ts'

const { db } = await testDatabase()

test('a charge whose answer was lost is sent again only while its subscription runs; otherwise the platform is only asked', async () => {
  for (const [stop, sent, shown] of [
    [null, 1, ['pending', '']],
    ['pause', 0, ['failed', 'voided']],
    ['cancel', 0, ['failed', 'voided']]
  ] as const) {
    const life = await aSubscriptionLife(db)
    const { storeId } = life
    await life.goTo('2026-02-28T15:00:00Z')
    await life.bill()
    if (stop) await life[stop]()
    // The process that has sent it ended before the answer.
    await life.inStore(({ tx }) =>
      tx.run(sql`update billing_attempts set leased_until = null where store_id = ${storeId}`)
    )
    let calls = 0
    const access = { storeId, profile: 'platform' as const, url: 'http://127.0.0.1:9', accessToken: 'none' }
    const connector = withCalls(connectorTo(access), {
      billing: {
        createAttempts: async (requests) => {
          calls += requests.length
          return requests.map(() => ({
            ok: false,
            failure: { kind: 'unavailable', message: 'No answer', outcomeUnknown: true }
          }))
        },
        findAttemptsByKeys: async () => ({ ok: true, value: [] })
      }
    })
    assert.ok((await submitAttempts(db, storeId, connector, 2)) > 0)
    assert.equal(calls, sent, stop ?? 'running')
    const [attempt] = await life.inStore(({ tx }) =>
      tx.many(
        row({ status: text, code: text }),
        sql`select status, coalesce(error_code, '') as code from billing_attempts where store_id = ${storeId}`
      )
    )
    assert.deepEqual([attempt!.status, attempt!.code], shown, stop ?? 'running')
  }
})
