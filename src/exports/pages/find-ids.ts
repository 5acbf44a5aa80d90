import { createHash } from 'node:crypto'
import type { Statement } from '#kit/postgres'

/**
 * A statement whose text is put together for an endpoint and its filters, of which there are few: it keeps its plan under a name made
 * of the text. `$n` are the values.
 */
export function statementOf(text: string, values: unknown[]): Statement {
  return { name: `x_${createHash('sha1').update(text).digest('base64url').slice(0, 20)}`, text, values }
}
