import type { Operation, Parameter, RestDocument } from '../openapi/document-types.ts'
import type { JsonSchema } from '../shared/json-schema.ts'
import { curl } from './curl.ts'
import { fieldRows, nameOf, objectAnchor, typeOf } from './fields.ts'
import { anchor, code, collapsed, json, line, prose, sample, table, text } from './markup.ts'

export type Listed = { method: string; path: string; operation: Operation }

/** An operation: what it does, what it accepts and returns, and a request to copy. */
export function operationSection(
  { method, path, operation }: Listed,
  { components }: RestDocument,
  origin: string,
  prefix: string
): string {
  const { operationId, summary, description, parameters = [], requestBody, responses } = operation
  const taken = parameters.map((parameter) => followed<Parameter>(parameter, components.parameters))
  const fields = requestBody?.content['application/json'].schema
  const [about = ''] = description.split('\n\n')
  return `<section id="${anchor(operationId)}"><h3>${text(summary)}</h3>
<p class="route"><code><b>${method}</b> ${text(prefix + path)}</code> <span>Scope ${code(operation['x-required-scope'] ?? '')}</span></p>
<p>${line(about)}</p>
${taken.length > 0 ? table(`Parameters of ${summary}`, ['Parameter', 'In', 'Description'], taken.map(parameterRow)) : ''}
${fields?.properties && Object.keys(fields.properties).length > 0 ? table(`Body of ${summary}`, ['Field of the body', 'Type', 'Description'], bodyRows(fields)) : ''}
${sample(`Request: ${summary}`, curl(method, origin + prefix + path, operation))}
<p>${responseLine(responses)}</p>
${collapsed('Example response', json(`Response: ${summary}`, exampleOf(responses[200])))}
</section>`
}

const parameterRow = ({ name, in: place, required, description = '', schema }: Parameter) => [
  code(name) + (required ? ' <em>required</em>' : ''),
  place,
  line(schema.default === undefined ? description : `${description} Default ${schema.default}.`)
]

function bodyRows(schema: JsonSchema): string[][] {
  const required = new Set(schema.required)
  return fieldRows(schema).map(([name = '', ...cells], i) => {
    const field = Object.keys(schema.properties ?? {})[i]
    return [field && required.has(field) ? `${name} <em>required</em>` : name, ...cells]
  })
}

function responseLine(responses: Operation['responses']): string {
  const content = (responses[200] as { content?: { 'application/json': { schema: JsonSchema } } }).content
  const data = content?.['application/json'].schema.properties?.data
  const refused = Object.keys(responses).filter((status) => status !== '200')
  const links = refused.map((status) => `<a href="#error-${status}">${status}</a>`).join(', ')
  return `Returns 200${data ? ` with <code>data</code>: ${typeOf(data)}` : ''}. Errors: ${links}.`
}

/** An event: the fields of its payload and a whole example. */
export function webhookSection(type: string, operation: Operation, { components }: RestDocument): string {
  const { schema, example } = operation.requestBody!.content['application/json']
  const event = components.schemas[nameOf(schema.$ref ?? '')]
  return `<section id="${anchor(`event-${type}`)}"><h3>${code(type)}</h3><p>${line(operation.summary)}.</p>
${collapsed('Fields of data', table(`Fields of ${type}`, ['Field', 'Type', 'Description'], fieldRows(event?.properties?.data ?? {})))}
${collapsed('Example', json(`Example of ${type}`, example))}</section>`
}

export function objectSection(name: string, schema: JsonSchema): string {
  return `<section id="${objectAnchor(name)}"><h3>${text(name)}</h3>${prose(schema.description ?? '')}
${table(`Fields of ${name}`, ['Field', 'Type', 'Description'], fieldRows(schema))}</section>`
}

/** The errors, by status. */
export function errorSections({ components, paths }: RestDocument): string {
  const allResponses = Object.values(paths).flatMap((methods) =>
    Object.values(methods).flatMap(({ responses }) => Object.entries(responses))
  )
  const byStatus = new Map(
    allResponses.flatMap(([status, response]): [string, string][] =>
      '$ref' in response ? [[status, response.$ref]] : []
    )
  )
  return [...byStatus]
    .sort(([a], [b]) => Number(a) - Number(b))
    .map(([status, $ref]) => {
      const { description, content } = components.responses[nameOf($ref)]!
      const body = content!['application/json'].example as { error: { code: string } }
      return `<div id="error-${status}" class="error"><h3>${status} ${code(body.error.code)}</h3><p>${line(description)}</p>${json(`Example of ${status}`, body)}</div>`
    })
    .join('\n')
}

const exampleOf = (response: Operation['responses'][string] | undefined) =>
  (response as { content?: { 'application/json': { example: unknown } } }).content?.['application/json'].example

function followed<T extends object>(part: T | { $ref: string }, components: Record<string, T>): T {
  return '$ref' in part ? components[nameOf(part.$ref)]! : part
}
