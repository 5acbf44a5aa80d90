import type { OpenApiDocument, Operation, Parameter } from '../src/http/openapi/document-types.ts'
import type { JsonSchema } from '../src/http/shared/json-schema.ts'
import { cell, code, json, table, words } from './markdown.ts'

export const ADMIN_API_PAGE = new URL('../docs/admin-api.md', import.meta.url)

type Listed = { method: string; path: string; operation: Operation }

/** docs/admin-api.md, made from the OpenAPI document of the admin API. */
export function adminApiPage(document: OpenApiDocument): string {
  const listed: Listed[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
  const sections = document.tags.map(({ name, description }) => {
    const operations = listed.filter(({ operation }) => operation.tags.includes(name))
    return [`## ${name}`, description, ...operations.map((one) => operationSection(one, document))].join('\n\n')
  })
  const objects = Object.entries(document.components.schemas).map(([name, schema]) => objectSection(name, schema))
  return `${[
    '# The admin API',
    '<!-- Written by npm run docs:generate from the routes. Do not edit. -->',
    String(document.info.description),
    EXAMPLE,
    'The OpenAPI document of a running service is at `/admin/api/openapi.json`.',
    errorSection(document),
    ...sections,
    '## Objects',
    ...objects
  ].join('\n\n')}\n`
}

const EXAMPLE = [
  '```console',
  '$ curl -s -H "Authorization: Bearer $(cat data/operator.token)" http://127.0.0.1:3000/admin/api/stores/books.example/webhooks',
  '{"data":[{"id":"we_1","kind":"url","url":"https://example.com/hooks", …}]}',
  '```'
].join('\n')

function errorSection({ components, paths }: OpenApiDocument): string {
  const statusOf = new Map(
    Object.values(paths).flatMap((methods) =>
      Object.values(methods).flatMap(({ responses }) =>
        Object.entries(responses).flatMap(([status, one]) =>
          '$ref' in one ? [[nameOf(one.$ref), status] as const] : []
        )
      )
    )
  )
  const rows = Object.entries(components.responses).map(([name, { description, content }]) => {
    const { error } = content!['application/json'].example as { error: { code: string } }
    return [statusOf.get(name) ?? '', code(error.code), description]
  })
  const example = components.responses.InvalidRequest!.content!['application/json'].example
  return [
    '## Errors',
    'Every error has this shape. `details` is present when several fields have the wrong type or form, or are unknown. What can only be checked after that, such as a time zone that does not exist, is reported one at a time.',
    json(example),
    table(['status', '`code`', 'meaning'], rows)
  ].join('\n\n')
}

function operationSection({ method, path, operation }: Listed, { components, servers }: OpenApiDocument): string {
  const { summary, description, parameters = [], requestBody, responses } = operation
  const all = parameters.map((one) => ('$ref' in one ? components.parameters[nameOf(one.$ref)]! : one))
  const named = all.filter(({ name }) => name !== 'store')
  const [type, body] = Object.entries(requestBody?.content ?? {})[0] ?? []
  const fields = fieldsOf(body?.schema.properties)
  return [
    `### ${summary}`,
    code(`${method} ${servers[0]!.url}${path}`),
    description,
    ...(named.length > 0 ? [table(['parameter', 'in', 'description'], named.map(parameterRow))] : []),
    ...(fields.length > 0 ? [table(['field', 'description'], fields.map(fieldRow(body!.schema.required ?? [])))] : []),
    ...(type && type !== 'application/json'
      ? [`The body is a file: ${Object.keys(requestBody!.content).map(code).join(' or ')}.`]
      : []),
    ...(fields.length > 0 ? [json(body!.example)] : []),
    returned(responses)
  ].join('\n\n')
}

/** The fields of a body by their paths: an object that says nothing of itself is shown by its fields, `dunning.on_failure`. */
const fieldsOf = (properties: Record<string, JsonSchema> = {}): [string, JsonSchema][] =>
  Object.entries(properties).flatMap(([name, field]): [string, JsonSchema][] =>
    field.properties && !field.description
      ? fieldsOf(field.properties).map(([inner, schema]) => [`${name}.${inner}`, schema])
      : [[name, field]]
  )

const parameterRow = ({ name, in: place, required, description = '' }: Parameter) => [
  code(name) + (required ? ', required' : ''),
  place,
  cell(description)
]

const fieldRow =
  (required: string[]) =>
  ([name, { description = '' }]: [string, JsonSchema]) => [
    code(name) + (required.includes(name) ? ', required' : ''),
    cell(description)
  ]

function returned(responses: Operation['responses']): string {
  const lines = Object.entries(responses).flatMap(([status, one]) => {
    if ('$ref' in one || !one.content) return []
    const [type, { schema }] = Object.entries(one.content)[0]!
    const lineByLine = type === 'application/json' ? '' : ', one on each line'
    return [`Returns ${status} with ${typeOf(schema)}${lineByLine}.`]
  })
  return lines.join(' ')
}

function objectSection(name: string, schema: JsonSchema): string {
  const fields = Object.entries(schema.properties ?? {})
  const rows = fields.map(([field, inner]) => [code(field), typeOf(inner), cell(inner.description ?? '')])
  return [
    `### ${name}`,
    schema.description ?? '',
    ...(rows.length > 0 ? [table(['field', 'type', 'description'], rows)] : []),
    json(schema.examples?.[0])
  ].join('\n\n')
}

/** What a value is, in words, with links to objects. */
function typeOf({ $ref, type, enum: values, anyOf, items, const: only, properties }: JsonSchema): string {
  if ($ref) return `[${nameOf($ref)}](#${nameOf($ref).toLowerCase()})`
  if (anyOf) return words(anyOf.map(typeOf))
  if (values) return words(values.map((value) => (value === null ? 'null' : code(String(value)))))
  if (only !== undefined) return code(String(only))
  if (items) return `a list of ${typeOf(items)}`
  if (properties?.data) return `\`data\`: ${typeOf(properties.data)}`
  return words([type ?? 'any value'].flat())
}

const nameOf = ($ref: string) => $ref.slice($ref.lastIndexOf('/') + 1)
