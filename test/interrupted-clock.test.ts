import assert from 'node:assert/strict'
import { test } from 'node:test'
import { commandLine } from './command-line.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'
import { until } from './until.ts'

const { url } = await testDatabase()

test('a clock whose move is cut off says how far it got and how to finish, and a move to that time finishes', async (t) => {
  const first = await startService(url, { background: true })
  const store = await first.aStore()
  await store.member('ada@example.com')
  const clockOf = async () => (await first.admin('GET', store.at)).clock

  const moved = commandLine(first).run(['clock', 'advance', '--store', store.domain, '--by', 'P1Y'])
  await until('the clock moves', async () => (await clockOf()) !== '2026-01-31T15:00:00.000Z')
  await first.stop()
  const { code, err: message } = await moved
  assert.equal(code, 1)
  const [, reached] =
    /The service is stopping; .* The clock has moved to (\S+)\. To finish this move, advance it to 2027-01-31T15:00:00\.000Z \(`--to`\), not `--by` /.exec(
      message
    ) ?? assert.fail(message)
  const again = await startService(url, { background: true })
  t.after(again.stop)
  assert.equal((await again.admin('GET', store.at)).clock, reached)
  const { now } = await again.admin('POST', `${store.at}/clock/advance`, { to: '2027-01-31T15:00:00Z' })
  assert.equal(now, '2027-01-31T15:00:00.000Z')
})
