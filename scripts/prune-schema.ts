// Reduces the platform's published Admin GraphQL schema to what the sandbox serves:
//   node scripts/prune-schema.ts <admin-schema.graphql[.gz]>
// sandbox/schema/surface.json lists the root fields and, per type, the supported fields. Arguments, inputs and enums stay
// complete, so that a document with an unsupported field fails as with an unknown one.
import { readFile, writeFile } from 'node:fs/promises'
import { gunzipSync } from 'node:zlib'
import {
  type DefinitionNode,
  type FieldDefinitionNode,
  Kind,
  type NameNode,
  parse,
  print,
  type TypeNode
} from 'graphql'

const here = new URL('../sandbox/schema/', import.meta.url)
const [path] = process.argv.slice(2)
if (!path) throw new Error('Usage: node scripts/prune-schema.ts <admin-schema.graphql[.gz]>')

const file = await readFile(path)
const full = parse((path.endsWith('.gz') ? gunzipSync(file) : file).toString(), { noLocation: true })
const listed: Record<string, string | string[]> = JSON.parse(await readFile(new URL('surface.json', here), 'utf8'))

const definitions = new Map<string, DefinitionNode>()
for (const definition of full.definitions) {
  if ('name' in definition && definition.name) definitions.set((definition.name as NameNode).value, definition)
}

const KEPT_DIRECTIVES = new Set(['deprecated', 'oneOf'])
const SHAPES = { Connection: ['edges', 'nodes', 'pageInfo'], Edge: ['cursor', 'node'] }

function named(type: TypeNode): string {
  return type.kind === Kind.NAMED_TYPE ? type.name.value : named(type.type)
}

/** The supported fields of a type: those listed, or for payloads and connections those of the usual pattern. */
function fieldsOf(name: string): readonly string[] | null {
  const fields = listed[name]
  if (fields) return typeof fields === 'string' ? fields.split(' ') : fields
  for (const [suffix, fields] of Object.entries(SHAPES)) if (name.endsWith(suffix)) return fields
  if (!/(Payload|UserError)$/.test(name)) return null
  const definition = definitions.get(name)
  if (definition?.kind !== Kind.OBJECT_TYPE_DEFINITION) return null
  return definition.fields!.filter((field) => isServed(named(field.type))).map((field) => field.name.value)
}

function isServed(name: string): boolean {
  const definition = definitions.get(name)
  if (!definition) return true // a built-in scalar
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION:
      return name in listed || /(Connection|Edge|Payload|UserError)$/.test(name)
    case Kind.UNION_TYPE_DEFINITION:
      return definition.types!.some((type) => isServed(type.name.value))
    default:
      return true
  }
}

const reached = new Map<string, DefinitionNode>()
const waiting = Object.keys(listed)

function bare<T extends DefinitionNode | FieldDefinitionNode>(node: T): T {
  const directives = 'directives' in node ? node.directives?.filter((d) => KEPT_DIRECTIVES.has(d.name.value)) : []
  return { ...node, description: undefined, directives }
}

function bareField(field: FieldDefinitionNode): FieldDefinitionNode {
  for (const argument of field.arguments ?? []) waiting.push(named(argument.type))
  waiting.push(named(field.type))
  return {
    ...bare(field),
    arguments: field.arguments?.map((argument) => ({ ...argument, description: undefined, directives: [] }))
  }
}

while (waiting.length > 0) {
  const name = waiting.pop()!
  const definition = definitions.get(name)
  if (!definition || reached.has(name)) continue
  reached.set(name, definition)
  switch (definition.kind) {
    case Kind.OBJECT_TYPE_DEFINITION:
    case Kind.INTERFACE_TYPE_DEFINITION: {
      const wanted = fieldsOf(name)
      if (!wanted) throw new Error(`${name} is reached but surface.json does not say which of its fields are served`)
      const fields = wanted.map((wantedField) => {
        const field = definition.fields!.find((candidate) => candidate.name.value === wantedField)
        if (!field) throw new Error(`${name}.${wantedField} is in surface.json but not in the schema`)
        return bareField(field)
      })
      const interfaces = definition.interfaces?.filter((type) => type.name.value in listed)
      reached.set(name, { ...bare(definition), fields, interfaces })
      break
    }
    case Kind.UNION_TYPE_DEFINITION: {
      const types = definition.types!.filter((type) => isServed(type.name.value))
      for (const type of types) waiting.push(type.name.value)
      reached.set(name, { ...bare(definition), types })
      break
    }
    case Kind.INPUT_OBJECT_TYPE_DEFINITION: {
      for (const field of definition.fields!) waiting.push(named(field.type))
      const fields = definition.fields!.map((field) => ({ ...field, description: undefined, directives: [] }))
      reached.set(name, { ...bare(definition), fields })
      break
    }
    case Kind.ENUM_TYPE_DEFINITION: {
      const values = definition.values!.map((value) => ({ ...value, description: undefined, directives: [] }))
      reached.set(name, { ...bare(definition), values })
      break
    }
    default:
      reached.set(name, bare(definition))
  }
}

const idempotent = definitions.get('idempotent')!
const lines = [
  '# Made by scripts/prune-schema.ts from the published Admin GraphQL schema, version 2026-07, and surface.json.',
  'schema { query: QueryRoot mutation: Mutation }',
  print({ ...idempotent, description: undefined, arguments: stripped(idempotent) } as DefinitionNode),
  ...[...reached].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, definition]) => compact(definition))
]
await writeFile(new URL('admin-2026-07.graphql', here), `${lines.join('\n')}\n`)

function stripped(definition: DefinitionNode) {
  if (definition.kind !== Kind.DIRECTIVE_DEFINITION) throw new Error('The schema declares no @idempotent')
  return definition.arguments?.map((argument) => ({ ...argument, description: undefined }))
}

/** An enum on one line, since long enums would be most of the file. */
function compact(definition: DefinitionNode): string {
  const text = print(definition)
  return definition.kind === Kind.ENUM_TYPE_DEFINITION ? text.replace(/\s+/g, ' ') : text
}
