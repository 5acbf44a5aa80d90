import type { RestDocument } from '../openapi/document-types.ts'
import type { Section } from '../openapi/guide.ts'
import { objectAnchor } from './fields.ts'
import { anchor, code, line, sample, table, text } from './markup.ts'
import { errorSections, type Listed, objectSection, operationSection, webhookSection } from './sections.ts'

/** The whole reference on one page without a script. `guide` is the text before the operations. */
export function page(document: RestDocument, guide: Section[], origin: string): string {
  const prefix = document.servers[0]!.url
  const listed: Listed[] = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => ({ method: method.toUpperCase(), path, operation }))
  )
  const groups = document.tags
    .map(({ name, description }) => ({
      name,
      description,
      operations: listed.filter(({ operation }) => operation.tags.includes(name))
    }))
    .filter(({ operations }) => operations.length > 0)
  const objects = Object.entries(document.components.schemas).filter(([name]) => !/.Event$/.test(name))
  const events = Object.entries(document.webhooks)

  const contents = [
    links('Guide', [['start', 'First request'], ...guide.map(({ id, title }) => [id, title]), ['errors', 'Errors']]),
    ...groups.map(({ name, operations }) =>
      links(
        name,
        operations.map(({ operation }) => [anchor(operation.operationId), operation.summary])
      )
    ),
    links(
      'Objects',
      objects.map(([name]) => [objectAnchor(name), name])
    ),
    links('Webhooks', [
      ['webhooks', 'Deliveries and signatures'],
      ...events.map(([type]) => [anchor(`event-${type}`), type])
    ])
  ]
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
<header><h1>Perennial API</h1><p>Base address <code>${text(origin + prefix)}</code> · <a href="/openapi.json">OpenAPI document</a></p></header>
<details class="contents"><summary>Contents</summary><nav aria-label="Contents">${contents.join('')}</nav></details>
<main id="main" tabindex="-1">
<section id="start"><h2>First request</h2>
<p>Put an API key of your store into <code>KEY</code> and read two members:</p>
${sample('First request', `curl -H "Authorization: Bearer $KEY" \\\n  "${origin + prefix}/members?limit=2"`)}</section>
${guide.map(guideSection).join('\n')}
<section id="errors"><h2>Errors</h2>
<p>The body is <code>{"error": {"code", "message"}}</code>. When a field is at fault, <code>details</code> lists
it with a <code>code</code> of its own. Use the codes in programs; messages are for people.</p>
${errorSections(document)}</section>
${groups
  .map(
    ({ name, description, operations }) =>
      `<h2 id="${anchor(name)}">${text(name)}</h2><p>${line(description)}</p>
${operations.map((one) => operationSection(one, document, origin, prefix)).join('\n')}`
  )
  .join('\n')}
<h2 id="objects">Objects</h2>
${objects.map(([name, schema]) => objectSection(name, schema)).join('\n')}
<h2 id="webhooks">Webhooks</h2>
<p>The service sends a POST with JSON to endpoints that you register with <code>perennial webhook create</code>. Respond with a
2xx status within 30 seconds. Anything else is retried after 1 minute, 5 minutes, 30 minutes, 2 hours and 12 hours. A
delivery may arrive more than once, with the same <code>webhook_id</code>. Verify a signature over the raw bytes before you
parse them.</p>
${table('Headers of a delivery', ['Header', 'Description'], signatureRows(document))}
${events.map(([type, { post }]) => webhookSection(type, post, document)).join('\n')}
</main>
</body>
</html>
`
}

function guideSection({ id, title, paragraphs, table: metrics }: Section): string {
  const rows = metrics?.rows.map((cells) => cells.map(line))
  return `<section id="${id}"><h2>${text(title)}</h2>${paragraphs.map((paragraph) => `<p>${line(paragraph)}</p>`).join('')}
${metrics && rows ? table(title, metrics.columns, rows) : ''}</section>`
}

function links(title: string, targets: string[][]): string {
  const items = targets.map(([id = '', label = '']) => `<li><a href="#${id}">${text(label)}</a></li>`)
  return `<h2>${text(title)}</h2><ul>${items.join('')}</ul>`
}

function signatureRows({ components }: RestDocument): string[][] {
  return Object.values(components.parameters)
    .filter(({ name }) => /signature|^webhook-/i.test(name))
    .map(({ name, description = '' }) => [code(name), line(description)])
}
