import type { FastifyInstance, RouteOptions } from 'fastify'
import type { TSchema } from 'typebox'
import type { Budget } from '#kit/rate-limit'
import type { RefusalCode } from '#kit/refusal'
import type { RatePlan } from '#stores'
import { BUDGETS } from './counting.ts'
import { RateLimited } from './errors.ts'
import { errorBody, statusOf } from './rest/errors.ts'
import { REST_PREFIX } from './rest/index.ts'

/** What of a JSON schema is shown. */
type Shown = {
  type?: string
  const?: unknown
  description?: string
  anyOf?: Shown[]
  items?: Shown
  properties?: Record<string, Shown>
}

const POLICY =
  "default-src 'none'; style-src 'self'; img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const MEANINGS: Partial<Record<RefusalCode, string>> = {
  invalid_request: 'The request is malformed; the message names the field and what it takes',
  authentication_failed: 'There is no key, or it is not valid (any more)',
  forbidden: 'The key lacks the scope that the message names',
  not_found: 'There is no such object in the store of the key, or no such path'
}

/**
 * The reference of the direct API as it is now: the page is made from the routes that are registered after this, their
 * schemas and the tables that the surface itself answers by.
 */
export function registerDocs(app: FastifyInstance, budgets: Record<RatePlan, Budget> = BUDGETS): void {
  const routes: RouteOptions[] = []
  app.addHook('onRoute', (route) => {
    if (route.url.startsWith(`${REST_PREFIX}/`) && route.method !== 'HEAD') routes.push(route)
  })

  app.get('/', (_request, reply) => reply.redirect('/docs'))
  app.get('/docs', (request, reply) =>
    reply
      .headers({ 'content-security-policy': POLICY, 'cache-control': 'no-cache' })
      .type('text/html; charset=utf-8')
      .send(page(`${request.protocol}://${request.host}`, routes, budgets))
  )
  app.get('/docs/style.css', (_request, reply) =>
    reply.header('cache-control', 'no-cache').type('text/css; charset=utf-8').send(CSS)
  )
}

function page(origin: string, routes: RouteOptions[], budgets: Record<RatePlan, Budget>): string {
  const base = text(origin + REST_PREFIX)
  const links = routes.map((route) => `<li><a href="#${anchor(route)}">${text(nameOf(route))}</a></li>`).join('')
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Perennial API</title>
<link rel="icon" href="data:,">
<link rel="stylesheet" href="/docs/style.css">
</head>
<body>
<a class="skip" href="#main">Skip to content</a>
<header><h1>Perennial API</h1><p>Base address: <code>${base}</code></p></header>
<nav aria-label="Contents"><ul><li><a href="#start">First request</a></li><li><a href="#answers">Answers</a></li>
<li><a href="#errors">Errors</a></li><li><a href="#limits">Limits</a></li>${links}</ul></nav>
<main id="main" tabindex="-1">
<section id="start"><h2>First request</h2>
<p>Every request carries an API key of a store: <code>Authorization: Bearer &lt;key&gt;</code>. Keys are made with
<code>perennial key create</code>. Each endpoint needs the scope that it names.</p>
<pre tabindex="0">curl -H "Authorization: Bearer $KEY" \\
  "${base}/members?limit=2"</pre></section>
<section id="answers"><h2>Answers</h2>
<p>JSON with <code>data</code>, the object or the page of a list, and <code>meta</code>. Lists are newest first.
Times are ISO 8601 in UTC, amounts are decimals of the currency beside them. A day in a filter is the shop's day.</p>
${table('Fields of meta', ['Field', 'Type'], fieldRows(answerOf(routes[0])?.properties?.meta, 'meta.'))}</section>
<section id="errors"><h2>Errors</h2>
<p>The body is <code>{"error": {"code", "message"}}</code>; when several fields are wrong, <code>details</code> lists
each as <code>{"field", "message"}</code>.</p>
${table('Errors', ['Status and code', 'Meaning'], errorRows())}</section>
<section id="limits"><h2>Limits</h2>
<p>Requests are counted per store. Every answer says in <code>X-RateLimit-Limit</code>,
<code>X-RateLimit-Remaining</code> and <code>X-RateLimit-Reset</code> (Unix seconds) how much is left of the window that
has fewer requests left; 429 says in <code>Retry-After</code> how many seconds to wait. Days are UTC days.</p>
${table('Limits', ['Plan', 'Per minute', 'Per day'], limitRows(budgets))}</section>
${routes.map(endpoint).join('\n')}
</main>
</body>
</html>
`
}

function endpoint(route: RouteOptions): string {
  const { params, querystring } = (route.schema ?? {}) as { params?: TSchema; querystring?: TSchema }
  const data = answerOf(route)?.properties?.data
  const given = [...inputRows(params), ...inputRows(querystring)]
  const scope = route.config?.scope
  return `<section id="${anchor(route)}"><h2><code>${text(nameOf(route))}</code></h2>
${scope ? `<p>Scope: <code>${text(scope)}</code></p>` : ''}
${given.length > 0 ? table('Parameters', ['Parameter', 'Takes'], given) : '<p>It takes no parameters.</p>'}
${data ? `<details><summary>Fields of ${data.items ? 'each object in ' : ''}data</summary>${table('Fields of data', ['Field', 'Type'], fieldRows(data.items ?? data))}</details>` : ''}
</section>`
}

const nameOf = (route: RouteOptions) => `${route.method} ${route.url.replace(/:(\w+)/g, '{$1}')}`
const anchor = (route: RouteOptions) =>
  nameOf(route)
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/-$/, '')

function answerOf(route: RouteOptions | undefined): Shown | undefined {
  return (route?.schema?.response as Record<number, Shown> | undefined)?.[200]
}

function inputRows(schema: Shown | undefined): string[][] {
  return Object.entries(schema?.properties ?? {}).map(([name, { description = '' }]) => [code(name), text(description)])
}

/** One row per field; an object's own fields follow it under its name. */
function fieldRows(schema: Shown | undefined, prefix = ''): string[][] {
  return Object.entries(schema?.properties ?? {}).flatMap(([name, field]) => {
    const inner = [field, ...(field.anyOf ?? [])].find((part) => part.properties)
    return [[code(prefix + name), text(typeOf(field))], ...fieldRows(inner, `${prefix}${name}.`)]
  })
}

function typeOf({ type, const: constant, anyOf, items }: Shown): string {
  if (constant !== undefined) return JSON.stringify(constant)
  if (anyOf)
    return anyOf
      .map(typeOf)
      .join(', ')
      .replace(/, ([^,]+)$/, ' or $1')
  return items ? `list of ${typeOf(items)}` : (type ?? 'any')
}

function errorRows(): string[][] {
  const refused = Object.entries(MEANINGS).map(([name, meaning]) => ({ code: name as RefusalCode, message: meaning }))
  const rows = [
    ...refused.map((refusal) => ({ answer: refusal, meaning: refusal.message })),
    { answer: new RateLimited(), meaning: 'The budget of a window is used up' },
    { answer: null, meaning: 'Something went wrong on our side' }
  ]
  return rows.map(({ answer, meaning }) => [`${statusOf(answer)} ${code(errorBody(answer).error.code)}`, text(meaning)])
}

function limitRows(budgets: Record<RatePlan, Budget>): string[][] {
  return Object.entries(budgets).map(([plan, { perMinute, perDay }]) => [
    code(plan),
    String(perMinute),
    perDay === null ? 'unlimited' : String(perDay)
  ])
}

/** Cells are markup. A table that is too wide scrolls by itself, by keyboard too. */
function table(label: string, columns: string[], rows: string[][]): string {
  const head = columns.map((column) => `<th scope="col">${column}</th>`).join('')
  const body = rows.map((cells) => `<tr>${cells.map((cell) => `<td>${cell}</td>`).join('')}</tr>`).join('')
  return `<div class="table" role="region" aria-label="${label}" tabindex="0"><table><thead><tr>${head}</tr></thead><tbody>${body}</tbody></table></div>`
}

const code = (value: string) => `<code>${text(value)}</code>`

function text(value: string): string {
  return value.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`)
}

const CSS = `:root { color-scheme: light dark; --ground: #f6f5f2; --card: #fff; --ink: #1c1f1d; --soft: #5b625e; --line: #d9dbd6; --accent: #1f5f4a }
@media (prefers-color-scheme: dark) { :root { --ground: #141715; --card: #1d211f; --ink: #eceeea; --soft: #a3aca7; --line: #363c39; --accent: #6fc7a5 } }
* { box-sizing: border-box }
body { margin: 0 auto; max-width: 54rem; padding: 1rem; background: var(--ground); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; overflow-wrap: anywhere }
h1 { font-size: 1.6rem; margin: 0 } h2 { font-size: 1.15rem; margin: 0 0 .5rem } p { margin: 0 0 .75rem }
nav ul { list-style: none; margin: 1rem 0; padding: 0; display: flex; flex-wrap: wrap; gap: .25rem 1rem } nav a { display: inline-block; padding: .25rem 0 }
a, summary { color: var(--accent) } summary { cursor: pointer; padding: .5rem 0 }
:focus-visible { outline: 3px solid var(--accent); outline-offset: 2px } main:focus { outline: none }
section { padding: 1rem 0; border-top: 1px solid var(--line); scroll-margin-top: .5rem }
pre, .table { overflow-x: auto; background: var(--card); border: 1px solid var(--line); border-radius: .5rem } pre { margin: 0; padding: .75rem }
code, pre { font: .9em/1.5 ui-monospace, monospace } h2 code { font-size: 1em; font-weight: 600 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .4rem .75rem; border-bottom: 1px solid var(--line) }
th, td:first-child { overflow-wrap: break-word }
th { color: var(--soft); font-weight: 600 } tr:last-child td { border-bottom: 0 }
.skip { position: absolute; left: -999rem } .skip:focus { left: 1rem; top: .5rem; background: var(--card); padding: .5rem 1rem }
`
