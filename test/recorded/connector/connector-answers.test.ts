// The connector reads what a real store answered: every recorded answer of an operation that it uses is served to its own function
// over HTTP. `outcomes.txt` lists what each came to, for people; with UPDATE_KNOWN=1 it is written. What a function has to return is
// decided here from the recording, not by the connector's code.
import assert from 'node:assert/strict'
import { readdir, readFile, writeFile } from 'node:fs/promises'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  buildSchema,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  getNullableType,
  isListType,
  Kind,
  parse
} from 'graphql'
import { isUnreached, type PlatformResult } from '#platform'
import { connectorTo } from '../../connectors.ts'
import { aPlatform, data, json } from '../../fake-platform.ts'
import { type RecordedCall, recordedCalls } from '../recorded-calls.ts'
import type { Operation, Recorded } from './operation.ts'
import { noSubscriptions, OPERATIONS } from './operations.ts'
import { everyField, projectAnswer, recordedField, type Selection } from './project-answer.ts'
import { UNREAD, UNUSED } from './unused.ts'

type Json = any

const FIXTURES = new URL('../../fixtures/platform/', import.meta.url)
const OUTCOMES = new URL('outcomes.txt', import.meta.url)
const { UPDATE_KNOWN } = process.env

const sdl = gunzipSync(await readFile(new URL('admin-schema.2026-07.graphql.gz', FIXTURES))).toString()
const schema = buildSchema(sdl, { assumeValid: true, assumeValidSDL: true })
const separate = JSON.parse(await readFile(new URL('recorded-documents.json', FIXTURES), 'utf8'))
const usedSchemaText = await readFile(
  new URL('../../../src/platform/version/used-schema.json', import.meta.url),
  'utf8'
)
const names = (await readdir(new URL('recorded/', FIXTURES), { recursive: true }))
  .filter((name) => name.endsWith('.json'))
  .sort()

/** What the platform's server does next; `answer` gets the document of the operation that was recorded. */
let current: { operation: Operation; answer(document: DocumentNode): Json } | null = null
const { url } = await aPlatform((res, { operation, query, variables }) => {
  if (!current) return json(res, {}, 500)
  // One page was recorded.
  if (operation === 'WebhookSubscriptions' && variables.after) return data(res, noSubscriptions)
  if (operation === current.operation.name) return json(res, current.answer(parse(query)))
  const other = current.operation.others?.[operation]
  return other ? data(res, other) : json(res, {}, 500)
})
// Its patience is short: an answer of "throttled" is repeated at once.
const connector = connectorTo(
  { storeId: 1, profile: 'shopify', url, accessToken: 'token-1' },
  { throttleWaitMs: 200, secondQueryMs: 60_000 }
)

const fragmentsOf = (document: DocumentNode) =>
  new Map(
    document.definitions.flatMap((one): [string, FragmentDefinitionNode][] =>
      one.kind === Kind.FRAGMENT_DEFINITION ? [[one.name.value, one]] : []
    )
  )

function rootFields(text: string): { selection: Selection; isMutation: boolean } | null {
  let document: DocumentNode
  try {
    document = parse(text)
  } catch {
    return null
  }
  const operation = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)!
  return {
    selection: { set: operation.selectionSet, fragments: fragmentsOf(document) },
    isMutation: operation.operation === 'mutation'
  }
}

const isOf = (error: Json, key: string) =>
  !error.path || error.path[0] === key || /^(query|mutation)/.test(error.path[0])

/** The currency of the amounts in an answer. */
const currencyIn = (value: Json) => /"currencyCode":"([A-Z]{3})"/.exec(JSON.stringify(value) ?? '')?.[1] ?? 'CAD'

/** What a person expects of an answer: the value, or why there is none. */
type Outcome = { value: Json } | { refusal: string; message: string; isWorthRepeating: boolean; isUnknown: boolean }

const plain = (value: Json): Json => {
  if (value instanceof Map) return Object.fromEntries([...value].map(([key, inner]) => [key, plain(inner)]))
  if (value instanceof Set) return [...value]
  if (value instanceof Temporal.Instant) return String(value)
  if (Array.isArray(value)) return value.map(plain)
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, plain(inner)]))
  return value
}

function outcomeOf(result: PlatformResult<unknown>): Outcome {
  if (result.ok) return { value: plain(result.value) }
  const { kind, code, field, message, outcomeUnknown = false } = result.failure
  const refusal = [kind, code, field].filter(Boolean).join(' ')
  return { refusal, message, isWorthRepeating: isUnreached(result.failure), isUnknown: outcomeUnknown }
}

/** By the words of the recording alone. None of the recorded errors came after something had been done. */
function expectedOf(operation: Operation, recorded: Recorded, errors: Json[], isEmpty: boolean): Outcome {
  if (isEmpty && errors.length > 0) {
    const { message, extensions = {} } = errors[0]
    const { code = '' } = extensions
    const kind = code === 'ACCESS_DENIED' ? 'unauthorized' : code === 'THROTTLED' ? 'throttled' : 'unavailable'
    // What the platform says of a document that does not fit its schema has codes in camelCase, and they say no more than this one.
    if (kind === 'unauthorized' && operation.expectedForDenied) return { value: operation.expectedForDenied(message) }
    const name = /^[a-z]/.test(code) ? 'graphql_validation_failed' : code.toLowerCase()
    const isWorthRepeating = kind === 'throttled'
    return { refusal: [kind, name].filter(Boolean).join(' '), message, isWorthRepeating, isUnknown: false }
  }
  const error = recorded.value?.userErrors?.[0]
  if (error) {
    if (operation.expectedForError) return { value: operation.expectedForError(error) }
    // Another process of ours was faster.
    if (/already been taken/.test(error.message) && /^WebhookSubscription/.test(operation.name))
      return { value: { created: [], updated: [], unchanged: ['orders/paid'], removed: 0 } }
    const refusal = ['rejected', error.code?.toLowerCase(), error.field?.join('.')].filter(Boolean).join(' ')
    return { refusal, message: error.message, isWorthRepeating: false, isUnknown: false }
  }
  if (recorded.value === null && operation.ofNull)
    return { refusal: 'rejected', message: operation.ofNull, isWorthRepeating: false, isUnknown: false }
  return { value: plain(operation.expected(recorded)) }
}

const words = (outcome: Outcome): string => {
  if ('value' in outcome) return JSON.stringify(outcome.value)
  const { refusal, message, isWorthRepeating, isUnknown } = outcome
  return `${refusal}: ${message}${isWorthRepeating ? ' (again)' : ''}${isUnknown ? ' (perhaps done)' : ''}`
}

/** Whether a recorded value has something that an operation reads; `product.variants` is a field of a field. */
function says({ needs }: Operation, theirs: Selection, value: Json): boolean {
  if (!needs || value === null || value?.userErrors?.length > 0) return true
  return needs.some((path) => {
    let [selection, at] = [theirs, value]
    for (const name of path.split('.')) {
      if (Array.isArray(at)) at = at[0]
      if (!at) return true
      const found = recordedField(selection, name, at)
      if (!found) return false
      selection = { set: found.selectionSet, fragments: theirs.fragments }
      at = found.value
    }
    return true
  })
}

const lines: string[] = []
const counts = { answers: 0, examined: 0, madeUp: 0 }
const unusedRoots = new Map<string, number>()
const unread = new Map<string, number>()
const count = (map: Map<string, number>, key: string) => map.set(key, (map.get(key) ?? 0) + 1)

/** The answer of one field of a call, given to a function of the connector. */
async function examine(operation: Operation, call: RecordedCall, field: FieldNode, theirs: Selection) {
  const key = field.alias?.value ?? field.name.value
  const said = call.answer.data?.[key] ?? null
  const of = operation.isOfProduct ? JSON.parse(JSON.stringify(said).replaceAll('/Product/', '/Customer/')) : said
  // What is gone is null in a list of nodes, also where the recorded field has an error for it.
  const isError = (error: Json) => isOf(error, key) && !(operation.isInNodes && error.extensions?.code === 'NOT_FOUND')
  const errors = (call.answer.errors ?? []).filter(isError)
  const isEmpty = of === null && errors.length > 0
  let madeUp: string[] = []
  const recorded: Recorded = { value: of, variables: call.variables, currency: currencyIn(of) }
  // The call needs what the answer is mapped to, which needs the document that the call sends: it is sent twice.
  let isKnown = false
  current = {
    operation,
    answer(document) {
      const sent = document.definitions.find((one) => one.kind === Kind.OPERATION_DEFINITION)!
      const fragments = fragmentsOf(document)
      const root = (sent.operation === 'mutation' ? schema.getMutationType() : schema.getQueryType())!
      const { extensions } = call.answer as Json
      const wanted = sent.selectionSet.selections as FieldNode[]
      const result: Record<string, Json> = {}
      for (const one of wanted) {
        const name = one.alias?.value ?? one.name.value
        const isIt = operation.field ? name === operation.field : operation.isInNodes || name === field.name.value
        if (!isIt) {
          // Of the definitions that are made together only the first is the recorded one.
          result[name] = { userErrors: [{ message: 'Key is in use', code: 'TAKEN' }] }
          continue
        }
        const type = root.getFields()[one.name.value]!.type
        const list = getNullableType(type)
        const inner = operation.isInNodes && isListType(getNullableType(list)) ? nodeType(field) : type
        const mapped = projectAnswer(schema, inner, { set: one.selectionSet, fragments }, theirs, of)
        madeUp = mapped.madeUp
        if (operation.isInNodes && mapped.value) mapped.value.id ??= 'gid://shopify/Node/1'
        recorded.value = mapped.value
        result[name] = operation.isInNodes ? [mapped.value] : mapped.value
      }
      isKnown = true
      const moved = errors.map((error: Json) => ({
        ...error,
        ...(error.path?.[0] === key ? { path: [Object.keys(result)[0], ...error.path.slice(1)] } : {})
      }))
      return {
        ...(isEmpty && call.answer.data === undefined ? {} : { data: isEmpty ? nulls(result) : result }),
        ...(moved.length > 0 ? { errors: moved } : {}),
        ...(extensions ? { extensions } : {})
      }
    }
  }
  await operation.call(connector, recorded)
  assert.ok(isKnown, `${operation.name} was not sent`)
  recorded.currency = currencyIn(recorded.value)
  const actual = outcomeOf(await operation.call(connector, recorded))
  const expected = expectedOf(operation, recorded, errors, isEmpty)
  return { actual, expected, madeUp }
}

const nulls = (result: Record<string, Json>) => Object.fromEntries(Object.keys(result).map((key) => [key, null]))

/** The type of the objects that are read by `nodes(ids:)`: that of the recorded field. */
function nodeType(theirs: FieldNode) {
  return schema.getQueryType()!.getFields()[theirs.name.value]!.type
}

for (const name of names) {
  test(`${name}: the connector reads what the store answered`, async () => {
    const file = JSON.parse(await readFile(new URL(`recorded/${name}`, FIXTURES), 'utf8'))
    const { calls, withoutDocument } = recordedCalls(name, file, separate)
    for (const _ of withoutDocument) count(unread, 'its document is not recorded')
    const wrong: object[] = []
    for (const call of calls) {
      const roots = rootFields(call.document)
      if (!roots) {
        count(unread, 'its document cannot be parsed')
        continue
      }
      for (const field of everyField(roots.selection)) {
        const key = field.alias?.value ?? field.name.value
        counts.answers++
        const operations = OPERATIONS[field.name.value]
        if (!operations) {
          count(unusedRoots, field.name.value)
          continue
        }
        const ownErrors = (call.answer.errors ?? []).some((error: Json) => isOf(error, key))
        if (call.answer.data?.[key] === undefined && !ownErrors) {
          count(unread, 'another field of the same document was refused, and took this one with it')
          continue
        }
        const theirs = { set: field.selectionSet, fragments: roots.selection.fragments }
        const fitting = operations.filter((one) => says(one, theirs, call.answer.data?.[key] ?? null))
        if (fitting.length === 0) {
          count(unread, 'it has none of the fields that the connector asks for')
          continue
        }
        counts.examined++
        for (const operation of fitting) {
          const { actual, expected, madeUp } = await examine(operation, call, field, theirs)
          if (madeUp.length > 0) counts.madeUp++
          const at = `${name}${call.at} ${key}`
          const isAsExpected = matches(actual, expected, operation)
          if (!isAsExpected) wrong.push({ at, operation: operation.name, expected, actual })
          lines.push(`${at}: ${operation.name}: ${words(actual)}`)
        }
      }
    }
    assert.deepEqual(wrong, [])
  })
}

/** An expected message may be a part of it, and an expected object may leave fields out. */
function matches(actual: Outcome, expected: Outcome, { ofNull, isPart }: Operation): boolean {
  if ('value' in expected) {
    if (!('value' in actual)) return false
    if (isPart) return isPartOf(expected.value, actual.value)
    return JSON.stringify(sorted(actual.value)) === JSON.stringify(sorted(expected.value))
  }
  if ('value' in actual) return false
  if (ofNull && expected.message === ofNull)
    return actual.message.includes(ofNull) && actual.refusal.startsWith('rejected') && !actual.isWorthRepeating
  return JSON.stringify(actual) === JSON.stringify(expected)
}

const isPartOf = (part: Json, whole: Json): boolean =>
  typeof part !== 'object' || part === null
    ? part === whole
    : Object.entries(part).every(([key, value]) => isPartOf(value, whole?.[key]))

const sorted = (value: Json): Json =>
  Array.isArray(value)
    ? value.map(sorted)
    : typeof value === 'object' && value !== null
      ? Object.fromEntries(
          Object.keys(value)
            .sort()
            .map((key) => [key, sorted(value[key])])
        )
      : value

test('the list of outcomes is what the answers came to', async () => {
  const text = lines.map((line) => `${line}\n`).join('')
  if (UPDATE_KNOWN) await writeFile(OUTCOMES, text)
  assert.equal(text, await readFile(OUTCOMES, 'utf8'))
})

test('every answer that was not examined has a reason, and every reason is needed', () => {
  const reasons = Object.entries(UNUSED).flatMap(([reason, roots]) =>
    roots.split(' ').map((root): [string, string] => [root, reason])
  )
  if (UPDATE_KNOWN)
    console.log([...unusedRoots].filter(([root]) => !reasons.some(([r]) => r === root)).join(' '), unread)
  assert.deepEqual([...unusedRoots.keys()].sort(), reasons.map(([root]) => root).sort())
  assert.deepEqual(Object.fromEntries(unread), UNREAD)
})

test('no field that a document of the connector has counts as unused', () => {
  const used = Object.keys(JSON.parse(usedSchemaText).fields).flatMap((field) => {
    const [type, name] = field.split('.')
    // Any object can be read by `nodes`, whose own recorded answers are of objects that we do not read.
    return /^(QueryRoot|Mutation)$/.test(type!) && name !== 'nodes' ? [name!] : []
  })
  assert.ok(used.length > 20)
  const unused = Object.values(UNUSED).flatMap((roots) => roots.split(' '))
  assert.deepEqual(
    used.filter((name) => unused.includes(name)),
    []
  )
})

test('none of the recorded answers is throttled; the documented one is, to each function, a reason to call again', async () => {
  const throttled = {
    errors: [{ message: 'Throttled', extensions: { code: 'THROTTLED' } }],
    extensions: { cost: { requestedQueryCost: 1, actualQueryCost: null } }
  }
  for (const operation of new Set(Object.values(OPERATIONS).flat())) {
    current = { operation, answer: () => throttled }
    const recorded = { value: null, variables: {}, currency: 'CAD' }
    const outcome = outcomeOf(await operation.call(connector, recorded))
    assert.ok(!('value' in outcome), operation.name)
    assert.deepEqual(
      [outcome.refusal, outcome.isWorthRepeating, outcome.isUnknown],
      ['throttled throttled', true, false],
      operation.name
    )
  }
})

after(() => {
  const left = counts.answers - counts.examined
  console.log(`${counts.examined} of ${counts.answers} recorded answers examined, ${lines.length} times; ${left} not:`)
  for (const [reason, roots] of Object.entries(UNUSED)) {
    const number = roots.split(' ').reduce((sum, root) => sum + (unusedRoots.get(root) ?? 0), 0)
    console.log(`  ${number}: ${reason}`)
  }
  for (const [reason, number] of unread) console.log(`  ${number}: ${reason}`)
  console.log(`${counts.madeUp} of ${lines.length} lacked a field that may not be null, whose value was made up`)
})
