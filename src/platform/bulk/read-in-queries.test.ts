import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { buildSchema, parse, TypeInfo, validate, visit, visitWithTypeInfo } from 'graphql'
import { MalformedPayload } from '../wire/fields.ts'
import { bulkQueryOf, readBulkContract, readBulkCustomer, readBulkOrder } from './read-in-queries.ts'

const fixture = new URL('../../../test/fixtures/platform/admin-schema.2026-07.graphql.gz', import.meta.url)
const schema = buildSchema(gunzipSync(readFileSync(fixture)).toString(), { assumeValid: true, assumeValidSDL: true })
const since = Temporal.Instant.from('2026-01-31T10:00:00.123Z')

for (const part of ['customers', 'contracts', 'orders'] as const) {
  test(`the query of all ${part} is valid, and such as the platform takes for a bulk operation`, () => {
    for (const from of [null, since]) {
      const document = parse(bulkQueryOf(part, 'Read', from))
      assert.deepEqual(validate(schema, document), [])
      let connections = 0
      let lists = 0
      const info = new TypeInfo(schema)
      visit(
        document,
        visitWithTypeInfo(info, {
          Field: {
            enter() {
              const type = String(info.getType())
              if (/Connection!?$/.test(type)) {
                connections++
                assert.equal(lists, 0, 'a connection in a list')
              }
              if (/^\[/.test(type) && !/Edge/.test(type)) lists++
            },
            leave() {
              const type = String(info.getType())
              if (/^\[/.test(type) && !/Edge/.test(type)) lists--
            }
          },
          FragmentSpread: () => assert.fail('a named fragment')
        })
      )
      assert.ok(connections >= 1 && connections <= 5)
    }
  })
}

test('asks for what changed or was placed since a time, in whole seconds', () => {
  assert.match(
    bulkQueryOf('customers', 'A', since),
    /^query A \{ customers\(query: "updated_at:>='2026-01-31T10:00:00Z'"\)/
  )
  assert.match(bulkQueryOf('orders', 'B', since), /orders\(query: "created_at:>='2026-01-31T10:00:00Z'"\)/)
})

test('a line that is not what was asked for is refused with its field', () => {
  const refused = (field: string) => (err: unknown) => err instanceof MalformedPayload && err.field === field
  assert.throws(() => readBulkCustomer({ id: 'gid://shopify/Customer/7' }), refused('customer.createdAt'))
  assert.throws(() => readBulkContract({ id: 7 }), refused('contract.id'))
  assert.throws(() => readBulkOrder({ id: 'gid://shopify/Order/7' }, []), MalformedPayload)
})
