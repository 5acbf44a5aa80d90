import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { buildSchema, parse, validate } from 'graphql'
import * as documents from './documents.ts'

const fixture = new URL('../../test/fixtures/platform/admin-schema.2026-07.graphql.gz', import.meta.url)
const schema = buildSchema(gunzipSync(readFileSync(fixture)).toString(), { assumeValid: true, assumeValidSDL: true })

for (const [name, text] of Object.entries(documents)) {
  test(`${name} is one operation of that name and valid in the full schema`, () => {
    const parsed = parse(text)
    assert.deepEqual(validate(schema, parsed), [])
    const operations = parsed.definitions.filter((d) => d.kind === 'OperationDefinition')
    assert.deepEqual(
      operations.map((o) => o.name?.value),
      [name]
    )
  })
}

test('a field that the schema does not have would be found', () => {
  assert.equal(validate(schema, parse('{ shop { name nickname } }')).length, 1)
})
