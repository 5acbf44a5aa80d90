import {
  buildSchema,
  type GraphQLError,
  type GraphQLSchema,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  isRequiredArgument,
  isRequiredInputField,
  parse,
  validate
} from 'graphql'
import type { UsedSchema } from './used-schema.ts'

/**
 * One thing that another version of the API changes for us.
 * - `breaks`: a document that we send is refused.
 * - `deprecated`: it still works, and a later version takes it away.
 * - `new_value`: an enum that we read has a value that we do not know. It passes through in lower case.
 * - `changed`: something else that a person should look at.
 */
export type SchemaChange = { kind: 'breaks' | 'deprecated' | 'new_value' | 'changed'; what: string; message: string }

/** Reads a schema in GraphQL's own language. Throws with the reason where it is none. */
export const readSchema = (sdl: string): GraphQLSchema => buildSchema(sdl, { assumeValid: true, assumeValidSDL: true })

/** What another schema changes for our documents, which use this part of the pinned one. What breaks comes first. */
export function schemaChanges(used: UsedSchema, documents: readonly string[], other: GraphQLSchema): SchemaChange[] {
  const changes: SchemaChange[] = [
    ...documents.flatMap((text) => breaksOf(text, validate(other, parse(text)))),
    ...fieldChanges(used, other),
    ...enumChanges(used, other),
    ...inputChanges(used, other)
  ]
  const order: SchemaChange['kind'][] = ['breaks', 'deprecated', 'changed', 'new_value']
  return changes.toSorted((a, b) => order.indexOf(a.kind) - order.indexOf(b.kind) || (a.what < b.what ? -1 : 1))
}

function breaksOf(text: string, errors: readonly GraphQLError[]): SchemaChange[] {
  const name = /^(?:query|mutation) (\w+)/.exec(text)?.[1] ?? 'a document'
  return errors.map(({ message }) => ({ kind: 'breaks', what: name, message }))
}

function fieldChanges({ fields }: UsedSchema, other: GraphQLSchema): SchemaChange[] {
  return Object.entries(fields).flatMap(([path, used]): SchemaChange[] => {
    const [typeName, fieldName] = path.split('.') as [string, string]
    const type = other.getType(typeName)
    const field = isObjectType(type) || isInterfaceType(type) ? type.getFields()[fieldName] : undefined
    // A field that is gone is among the documents that break.
    if (!field) return []
    const changes: SchemaChange[] = []
    if (field.deprecationReason != null) {
      changes.push({ kind: 'deprecated', what: path, message: field.deprecationReason })
    }
    if (String(field.type) !== used.type) {
      changes.push({ kind: 'changed', what: path, message: `is ${field.type}, was ${used.type}` })
    }
    for (const argument of field.args) {
      const before = used.args[argument.name]
      const what = `${path}(${argument.name}:)`
      if (before === undefined && isRequiredArgument(argument)) {
        changes.push({ kind: 'breaks', what, message: `is a new argument that is required: ${argument.type}` })
      }
      if (before !== undefined && argument.deprecationReason != null) {
        changes.push({ kind: 'deprecated', what, message: argument.deprecationReason })
      }
    }
    return changes
  })
}

function enumChanges({ read, sent }: UsedSchema, other: GraphQLSchema): SchemaChange[] {
  return Object.entries({ ...sent, ...read }).flatMap(([name, values]): SchemaChange[] => {
    const type = other.getType(name)
    if (!isEnumType(type)) return []
    const known = new Set(values)
    const now = new Map(type.getValues().map((value) => [value.name, value]))
    return [
      ...[...now.keys()]
        .filter((value) => !known.has(value) && name in read)
        .map((value): SchemaChange => ({ kind: 'new_value', what: `${name}.${value}`, message: 'is new' })),
      ...values
        .filter((value) => !now.has(value))
        .map((value): SchemaChange => ({ kind: 'changed', what: `${name}.${value}`, message: 'is gone' }))
    ]
  })
}

function inputChanges({ inputs }: UsedSchema, other: GraphQLSchema): SchemaChange[] {
  return Object.entries(inputs).flatMap(([name, fields]): SchemaChange[] => {
    const type = other.getType(name)
    if (!isInputObjectType(type)) return [{ kind: 'changed', what: name, message: 'is gone' }]
    const now = type.getFields()
    const gone = Object.keys(fields).filter((field) => !(field in now))
    return [
      ...gone.map(
        (field): SchemaChange => ({
          kind: 'changed',
          what: `${name}.${field}`,
          message: 'is gone: a request that sends it is refused'
        })
      ),
      ...Object.values(now).flatMap((field): SchemaChange[] => {
        const what = `${name}.${field.name}`
        const before = fields[field.name]
        if (isRequiredInputField(field) && !before?.endsWith('!')) {
          return [{ kind: 'breaks', what, message: `is required: ${field.type}` }]
        }
        if (before === undefined) return []
        if (field.deprecationReason != null) return [{ kind: 'deprecated', what, message: field.deprecationReason }]
        return String(field.type) === before
          ? []
          : [{ kind: 'changed', what, message: `is ${field.type}, was ${before}` }]
      })
    ]
  })
}
