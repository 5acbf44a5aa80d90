// Every operation of the admin API with each of its fields wrong: the error names the field.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testDatabase } from '../../../test/database.ts'
import { type Operation, operationsOf } from '../../../test/openapi.ts'
import { aStore } from '../../../test/store-builder.ts'
import { OPERATOR_TOKEN, testServer } from '../server.test-helper.ts'

const { db } = await testDatabase()
const { app } = testServer(db)
const headers = { authorization: `Bearer ${OPERATOR_TOKEN}` }
const { body: document } = await app.inject({ url: '/admin/api/openapi.json', headers })
const operations = operationsOf(JSON.parse(document))
const store = await aStore(db, { clockAt: Temporal.Instant.from('2026-11-20T12:00:00Z') })

async function send({ method, path }: Operation, query: string, body?: unknown, type = 'application/json') {
  const payload = body === undefined || typeof body === 'string' ? body : JSON.stringify(body)
  const response = await app.inject({
    method: method as 'GET',
    url: `/admin/api${path.replace('{store}', `store_${store.storeId}`).replace(/\{\w+\}/g, 'x')}${query}`,
    headers: { ...headers, ...(payload !== undefined && { 'content-type': type }) },
    payload
  })
  return { status: response.statusCode, text: response.body, error: response.json().error }
}

/** What is refused, and that this field and no other is named. */
async function assertNames(operation: Operation, query: string, body: unknown, field: string, code: string) {
  const { status, text, error } = await send(operation, query, body)
  const what = `${operation.id} ${query} ${JSON.stringify(body)}: ${text}`
  assert.equal(status, 400, what)
  assert.deepEqual(
    error.details?.map((detail: { field: string; code: string }) => [detail.field, detail.code]),
    [[field, code]],
    what
  )
}

/** What is wrong within a list is named by its place there, and nothing else is. */
async function assertNamesWithin(operation: Operation, body: unknown, list: string) {
  const { status, text, error } = await send(operation, '', body)
  assert.equal(status, 400, text)
  const fields = error.details.map(({ field }: { field: string }) => field)
  assert.ok(fields.includes(`${list}[0].wrong`), text)
  assert.ok(
    fields.every((field: string) => field.startsWith(`${list}[0].`)),
    text
  )
}

const isListOfObjects = (schema: unknown) => {
  const { type, items } = schema as { type?: string | string[]; items?: { type?: string } }
  return [type].flat().includes('array') && items?.type === 'object'
}

for (const operation of operations) {
  const { body: schema, example } = operation
  const good = schema ? ((example ?? {}) as Record<string, unknown>) : undefined

  test(`${operation.id}: an error names the parameter or field that is wrong`, async () => {
    const parameters = operation.parameters.filter((one) => one.in === 'query')
    /** A query with what the operation requires but for one parameter, and with what is given. */
    const query = (given: string, but?: string) => {
      const required = parameters.filter(({ name, required }) => required && name !== but)
      const parts = required.map(({ name, example }) => `${name}=${encodeURIComponent(String(example))}`)
      return `?${[...parts, given].join('&')}`
    }
    for (const { name, required, schema: accepted } of parameters) {
      if (accepted.type !== 'string' || accepted.enum || accepted.pattern || accepted.format) {
        await assertNames(operation, query(`${name}=~`, name), good, name, 'invalid')
      }
      await assertNames(operation, query(`${name}=1&${name}=2`, name), good, name, 'invalid')
      await assertNames(operation, query(`${name}=%00`, name), good, name, 'invalid')
      if (required) await assertNames(operation, query('', name), good, name, 'required')
    }
    await assertNames(operation, query('nonsense=1'), good, 'nonsense', 'unknown')
    if (!schema) return
    for (const [name, accepted] of Object.entries(schema.properties ?? {})) {
      const wrong = { ...good, [name]: [{ wrong: true }] }
      if (isListOfObjects(accepted)) await assertNamesWithin(operation, wrong, name)
      else await assertNames(operation, '', wrong, name, 'invalid')
    }
    for (const name of (schema.required ?? []) as string[]) {
      const { [name]: _, ...others } = good!
      await assertNames(operation, '', others, name, 'required')
    }
    await assertNames(operation, '', { ...good, nonsense: 1 }, 'nonsense', 'unknown')
    if (!schema.required?.length) {
      const { status, error, text } = await send(operation, '', {})
      if (status === 400) assert.ok(error.details?.length > 0, `${operation.id} {}: ${text}`)
    }
    for (const text of ['{"a":', '[]', '"text"', '{"a":"\\u0000"}', '{"a":1,"a":2}']) {
      await assertNames(operation, '', text, 'body', 'invalid')
    }
  })
}
