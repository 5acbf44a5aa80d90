import type { Document } from '../admin-api.ts'
import { harmless } from '../print.ts'

/** Problems as lines, each with what to do. */
export function listProblems(problems: Document[]): string[] {
  return problems.flatMap(({ store, since, message, next }) => [
    '',
    harmless(`${store === null ? '' : `${store}: `}${message}${since === null ? '' : ` (since ${since})`}`),
    harmless(`  ${next}`)
  ])
}
