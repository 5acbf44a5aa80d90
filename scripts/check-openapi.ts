// Lints the OpenAPI document of this checkout: `node scripts/check-openapi.ts`. It is held against the meta-schema of
// OpenAPI 3.1, against Redocly's rules, and against what we promise our readers: everything is described, every
// operation is shown by examples and tells each of its answers.
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApiDocument } from '../src/http/openapi/document.ts'
import type { Operation } from '../src/http/openapi/operations.ts'
import type { JsonSchema } from '../src/http/shared/json-schema.ts'
import { apiDocument } from './api-document.ts'

const RULES = {
  'no-invalid-schema-examples': 'error',
  'no-invalid-parameter-examples': 'error',
  'no-undefined-server-variable': 'error',
  'operation-description': 'error',
  'operation-tag-defined': 'error',
  'operation-singular-tag': 'error',
  'parameter-description': 'error',
  'tag-description': 'error',
  'response-contains-header': {
    severity: 'error',
    names: { '200': ['X-Request-Id', 'X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset'] }
  },
  'path-segment-plural': 'off'
} as const

/** What is wrong with a document; nothing when it is as it should be. */
export async function problemsOf(json: string): Promise<string[]> {
  const { valid, errors } = await new Validator().validate(JSON.parse(json))
  if (!valid) return [`It is no OpenAPI document: ${JSON.stringify(errors)}`]
  const config = await createConfig({ extends: ['recommended-strict'], rules: RULES })
  const found = await lintFromString({ source: json, absoluteRef: '/openapi.json', config })
  if (found.length > 0) {
    return found.map(({ ruleId, message, location }) => `${location[0]?.pointer}: ${message} (${ruleId})`)
  }
  const { paths, webhooks, components } = JSON.parse(json) as OpenApiDocument
  return [
    ...Object.entries(components.schemas).flatMap(([name, schema]) => undescribed(schema, name)),
    ...operationsIn(paths).flatMap((one) => [...undescribedIn(one), ...unshown(one), ...incomplete(one)]),
    ...operationsIn(webhooks).flatMap(unshown)
  ]
}

type Named = { at: string; path: string; method: string; operation: Operation }

function operationsIn(paths: Record<string, Record<string, Operation>>): Named[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ at: `${method} ${path}`, operation, path, method }))
  )
}

/** What is sent and answered, without what stands in components. */
function contentsOf({ requestBody, responses }: Operation) {
  const answers = Object.entries(responses).map(
    ([status, answer]) => [status, '$ref' in answer ? undefined : answer] as const
  )
  return [['body', requestBody] as const, ...answers].flatMap(([name, part]) =>
    part?.content ? [{ name, ...part.content['application/json'] }] : []
  )
}

/** Fields of an operation's own schemas without a word on what they are; `data` and `meta` are told by their kinds. */
function undescribedIn({ at, operation }: Named): string[] {
  return contentsOf(operation).flatMap(({ name, schema }) =>
    undescribed(schema.properties?.data ?? schema, `${at} ${name}`)
  )
}

function undescribed(schema: JsonSchema, at: string): string[] {
  const fields = Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const isDescribed = field.description || field.$ref || field.anyOf?.some(({ $ref }) => $ref) || field.properties
    return [...(isDescribed ? [] : [`${at}.${name} has no description`]), ...undescribed(field, `${at}.${name}`)]
  })
  return schema.items ? [...fields, ...undescribed(schema.items, `${at}[]`)] : fields
}

function unshown({ at, operation }: Named): string[] {
  const contents = contentsOf(operation).filter(({ example }) => example === undefined)
  const parameters = (operation.parameters ?? []).filter((one) => 'name' in one && one.example === undefined)
  return [
    ...contents.map(({ name }) => `${at}: ${name} has no example`),
    ...parameters.map((one) => `${at}: ${'name' in one && one.name} has no example`)
  ]
}

/** Answers and parameters that every operation has. */
function incomplete({ at, path, method, operation }: Named): string[] {
  const statuses = ['200', '400', '401', '403', ...(path.includes('{') ? ['404'] : []), '429', '500']
  const missing = statuses.filter((status) => !operation.responses[status])
  const isKeyed = operation.parameters?.some((one) => '$ref' in one && one.$ref.endsWith('/IdempotencyKey'))
  return [
    ...missing.map((status) => `${at} does not tell of ${status}`),
    ...(method === 'get' || isKeyed ? [] : [`${at} does not take an Idempotency-Key`]),
    ...(operation['x-required-scope'] ? [] : [`${at} has no scope`])
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const problems = await problemsOf(await apiDocument())
  for (const problem of problems) process.stderr.write(`openapi.json ${problem}\n`)
  process.exitCode = problems.length > 0 ? 1 : 0
}
