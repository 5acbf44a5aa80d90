import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestServer } from '../test/test-server.ts'
import { mutatedText } from './mutant.ts'
import { addResult, isCaught, type Planned, type Result, ROOT } from './results.ts'
import { type Ended, runTestFile } from './run-test-file.ts'
import { treeVersion } from './tree-version.ts'

/** PostgreSQL's codes of what it does not accept as a statement; a missing right (42501) is found by a rule and not among them. */
const REFUSED = /code: '(?!42501)(?:42[0-9A-Z]{3}|0A000)'|syntax error at or near/
const HOOK = join(ROOT, 'mutation/replace-text.ts')

/** A mutant with the test files that reach it, fastest first, and the time each of those takes. */
export type PlannedSql = Planned & { tests: { file: string; ms: number }[] }

/** Runs mutants of SQL, `processes` at a time, until the deadline; each result is noted at once. */
export async function runSqlMutants(options: {
  mutants: PlannedSql[]
  server: TestServer
  results: string
  processes: number
  deadline: number
  signal: AbortSignal
}): Promise<void> {
  const { mutants, results, processes, deadline, server, signal } = options
  const waiting = [...mutants]
  const version = await treeVersion()
  const one = async () => {
    for (let next = waiting.shift(); next && Date.now() < deadline && !signal.aborted; next = waiting.shift()) {
      const result = await runOne(next, server)
      if ((await treeVersion()) !== version)
        throw new Error('Files were changed during the run: run it in a worktree of its own')
      addResult(results, result)
      process.stdout.write(isCaught(result) ? '.' : result.status.slice(0, 1))
    }
  }
  await Promise.all(Array.from({ length: processes }, one))
  process.stdout.write('\n')
}

async function runOne({ id, mutant, source, tests }: PlannedSql, server: TestServer): Promise<Result> {
  if (tests.length === 0) return { id, status: 'NoCoverage' }
  const isFunction = mutant.file.endsWith('.sql')
  const template = `mutant_${id.replace(/\W/g, '_').toLowerCase()}`
  try {
    if (isFunction) {
      try {
        await server.copyTemplate(template, mutatedText(source, mutant))
      } catch (err) {
        return { id, status: 'Refused', reason: (err as Error).message }
      }
    }
    const { file, start, end, replacement } = mutant
    const change = { url: pathToFileURL(join(ROOT, file)).href, start, end, replacement }
    const env: Record<string, string> = isFunction
      ? { TEST_TEMPLATE: template }
      : { MUTANT: JSON.stringify(change), NODE_OPTIONS: `${process.env.NODE_OPTIONS ?? ''} --import=${HOOK}`.trim() }
    for (const test of tests) {
      const ended = await runTestFile(test.file, env, 45_000 + test.ms * 4)
      if (ended.status !== 'passed') return resultOf(id, test.file, ended)
    }
    return { id, status: 'Survived' }
  } finally {
    if (isFunction) await server.onServer(`drop database if exists ${template} with (force)`)
  }
}

function resultOf(id: string, by: string, { status, error }: Ended): Result {
  if (REFUSED.test(error)) return { id, status: 'Refused', by, reason: /(?:error: |code: ).*/.exec(error)?.[0] }
  return { id, status: status === 'stopped' ? 'Timeout' : 'Killed', by }
}
