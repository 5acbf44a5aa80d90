// The sections of docs/metafields.md that are made of the declarations.
import assert from 'node:assert/strict'
import { test } from 'node:test'
import { METAFIELD_OWNERS } from '#platform'
import { metafieldSections } from '../scripts/metafield-sections.ts'
import { METAFIELDS } from '../src/mirror/metafields/all-metafields.ts'

/** What a field is written as where nobody has given it; `shape`: its fields, of an object. */
type Field = { write(value: unknown): unknown; otherwise?: { value: unknown }; shape?: Record<string, Field> }

/** The paths of the fields that are not in the value of a metafield where they have the value for it. */
function absentOf({ shape = {} }: Field, prefix = ''): string[] {
  return Object.entries(shape).flatMap(([name, field]) => [
    ...(field.otherwise && field.write(field.otherwise.value) === undefined ? [prefix + name] : []),
    ...absentOf(field, `${prefix}${name}.`)
  ])
}

test('a field is said to be left out where it is, and one that is always written is not', () => {
  const sections = METAFIELD_OWNERS.map(metafieldSections).join('\n').split('### ').slice(1)
  const said = sections.flatMap((section) => {
    const [key] = section.split('\n', 1)
    return [...section.matchAll(/^\| `([^`]+)` \| [^|]*left out[^|]* \|/gm)].map(([, field]) => `${key}.${field}`)
  })
  const left = METAFIELDS.flatMap(({ key, field }) => absentOf(field as Field).map((name) => `${key}.${name}`))
  assert.ok(left.length > 0)
  assert.deepEqual(said.toSorted(), left.toSorted())
})
