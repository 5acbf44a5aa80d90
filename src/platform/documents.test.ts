import assert from 'node:assert/strict'
import { globSync, readFileSync } from 'node:fs'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import {
  buildSchema,
  type FieldNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  getNamedType,
  isAbstractType,
  parse,
  type SelectionSetNode,
  validate
} from 'graphql'
import { allDocuments, idsPerDocument } from './wire/document.ts'

// Loads every file that makes a document.
import './connector.ts'

const operationOf = (text: string) => /^(?:query|mutation) (\w+)/.exec(text)?.[1] ?? text
const documents = new Map(allDocuments().map((text) => [operationOf(text), text]))

test('no two documents have one name, and each documents.ts names them as they name themselves', async () => {
  assert.equal(documents.size, allDocuments().length)
  for (const file of globSync('*/documents.ts', { cwd: import.meta.dirname })) {
    for (const [name, text] of Object.entries(await import(`./${file}`))) {
      if (typeof text === 'string') assert.equal(text, documents.get(name))
    }
  }
})

const fixture = new URL('../../test/fixtures/platform/admin-schema.2026-07.graphql.gz', import.meta.url)
const schema = buildSchema(gunzipSync(readFileSync(fixture)).toString(), { assumeValid: true, assumeValidSDL: true })

for (const [name, text] of documents) {
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

/**
 * What a document costs by the platform's published rules: an object 1, a connection its page times what is in it, a
 * mutation 10, of a union the dearest member. `nodes(ids:)` counts as a page of that many.
 */
function costOf(text: string, batch: number): number {
  const { definitions } = parse(text)
  const fragments = new Map(definitions.flatMap((d) => (d.kind === 'FragmentDefinition' ? [[d.name.value, d]] : [])))
  const operation = definitions.find((d) => d.kind === 'OperationDefinition')!
  const ofSet = (set: SelectionSetNode, type: GraphQLNamedType): number => {
    let sum = 0
    let dearest = 0
    for (const selection of set.selections) {
      if (selection.kind === 'Field') sum += ofField(selection, type)
      else {
        const fragment = selection.kind === 'FragmentSpread' ? fragments.get(selection.name.value)! : selection
        const member = schema.getType(fragment.typeCondition!.name.value)!
        const cost = ofSet(fragment.selectionSet, member)
        if (isAbstractType(type)) dearest = Math.max(dearest, cost)
        else sum += cost
      }
    }
    return sum + dearest
  }
  const ofField = (field: FieldNode, parent: GraphQLNamedType): number => {
    if (!field.selectionSet) return 0
    const type = getNamedType((parent as GraphQLObjectType).getFields()[field.name.value]!.type)
    const first = field.arguments?.find((argument) => argument.name.value === 'first')?.value
    const times =
      field.name.value === 'nodes' && parent.name === 'QueryRoot'
        ? batch
        : first?.kind === 'IntValue'
          ? Number(first.value)
          : 1
    // The connection, its nodes and its pageInfo are no objects of their own.
    const own =
      type.name.endsWith('Connection') || type.name === 'PageInfo' || parent.name.endsWith('Connection') ? 0 : 1
    return first ? times * (1 + ofSet(field.selectionSet, type)) : times * (own + ofSet(field.selectionSet, type))
  }
  const root = operation.operation === 'mutation' ? schema.getMutationType()! : schema.getQueryType()!
  return (operation.operation === 'mutation' ? 10 : 0) + ofSet(operation.selectionSet, root)
}

for (const [name, text] of documents) {
  test(`${name} costs less than the 1000 points that one document may`, () => {
    const points = costOf(text, idsPerDocument(text))
    assert.ok(points < 1000, `${points} points`)
  })
}
