import assert from 'node:assert/strict'
import { test } from 'node:test'
import { apiDocuments, jsonOf } from '../scripts/api-document.ts'
import { problemsOf } from '../scripts/check-openapi.ts'

const documents = await apiDocuments()

/** What the changes below are about. To lint the whole document for each takes far longer. */
const PATHS = ['/members', '/members/{member_id}', '/billing-attempts/{attempt_id}/retry', '/subscriptions']
const part = partOf(JSON.parse(jsonOf(documents.rest)))

/** Our document with these paths and one webhook, and the components that they use. */
function partOf(document: any) {
  const pick = (from: object, names: string[]) =>
    Object.fromEntries(Object.entries(from).filter(([name]) => names.includes(name)))
  document.paths = pick(document.paths, PATHS)
  document.webhooks = pick(document.webhooks, ['billing.failed'])
  for (let before = ''; before !== JSON.stringify(document); ) {
    before = JSON.stringify(document)
    for (const [kind, components] of Object.entries<object>(document.components)) {
      if (kind === 'securitySchemes') continue
      const isUsed = (name: string) => before.includes(`"#/components/${kind}/${name}"`)
      document.components[kind] = pick(components, Object.keys(components).filter(isUsed))
    }
  }
  return JSON.stringify(document)
}

/** The problems of that part of our document after one change. */
async function problemsAfter(change: (document: any) => void) {
  const document = JSON.parse(part)
  change(document)
  return (await problemsOf(jsonOf(document), 'rest')).join('\n')
}

test('the part of the document that is changed here has no problems', async () => {
  assert.equal(await problemsAfter(() => {}), '')
})

// That the documents have no problems is checked by `npm run check`.
for (const [name, change, problem] of [
  ['no info', (d: any) => delete d.info, /no OpenAPI document/],
  ['a type that does not exist', (d: any) => (d.components.schemas.Meta.type = 'thing'), /Meta/],
  ['a reference to nothing', (d: any) => delete d.components.schemas.Customer, /Can't resolve/],
  [
    'a component that nothing uses',
    (d: any) => (d.components.schemas.Unused = { type: 'string' }),
    /no-unused-components/
  ],
  [
    'an operationId twice',
    (d: any) => (d.paths['/members'].get.operationId = 'getMember'),
    /operation-operationId-unique/
  ],
  ['an operation without a summary', (d: any) => delete d.paths['/members'].get.summary, /operation-summary/],
  [
    'an example that its schema does not allow',
    (d: any) => (d.paths['/members'].get.responses[200].content['application/json'].example.data[0].status = 'gone'),
    /no-invalid-media-type-examples/
  ],
  [
    "a component's example that it does not allow",
    (d: any) => (d.components.schemas.Member.examples[0].loyalty_points = 'many'),
    /no-invalid-schema-examples/
  ],
  [
    "a parameter's example that it does not allow",
    (d: any) => (d.paths['/members'].get.parameters[0].example = 1000),
    /no-invalid-parameter-examples/
  ],
  [
    'an event whose example is wrong',
    (d: any) => delete d.webhooks['billing.failed'].post.requestBody.content['application/json'].example.data.error,
    /no-invalid-media-type-examples/
  ],
  [
    'an answer without an example',
    (d: any) => delete d.paths['/members'].get.responses[200].content['application/json'].example,
    /get \/members: 200 has no example/
  ],
  [
    'a field without a description',
    (d: any) => delete d.components.schemas.Member.properties.tier.description,
    /Member\.tier has no description/
  ],
  [
    'an error that is not declared',
    (d: any) => delete d.paths['/members'].get.responses[403],
    /get \/members does not list 403/
  ],
  [
    'a write without an Idempotency-Key',
    (d: any) => d.paths['/billing-attempts/{attempt_id}/retry'].post.parameters.pop(),
    /does not accept an Idempotency-Key/
  ],
  [
    'an operation without a scope',
    (d: any) => delete d.paths['/members'].get['x-required-scope'],
    /get \/members has no x-required-scope/
  ],
  [
    'a pattern that Go does not know',
    (d: any) => (d.components.parameters.IdempotencyKey.schema.pattern = '^(?=8).*$'),
    /IdempotencyKey\/schema\/pattern .*: \(\?= is not known to all engines/
  ],
  [
    'a pattern of a field that Python does not know',
    (d: any) =>
      (d.paths['/members/{member_id}'].patch.requestBody.content['application/json'].schema.properties.email.pattern =
        '^[\\p{L}@.]+$'),
    /email\/pattern .*: \\p is not known to all engines/
  ],
  [
    'a date filter without a format',
    (d: any) => {
      const { parameters } = d.paths['/subscriptions'].get
      parameters.find(({ name }: { name: string }) => name === 'created_after').schema = { type: 'string' }
    },
    /get \/subscriptions: created_after is a date without a format/
  ]
] as const) {
  test(`an invalid document is refused: ${name}`, async () => {
    assert.match(await problemsAfter(change), problem)
  })
}
