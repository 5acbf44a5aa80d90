import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Engine } from '#kit/engines'
import { createFailureLog } from '#kit/failure-log'
import { testDatabase } from '../../../test/database.ts'
import { createStatus } from './create-status.ts'

const { db } = await testDatabase()

test('the log of a process says once what an engine has under way for so long that it hangs', async () => {
  const lines: string[] = []
  const log = (_fields: object, message: string) => void lines.push(message)
  const failures = createFailureLog({ error: log, info: log })
  const sinceMs = performance.now() - 31.5 * 60_000
  const engines = [
    { name: 'jobs' },
    { name: 'billing', keptLong: () => [{ storeId: 7, things: 2, sinceMs }] }
  ] as unknown as Engine[]
  const logs = { error: log, info: log, warn: log }
  const status = createStatus({
    db,
    engines,
    failures,
    databaseTrouble: async () => null,
    clockProblem: () => null,
    log: logs
  })
  await status.checkProcess()
  await status.checkProcess()
  assert.deepEqual(lines, [
    'Work of engine billing in store 7 failed: 2 of its things have been under way for 31 minutes: restart this process. ' +
      'This is logged once until it works again'
  ])
})
