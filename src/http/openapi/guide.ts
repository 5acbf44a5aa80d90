import type { RatePlan } from '#stores'
import type { Budget } from '../rate-limits/budgets.ts'

/** A section of the text before the operations. Paragraphs may have `code`, and nothing else of Markdown. */
export type Section = {
  id: string
  title: string
  paragraphs: string[]
  table?: { columns: string[]; rows: string[][] }
}

/** What is true of every operation, for the document and the page. */
export function guideOf(budgets: Record<RatePlan, Budget>): Section[] {
  return [
    {
      id: 'authentication',
      title: 'Authentication',
      paragraphs: [
        'Every request needs an API key of one store: `Authorization: Bearer <key>`. Create keys with `perennial key create`. A key can only access its own store. Each operation names the scope that it needs; a key without that scope gets 403. Keep keys on servers, never in web pages or apps.'
      ]
    },
    {
      id: 'responses',
      title: 'Responses',
      paragraphs: [
        'JSON with `data`, the object or the page of a list, and `meta`, the position of the page in the list. Lists are newest first; events are oldest first. Filters are combined; a filter with an unknown id returns an empty list, not an error.',
        'Times are ISO 8601 in UTC. Amounts are decimals in the currency beside them. A date in a filter means midnight in the time zone of the shop; a date-time is used as given. `after`, `before`, `from` and `to` are exclusive.',
        'Every field is always present; `null` means that it has no value. Fields may be added: ignore those that you do not know. `X-Request-Id` identifies each response. Responses must not be cached. `HEAD` works wherever `GET` does.'
      ]
    },
    {
      id: 'bodies',
      title: 'Requests with a body',
      paragraphs: [
        'JSON in UTF-8 with `Content-Type: application/json`, at most 64 KiB. Unknown parameters and fields are errors, and so is a key that appears twice in an object. In a `POST`, `null` means the same as leaving the field out.',
        'Every `POST`, `PATCH` and `DELETE` accepts an `Idempotency-Key`. Within 24 hours (of real time, also in a store with a test clock) the same key with the same request returns the first response again, with `Idempotent-Replayed: true`, and nothing is done twice. The same key with another request returns 400. A request that failed has changed nothing, and its key can be used again.'
      ]
    },
    {
      id: 'limits',
      title: 'Rate limits',
      paragraphs: [
        'Requests are counted per store, per minute and per day. `X-RateLimit-Limit`, `X-RateLimit-Remaining` and `X-RateLimit-Reset` (Unix seconds) of every response describe the window that has fewer requests left. A 429 has `Retry-After`, the seconds to wait. Days are UTC days.'
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
