import { execute, type GraphQLSchema } from 'graphql'
import type { Api } from '../wire/api.ts'
import { readBulkMutation } from './bulk-mutation.ts'

/** Lines that one step runs; the progress is visible after each step. */
const LINES_A_STEP = 100

export type RunLines = { read: string; objects: number; nextLine: number | null; isFailed: boolean }

/**
 * Runs a mutation for the lines of its file from one on, each by itself as a call of its own. A line that is no JSON object, or whose
 * variables do not fit, has its errors in the result. If the process dies within a step, its lines are run again.
 */
export async function runMutationLines(
  schema: GraphQLSchema,
  api: () => Api,
  { mutation, file, from, most }: { mutation: string; file: string; from: number; most: number }
): Promise<RunLines> {
  const parsed = readBulkMutation(schema, mutation)
  if ('problem' in parsed) return { read: '', objects: 0, nextLine: null, isFailed: true }
  const lines = file.split('\n').filter((line) => line.trim() !== '')
  const to = Math.min(lines.length, from + Math.min(LINES_A_STEP, most))
  const results: string[] = []
  for (let number = from; number < to; number++) {
    const variables = variablesIn(lines[number]!)
    const result = variables
      ? await execute({ schema, document: parsed.document, contextValue: api(), variableValues: variables })
      : { errors: [{ message: 'The line is not a JSON object.' }] }
    // The platform escapes slashes in these files.
    results.push(JSON.stringify({ ...result, __lineNumber: number }).replaceAll('/', '\\/'))
  }
  const read = results.map((line) => `${line}\n`).join('')
  return { read, objects: results.length, nextLine: to < lines.length ? to : null, isFailed: false }
}

function variablesIn(line: string): Record<string, unknown> | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? { ...value } : null
  } catch {
    return null
  }
}
