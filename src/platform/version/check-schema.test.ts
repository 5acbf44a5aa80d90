import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { buildSchema } from 'graphql'
import { allDocuments } from '../wire/document.ts'
import { API_VERSION } from '../wire/platform-profiles.ts'
import { checkSchema } from './check-schema.ts'
import { usedSchema, usedSchemaText } from './used-schema.ts'

// Loads every file that makes a document.
import '../connector.ts'

const fixture = new URL(`../../../test/fixtures/platform/admin-schema.${API_VERSION}.graphql.gz`, import.meta.url)
const pinned = gunzipSync(readFileSync(fixture)).toString()

test('the part of the pinned schema that is kept is what the documents use: npm run used-schema:generate', () => {
  const schema = buildSchema(pinned, { assumeValid: true, assumeValidSDL: true })
  const file = readFileSync(new URL('./used-schema.json', import.meta.url), 'utf8')
  assert.equal(file, usedSchemaText(usedSchema(schema, allDocuments(), API_VERSION)))
})

/** The pinned schema with this part of a definition replaced, which must occur in it. */
function changed(definition: RegExp, from: string, to: string): string {
  const text = definition.exec(pinned)?.[0]
  if (!text?.includes(from)) throw new Error(`${definition} has no ${from}`)
  return pinned.replace(text, text.replace(from, to))
}
const typeOf = (name: string) => new RegExp(`^(type|input|enum) ${name}\\b[^{]*\\{[^]*?^\\}`, 'm')

test('nothing of what the pinned version deprecates or lacks breaks us', async () => {
  const { changes, documents } = await checkSchema(pinned)
  assert.ok(documents > 40)
  assert.deepEqual(
    changes.filter(({ kind }) => kind !== 'deprecated'),
    []
  )
})

for (const [what, sdl, expected] of [
  [
    'a field that we read is gone',
    () => changed(typeOf('Shop'), '\n  ianaTimezone: ', '\n  zoneOfTime: '),
    { kind: 'breaks', what: 'ShopInfo', message: /Cannot query field "ianaTimezone" on type "Shop"/ }
  ],
  [
    'a field that we read is deprecated',
    () =>
      changed(
        typeOf('Shop'),
        '\n  ianaTimezone: String!',
        '\n  ianaTimezone: String! @deprecated(reason: "Use zone.")'
      ),
    { kind: 'deprecated', what: 'Shop.ianaTimezone', message: /^Use zone\.$/ }
  ],
  [
    'a field that we read has another type',
    () => changed(typeOf('Shop'), '\n  ianaTimezone: String!', '\n  ianaTimezone: ID'),
    { kind: 'changed', what: 'Shop.ianaTimezone', message: /^is ID, was String!$/ }
  ],
  [
    'an enum that we read has a new value',
    () => changed(typeOf('SubscriptionContractSubscriptionStatus'), 'ACTIVE', 'DREAMING\n  ACTIVE'),
    { kind: 'new_value', what: 'SubscriptionContractSubscriptionStatus.DREAMING', message: /is new/ }
  ],
  [
    'a mutation needs one more argument',
    () => changed(typeOf('Mutation'), 'tagsAdd(', 'tagsAdd(\n    reason: String!\n'),
    { kind: 'breaks', what: 'QueryRootOrMutation', message: /reason/ }
  ],
  [
    'an input that we send needs one more field',
    () => changed(typeOf('WebhookSubscriptionInput'), '{\n', '{\n  secret: String!\n'),
    { kind: 'breaks', what: 'WebhookSubscriptionInput.secret', message: /^is required: String!$/ }
  ]
] as [string, () => string, { kind: string; what: string; message: RegExp }][]) {
  test(`says that ${what}`, async () => {
    const { changes } = await checkSchema(sdl())
    const found = changes.filter(({ kind, message }) => kind === expected.kind && expected.message.test(message))
    assert.ok(found.length > 0, JSON.stringify(changes.slice(0, 5)))
    if (expected.what !== 'QueryRootOrMutation') assert.ok(found.some(({ what }) => what === expected.what))
  })
}

test('a text that is no schema is refused with the reason', async () => {
  await assert.rejects(checkSchema('type Shop {'), /Syntax Error/)
})
