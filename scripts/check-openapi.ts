// Lints the OpenAPI documents of this checkout: `node scripts/check-openapi.ts`. Each is checked against the meta-schema of
// OpenAPI 3.1, against Redocly's rules, and against what we promise our readers: everything is described, every operation
// is shown by examples and lists each of its responses, and each pattern is one that every engine reads alike.
import { fileURLToPath } from 'node:url'
import { createConfig, lintFromString } from '@redocly/openapi-core'
import { Validator } from '@seriousme/openapi-schema-validator'
import type { OpenApiDocument, Operation } from '../src/http/openapi/document-types.ts'
import type { JsonSchema } from '../src/http/shared/json-schema.ts'
import { apiDocuments, jsonOf, type SurfaceName } from './api-document.ts'
import { patternProblem } from './portable-patterns.ts'

/** The responses and parameters that every operation of a surface must list. */
type Promises = {
  headers: string[]
  /** Statuses of errors; `objects` where a path names an object, `writes` of operations that change something. */
  errors: { all: string[]; objects: string[]; writes: string[] }
  /** The member of an operation that says who may call it. */
  access: 'x-required-scope' | 'x-allow'
  /** Whether every write accepts an `Idempotency-Key`. */
  writesAreIdempotent: boolean
}

const RATE_LIMIT = ['X-RateLimit-Limit', 'X-RateLimit-Remaining', 'X-RateLimit-Reset']

const PROMISES: Record<SurfaceName, Promises> = {
  rest: {
    headers: ['X-Request-Id', ...RATE_LIMIT],
    errors: { all: ['400', '401', '403', '429', '500'], objects: ['404'], writes: [] },
    access: 'x-required-scope',
    writesAreIdempotent: true
  },
  storefront: {
    headers: ['X-Request-Id', ...RATE_LIMIT],
    errors: { all: ['401', '403', '422', '429', '500'], objects: ['404'], writes: [] },
    access: 'x-allow',
    writesAreIdempotent: false
  },
  data: {
    headers: ['X-Request-Id'],
    errors: { all: ['401', '403', '422', '429', '500', '503'], objects: [], writes: [] },
    access: 'x-required-scope',
    writesAreIdempotent: false
  },
  collection: {
    headers: ['X-Request-Id', 'Deprecation', 'Link'],
    errors: { all: ['400', '401', '403', '404', '429', '500', '503'], objects: [], writes: [] },
    access: 'x-required-scope',
    writesAreIdempotent: false
  },
  admin: {
    headers: ['X-Request-Id'],
    errors: { all: ['400', '401', '403', '500'], objects: ['404'], writes: ['409', '503'] },
    access: 'x-allow',
    writesAreIdempotent: false
  }
}

const rulesOf = ({ headers }: Promises) =>
  ({
    'no-invalid-schema-examples': 'error',
    'no-invalid-parameter-examples': 'error',
    'no-undefined-server-variable': 'error',
    'operation-description': 'error',
    'operation-tag-defined': 'error',
    'operation-singular-tag': 'error',
    'parameter-description': 'error',
    'tag-description': 'error',
    'response-contains-header': { severity: 'error', names: { '200': headers, '201': headers, '202': headers } },
    'path-segment-plural': 'off',
    // `/webhook-deliveries/resend-failed` is a sibling of `/webhook-deliveries/{webhook_id}`, whose ids begin with `wh_`.
    'no-ambiguous-paths': 'off'
  }) as const

/** The problems of a surface's document; empty if there are none. */
export async function problemsOf(json: string, surface: SurfaceName): Promise<string[]> {
  const promises = PROMISES[surface]
  const { valid, errors } = await new Validator().validate(JSON.parse(json))
  if (!valid) return [`It is no OpenAPI document: ${JSON.stringify(errors)}`]
  const config = await createConfig({ extends: ['recommended-strict'], rules: rulesOf(promises) })
  const found = await lintFromString({ source: json, absoluteRef: '/openapi.json', config })
  if (found.length > 0) {
    return found.map(({ ruleId, message, location }) => `${location[0]?.pointer}: ${message} (${ruleId})`)
  }
  const { paths, webhooks = {}, components } = JSON.parse(json) as OpenApiDocument
  return [
    ...unportableIn(JSON.parse(json), ''),
    ...Object.entries(components.schemas).flatMap(([name, schema]) => undescribed(schema, name)),
    ...operationsIn(paths).flatMap((one) => [
      ...undescribedIn(one),
      ...undated(one),
      ...unshown(one),
      ...incomplete(one, promises)
    ]),
    ...operationsIn(webhooks).flatMap(unshown)
  ]
}

/** Patterns, wherever they are, that an engine of the languages of our readers does not know or reads in another way. */
function unportableIn(part: unknown, at: string): string[] {
  if (typeof part !== 'object' || part === null) return []
  return Object.entries(part).flatMap(([name, value]) => {
    if (name !== 'pattern' || typeof value !== 'string') return unportableIn(value, `${at}/${name}`)
    const problem = patternProblem(value)
    return problem ? [`${at}/pattern ${value}: ${problem}`] : []
  })
}

type Named = { at: string; path: string; method: string; operation: Operation }

function operationsIn(paths: Record<string, Record<string, Operation>>): Named[] {
  return Object.entries(paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ at: `${method} ${path}`, operation, path, method }))
  )
}

/** The schemas of requests and responses, without components. */
function contentsOf({ requestBody, responses }: Operation) {
  const results = Object.entries(responses).map(
    ([status, response]) => [status, '$ref' in response ? undefined : response] as const
  )
  return [['body', requestBody] as const, ...results].flatMap(([name, part]) =>
    Object.values(part?.content ?? {}).map((media) => ({ name, ...media }))
  )
}

/** Fields of an operation's own schemas without a description; `data` and `meta` have those of their kinds. */
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

/** Parameters and fields of a body that are dates and do not say so. */
function undated({ at, operation }: Named): string[] {
  const parameters = (operation.parameters ?? []).flatMap((one) => ('name' in one ? [[one.name, one] as const] : []))
  const fields = Object.values(operation.requestBody?.content ?? {}).flatMap(({ schema }) =>
    Object.entries(schema.properties ?? {}).map(([name, field]) => [name, { ...field, schema: field }] as const)
  )
  return [...parameters, ...fields]
    .filter(([, { description = '', schema }]) => /\bISO date\b/.test(description) && !hasFormat(schema))
    .map(([name]) => `${at}: ${name} is a date without a format`)
}

const hasFormat = ({ format, anyOf = [] }: JsonSchema): boolean =>
  format !== undefined || anyOf.some((option) => option.format !== undefined)

function unshown({ at, operation }: Named): string[] {
  const contents = contentsOf(operation).filter(({ example }) => example === undefined)
  const parameters = (operation.parameters ?? []).filter((one) => 'name' in one && one.example === undefined)
  return [
    ...contents.map(({ name }) => `${at}: ${name} has no example`),
    ...parameters.map((one) => `${at}: ${'name' in one && one.name} has no example`)
  ]
}

/** Responses, parameters and declarations that every operation of a surface has. */
function incomplete(
  { at, path, method, operation }: Named,
  { errors, access, writesAreIdempotent }: Promises
): string[] {
  const isWrite = method !== 'get'
  const statuses = [
    ...errors.all,
    ...(path.includes('{') ? errors.objects : []),
    ...(isWrite ? errors.writes : []),
    ...(Object.keys(operation.responses).some((status) => status.startsWith('2')) ? [] : ['200'])
  ]
  const missing = statuses.filter((status) => !operation.responses[status])
  const isKeyed = operation.parameters?.some((one) => '$ref' in one && one.$ref.endsWith('/IdempotencyKey'))
  return [
    ...missing.map((status) => `${at} does not list ${status}`),
    ...(isWrite && writesAreIdempotent && !isKeyed ? [`${at} does not accept an Idempotency-Key`] : []),
    ...(operation[access] ? [] : [`${at} has no ${access}`])
  ]
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  for (const [surface, document] of Object.entries(await apiDocuments())) {
    for (const problem of await problemsOf(jsonOf(document), surface as SurfaceName)) {
      process.stderr.write(`${surface}: ${problem}\n`)
      process.exitCode = 1
    }
  }
}
