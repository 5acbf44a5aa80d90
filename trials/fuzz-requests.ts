import type { Operation, Parameter } from '../test/openapi.ts'

/** A request as sent. `operation` is null if the document has none for its method and path. */
export type FuzzRequest = {
  operation: Operation | null
  method: string
  /** Path and query, with valid or invalid percent-encoding. */
  target: string
  headers: Record<string, string>
  body: Buffer | null
}

type Random = () => number

const NULS = ['\0', 'a\0b', '\0\0', 'x\0']

const TEXTS = [
  '',
  ' ',
  '\0',
  'a\0b',
  '\u0001\u001b[31m',
  '\ud800',
  'x\udfff',
  '\ufeff',
  '\u202egnirts',
  'é',
  '日本語',
  '👩‍👩‍👧',
  'I',
  'ı',
  'ß',
  'ﬀ',
  'x'.repeat(201),
  'x'.repeat(5_000),
  "' or '1'='1",
  "'; drop table members; --",
  '%',
  '_%',
  '\\',
  '$1',
  '__proto__',
  'constructor',
  'toString',
  'null',
  'undefined',
  'true',
  '[]',
  '{}',
  'NaN',
  'Infinity',
  '-0',
  '0',
  '1',
  '-1',
  '1.5',
  '01',
  '+1',
  '1e3',
  '1e400',
  '0x10',
  '100',
  '101',
  '2147483648',
  '9007199254740993',
  '9223372036854775807',
  '9223372036854775808',
  '99999999999999999999999999',
  '2026-01-31',
  '2026-02-30',
  '2026-13-01',
  '0000-01-01',
  '9999-12-31',
  '+275760-09-13',
  '2026-01-31T12:00:00Z',
  '2026-01-31T25:00:00Z',
  '2026-01-31T12:00:00+99:00',
  '2026-01-31T12:00:00[Europe/Paris]',
  'infinity',
  'now',
  'mem_0',
  'mem_999999999',
  'sub_9223372036854775808',
  'cust_1',
  'gid://platform/Customer/1',
  'gid://platform/Customer/99999999999999999999999',
  'gid://shopify/Order/1',
  '../../../etc/passwd',
  '..%2f',
  '%00',
  '%ff',
  'a/b',
  'a?b#c',
  'a;b',
  'a&b=c',
  'a+b@example.com',
  'ADA@EXAMPLE.COM',
  '<script>alert(1)</script>',
  '{{7*7}}',
  '\r\nX-Injected: 1'
]

/** JSON as text, which may be invalid or unusual. */
const LITERALS = [
  'null',
  'true',
  '0',
  '-0',
  '-1',
  '1',
  '1.5',
  '0.1',
  '1e2',
  '1e400',
  '-1e400',
  '1e-400',
  'NaN',
  'Infinity',
  '2147483648',
  '9007199254740993',
  '9223372036854775808',
  '0.1234567890123456789',
  '[]',
  '{}',
  '[1]',
  '{"a":1}',
  '[[[[[[[[]]]]]]]]',
  '"\\u0000"',
  '"\\ud800"',
  '"\\ud800\\ud800"',
  '"\\udc00x"',
  '"\\x41"',
  '{"__proto__":{"admin":true}}',
  '{"constructor":{"prototype":{}}}'
]

const CONTENT_TYPES = [
  'application/json',
  'application/json; charset=utf-8',
  'application/json; charset=latin1',
  'APPLICATION/JSON',
  'text/plain',
  'application/x-www-form-urlencoded',
  'multipart/form-data; boundary=x',
  'application/jsonp',
  '',
  'x'
]

/** What a field of a body of this name can mostly not be by chance. */
const WORDS: Record<string, string[]> = {
  url: ['http://127.0.0.1:9/hooks', 'https://93.184.216.34/hooks', 'https://10.0.0.1/'],
  event: ['billing.success', 'member.updated'],
  events: ['billing.failed', 'store_credit.added']
}

/**
 * Random requests for the operations of a document, from valid to far from valid. `ids` are those of objects that there are, by the
 * parameter that names them; `together` those of one path that belong to each other.
 */
export function fuzzRequests(
  operations: Operation[],
  ids: Record<string, string[]>,
  random: Random,
  together: Record<string, string>[] = []
) {
  const chance = (p: number) => random() < p
  const pick = <T>(from: readonly T[]): T => from[Math.floor(random() * from.length)]!
  const known = Object.values(ids).flat()
  // Few fields take any text at all, so that a NUL would seldom reach the database by chance.
  const aText = () => (chance(0.1) ? pick(NULS) : pick(TEXTS))

  function value({ schema, name = '' }: { schema: Record<string, any>; name?: string }): unknown {
    if (schema.enum) return pick(schema.enum)
    if (schema.const !== undefined) return schema.const
    if (schema.anyOf) return value({ schema: pick(schema.anyOf as Record<string, any>[]), name })
    switch (pick([schema.type].flat())) {
      case 'integer':
        return (schema.minimum ?? -3) + Math.floor(random() * 120)
      case 'number':
        return Math.round(random() * 10_000) / 100
      case 'boolean':
        return chance(0.5)
      case 'object':
        return object(schema)
      case 'array':
        return Array.from({ length: Math.floor(random() * 3) }, () => value({ schema: schema.items, name }))
      case 'string':
        if (WORDS[name] && chance(0.7)) return pick(WORDS[name])
        return chance(0.3) ? pick(known) : chance(0.5) ? '2026-02-10' : 'ordinary'
      default:
        return null
    }
  }

  function object(schema: Record<string, any>): Record<string, unknown> {
    // Fields that only fit together seldom do by chance: an example of the document shows how.
    if (schema.examples && chance(0.1)) {
      const example = Object.entries(pick(schema.examples as Record<string, unknown>[]))
      return Object.fromEntries(example.map(([name, given]) => [name, ids[name] ? pick(ids[name]) : given]))
    }
    const required = new Set<string>(schema.required ?? [])
    return Object.fromEntries(
      Object.entries((schema.properties ?? {}) as Record<string, Record<string, any>>)
        .filter(([name]) => required.has(name) || chance(0.6))
        .map(([name, field]) => [name, value({ schema: field, name })])
    )
  }

  const encoded = (text: string) => {
    // Unencoded, if a request line can contain it.
    if (chance(0.05)) return text.replace(/[^\x21-\x7e]|[#?/]/g, '')
    return encodeURIComponent(text.toWellFormed())
  }

  function target(path: string, parameters: Parameter[]): string {
    const fitting = together.filter((ids) => Object.keys(ids).every((name) => path.includes(`{${name}}`)))
    const chosen = fitting.length > 0 && chance(0.5) ? pick(fitting) : {}
    const whole = path.replace(/\{(\w+)\}/g, (place, name: string) => chosen[name] ?? place)
    const filled = whole.replace(/\{(\w+)\}/g, (_, name: string) =>
      encoded(chance(0.25) ? aText() : pick(chance(0.5) ? ids[name]! : known))
    )
    const query = parameters
      .filter((p) => p.in === 'query' && (p.required || chance(0.4)))
      .map((p) => `${p.name}=${encoded(chance(0.6) ? String(value(p)) : aText())}`)
    if (chance(0.05))
      query.push(pick(['x=1', '__proto__=1', 'limit[]=1', 'limit=1&limit=2', '%zz=1', 'a=%', '=', '&&', 'limit']))
    return `/v1${filled}${query.length > 0 ? `?${query.join('&')}` : ''}`
  }

  /** A body as text: valid, or changed in one of many ways. */
  function body(schema: Record<string, any>): Buffer | null {
    const given = object(schema)
    const names = Object.keys(schema.properties ?? {})
    const text = JSON.stringify(given)
    if (chance(0.35)) return Buffer.from(text)
    const name = names.length > 0 && chance(0.9) ? pick(names) : pick(['__proto__', 'constructor', 'extra', ''])
    const others = JSON.stringify({ ...given, [name]: undefined }).slice(1, -1)
    const withField = (literal: string) => `{${others}${others && ','}${JSON.stringify(name)}:${literal}}`
    const tampered: (() => Buffer | null)[] = [
      () => Buffer.from(withField(pick(LITERALS))),
      () => Buffer.from(withField(pick(LITERALS))),
      () => Buffer.from(withField(JSON.stringify(aText()))),
      () => Buffer.from(withField(JSON.stringify(aText()))),
      () => Buffer.from(`{"${name}":1,"${name}":2}`),
      () => Buffer.from(withField(`${'['.repeat(4_000)}${']'.repeat(4_000)}`)),
      () => Buffer.from(`${'{"a":'.repeat(2_000)}1${'}'.repeat(2_000)}`),
      () => Buffer.from(pick(LITERALS)),
      () => Buffer.from(text.slice(0, Math.floor(random() * text.length))),
      () => Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(text)]),
      () => Buffer.concat([Buffer.from(`{"${name}":"`), Buffer.from([0xff, 0xc3, 0x28]), Buffer.from('"}')]),
      () => Buffer.from(text, 'utf16le'),
      () => Buffer.from(`{"${name}":"${'y'.repeat(70_000)}"}`),
      () => Buffer.alloc(0),
      () => null
    ]
    return pick(tampered)()
  }

  // By chance alone few requests would hold only one thing that PostgreSQL does not take, and so reach it if nothing refuses that.
  const takesNul = ({ type, pattern = '' }: Record<string, any>) =>
    type === 'string' && new RegExp(pattern, 'u').test('a\0b')
  const nulsInBodies = operations.flatMap((operation) =>
    Object.entries((operation.body?.properties ?? {}) as Record<string, Record<string, any>>)
      .filter(([, schema]) => takesNul(schema))
      .map(
        ([field]) =>
          () =>
            plain(operation, (name) => pick(ids[name]!), { [field]: pick(NULS) })
      )
  )
  const nulsInQueries = operations.flatMap((operation) =>
    operation.parameters
      .filter((p) => p.in === 'query' && takesNul(p.schema))
      .map(({ name }) => () => {
        const request = plain(operation, (id) => pick(ids[id]!), {})
        return { ...request, target: `${request.target}?${name}=${encodeURIComponent(pick(NULS))}` }
      })
  )
  const takesId = operations.filter(({ path }) => path.includes('{'))
  const withLargeId = () =>
    plain(
      pick(takesId),
      (name) => `${ids[name]![0]!.split('_')[0]}_${pick(['9223372036854775808', '9'.repeat(25)])}`,
      {}
    )
  function plain(operation: Operation, idOf: (name: string) => string, fields: Record<string, unknown>): FuzzRequest {
    const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => idOf(name))
    const body = operation.body && Buffer.from(JSON.stringify({ ...object(operation.body), ...fields }))
    const headers: Record<string, string> = body ? { 'content-type': CONTENT_TYPES[0]! } : {}
    return { operation, method: operation.method, target: `/v1${path}`, headers, body }
  }

  return function next(): FuzzRequest {
    if (chance(0.02)) return pick([pick(nulsInBodies), pick(nulsInQueries), withLargeId])()
    const operation = pick(operations)
    const method = chance(0.02) ? pick(['PUT', 'DELETE', 'PATCH', 'POST', 'GET', 'OPTIONS']) : operation.method
    const path = chance(0.01) ? `${operation.path}/more` : operation.path
    const acceptsBody = operation.method !== 'GET'
    const content = acceptsBody || chance(0.02) ? body(operation.body ?? { type: 'object', properties: {} }) : null
    const headers: Record<string, string> = {}
    if (content !== null && !chance(0.02))
      headers['content-type'] = chance(0.95) ? CONTENT_TYPES[0]! : pick(CONTENT_TYPES)
    if (acceptsBody && chance(0.3)) {
      headers['idempotency-key'] = chance(0.8)
        ? `key-${Math.floor(random() * 50)}`
        : pick(['', ' ', 'a b', 'k'.repeat(256), 'é'])
    }
    if (chance(0.01)) headers['x-long'] = 'h'.repeat(pick([9_000, 9_000, 20_000]))
    if (chance(0.01)) headers['x-http-method-override'] = 'DELETE'
    const requested = operations.find((other) => other.path === path && other.method === method) ?? null
    return { operation: requested, method, target: target(path, operation.parameters), headers, body: content }
  }
}
