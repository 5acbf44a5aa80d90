// The log of changes names every operation in German, too.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { OPERATIONS_DE } from '../web/admin/shared/texts/operations-de.ts'
import { testDatabase } from './database.ts'
import { operationsOf } from './openapi.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('every operation that changes something has a German name', async () => {
  const operations = operationsOf(await service.admin('GET', '/openapi.json'))
  const unnamed = operations.filter(({ method, id }) => method !== 'GET' && !OPERATIONS_DE[id]).map(({ id }) => id)
  assert.deepEqual(unnamed, [])
})
