import type { Budget } from '#kit/rate-limit'
import type { RatePlan } from '#stores'

/** A part of the text before the operations. Paragraphs may hold `code`; nothing else of Markdown. */
export type Section = {
  id: string
  title: string
  paragraphs: string[]
  table?: { columns: string[]; rows: string[][] }
}

/** What holds for every operation, told once for the document and the page. */
export function guideOf(budgets: Record<RatePlan, Budget>): Section[] {
  return [
    {
      id: 'authentication',
      title: 'Authentication',
      paragraphs: [
        'Every request carries an API key of one store: `Authorization: Bearer <key>`. Keys are made with `perennial key create`. A key sees its store and nothing else. Each operation names the scope that it needs; a key without it gets 403. Keep keys on servers, out of pages and apps.'
      ]
    },
    {
      id: 'answers',
      title: 'Answers',
      paragraphs: [
        'JSON with `data`, the object or the page of a list, and `meta`, which tells where the page stands. Lists are newest first; their filters combine, and one that names an unknown id finds nothing and is no error.',
        'Times are ISO 8601 in UTC, amounts are decimals of the currency beside them. A day in a filter is midnight in the shop; a date-time is taken as it is. After and before are exclusive.',
        'A field is always there, and `null` means that there is nothing to tell. Fields may be added, so ignore those that you do not know. `X-Request-Id` names each answer. Answers are not to be cached. `HEAD` works wherever `GET` does.'
      ]
    },
    {
      id: 'bodies',
      title: 'Requests with a body',
      paragraphs: [
        'JSON in UTF-8 with `Content-Type: application/json`, at most 64 KiB. Parameters and fields that an operation does not know are refused, and so is a key that comes twice. In a `POST` null is a field left out, as answers show it.',
        'Every `POST` and `PATCH` takes an `Idempotency-Key`. Within 24 hours (of real time, also in a store with a test clock) the same key with the same request gets the first answer again, with `Idempotent-Replayed: true`, and nothing is done twice; with another request it gets 400. A request that was refused has done nothing, and its key is free.'
      ]
    },
    {
      id: 'limits',
      title: 'Limits',
      paragraphs: [
        'Requests are counted per store. Every answer says in `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds) how much is left of the window that has fewer requests left; 429 says in `Retry-After` how many seconds to wait. Days are UTC days.'
      ],
      table: {
        columns: ['Plan', 'Per minute', 'Per day'],
        rows: Object.entries(budgets).map(([plan, { perMinute, perDay }]) => [
          `\`${plan}\``,
          String(perMinute),
          perDay === null ? 'unlimited' : String(perDay)
        ])
      }
    }
  ]
}

export function guideAsMarkdown(sections: Section[]): string {
  return sections
    .map(({ title, paragraphs, table }) => {
      const line = (cells: string[]) => `| ${cells.join(' | ')} |`
      const lines = table && [line(table.columns), line(table.columns.map(() => '---')), ...table.rows.map(line)]
      return [`## ${title}`, ...paragraphs, ...(lines ? [lines.join('\n')] : [])].join('\n\n')
    })
    .join('\n\n')
}
