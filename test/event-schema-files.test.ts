// docs/schemas as an integrator uses it: single files without our code.

import assert from 'node:assert/strict'
import { readFile } from 'node:fs/promises'
import { test } from 'node:test'
import Schema from 'typebox/schema'
import { EVENT_TYPES, sampleOf } from '#webhooks'
import { EVENT_SCHEMAS_FOLDER, eventSchemaFiles } from '../scripts/event-schema-files.ts'
import { eventSections } from '../scripts/event-sections.ts'

const now = Temporal.Instant.from('2026-12-15T06:25:00Z')

test('the page about events describes every field', () => {
  assert.doesNotMatch(eventSections(), /\|\s*\|$/m)
})

test('each event type has its own file, which accepts its example and a sample, and no other type', async () => {
  assert.deepEqual(
    [...eventSchemaFiles().keys()],
    EVENT_TYPES.map((type) => `${type}.schema.json`)
  )
  for (const [i, type] of EVENT_TYPES.entries()) {
    const json = await readFile(new URL(`${type}.schema.json`, EVENT_SCHEMAS_FOLDER), 'utf8')
    assert.doesNotMatch(json, /"\$ref": "(?!#\/\$defs\/)/, 'it needs no other file')
    const schema = JSON.parse(json)
    const body = {
      event: type,
      timestamp: now.toString(),
      webhook_id: 'wh_1',
      data: sampleOf(type, { currency: 'EUR', profile: 'shopify', now })
    }
    const problems = (value: unknown) => Schema.Errors(schema, value)[1].map((problem) => problem.message)
    assert.deepEqual([problems(body), problems(schema.examples[0])], [[], []], type)
    for (const wrong of [
      { ...body, event: EVENT_TYPES[(i + 1) % EVENT_TYPES.length] },
      { ...body, timestamp: 'yesterday' },
      { ...body, data: {} },
      { ...body, data: { ...body.data, customer: { id: 7 } } }
    ]) {
      assert.notDeepEqual(problems(wrong), [], `${type} ${JSON.stringify(wrong)}`)
    }
  }
})
