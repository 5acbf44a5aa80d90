import assert from 'node:assert/strict'
import { test } from 'node:test'
import { declineOf, OUTCOMES } from '../sandbox/billing/outcomes.ts'
import { testDatabase } from './database.ts'
import { startService } from './service-builder.ts'

const { url } = await testDatabase()
const service = await startService(url)

test('the document of the admin API names each outcome of a card that is no decline', async () => {
  const document = await service.admin('GET', '/openapi.json')
  const { schema } = document.paths['/stores/{store}/sandbox/cards'].post.requestBody.content['application/json']
  const { description } = schema.properties.outcome
  for (const outcome of OUTCOMES.filter((one) => !declineOf(one))) {
    assert.match(description, new RegExp(`\\b${outcome}\\b`))
  }
})
