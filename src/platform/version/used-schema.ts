import {
  type GraphQLInputType,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  isEnumType,
  isInputObjectType,
  parse,
  TypeInfo,
  visit,
  visitWithTypeInfo
} from 'graphql'

type UsedField = { type: string; args: Record<string, string> }

/**
 * The part of a schema that our documents use: fields with the arguments that we give, the values of enums that we read and of those
 * that we may send, and the input objects that we may send, whole.
 */
export type UsedSchema = {
  version: string
  fields: Record<string, UsedField>
  read: Record<string, string[]>
  sent: Record<string, string[]>
  inputs: Record<string, Record<string, string>>
}

/** Reads what these documents use of the schema that they are written for. */
export function usedSchema(schema: GraphQLSchema, documents: readonly string[], version: string): UsedSchema {
  const used: UsedSchema = { version, fields: {}, read: {}, sent: {}, inputs: {} }

  const addEnum = (to: Record<string, string[]>, type: GraphQLNamedType) => {
    if (isEnumType(type) && !type.name.startsWith('__')) to[type.name] = type.getValues().map(({ name }) => name)
  }
  const addInput = (given: GraphQLInputType) => {
    const type = getNamedType(given)
    addEnum(used.sent, type)
    if (!isInputObjectType(type) || type.name in used.inputs) return
    const fields = Object.values(type.getFields())
    used.inputs[type.name] = Object.fromEntries(fields.map((field) => [field.name, String(field.type)]))
    for (const field of fields) addInput(field.type)
  }

  for (const text of documents) {
    const info = new TypeInfo(schema)
    visit(
      parse(text),
      visitWithTypeInfo(info, {
        Field() {
          const [parent, field] = [info.getParentType(), info.getFieldDef()]
          if (!parent || !field || field.name.startsWith('__')) return
          used.fields[`${parent.name}.${field.name}`] ??= { type: String(field.type), args: {} }
          addEnum(used.read, getNamedType(field.type))
        },
        Argument() {
          const [parent, field, argument] = [info.getParentType(), info.getFieldDef(), info.getArgument()]
          if (!parent || !field || !argument) return
          used.fields[`${parent.name}.${field.name}`]!.args[argument.name] = String(argument.type)
          addInput(argument.type)
        }
      })
    )
  }
  const sorted = <T>(record: Record<string, T>) =>
    Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)))
  const [fields, read, sent, inputs] = [sorted(used.fields), sorted(used.read), sorted(used.sent), sorted(used.inputs)]
  return { version, fields, read, sent, inputs }
}

/** As it is in its file: each entry on a line of its own, so that a change of version can be read. */
export function usedSchemaText({ version, ...parts }: UsedSchema): string {
  const lines = (record: object) =>
    Object.entries(record)
      .map(([name, value]) => `\n    ${JSON.stringify(name)}: ${JSON.stringify(value)}`)
      .join(',')
  const all = Object.entries(parts).map(([part, record]) => `  ${JSON.stringify(part)}: {${lines(record)}\n  }`)
  return `{\n  "version": ${JSON.stringify(version)},\n${all.join(',\n')}\n}\n`
}
