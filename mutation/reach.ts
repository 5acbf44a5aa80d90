import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { digest, type Mutant } from './mutant.ts'
import { RESULTS, ROOT } from './results.ts'
import { runTestFile } from './run-test-file.ts'

/** What one test file runs: per source file its hash, and its blocks from outside to inside, with whether they ran. */
type Reach = {
  test: string
  ms: number
  passed: boolean
  files: Record<string, { of: string; blocks: [number, number, 0 | 1][] }>
}

const FILE = join(RESULTS, 'reach.json')
/** The longest time of a test file without a mutant. */
const LIMIT_MS = 240_000

const hashOf = (file: string) => digest(readFileSync(join(ROOT, file), 'utf8'))

/** What each of these test files runs: from the record, or, where the test file is new or has changed, by running it once. */
export async function recordReach(tests: string[], signal: AbortSignal): Promise<Reach[]> {
  const known: Record<string, Reach> = existsSync(FILE) ? JSON.parse(readFileSync(FILE, 'utf8')) : {}
  for (const file of tests) {
    signal.throwIfAborted()
    const test = hashOf(file)
    if (known[file]?.test === test && known[file].passed) continue
    known[file] = await measure(file, test)
    const { ms, passed } = known[file]
    process.stdout.write(`${passed ? 'recorded' : 'FAILS, left out:'} ${file} (${(ms / 1000).toFixed(1)} s)\n`)
    writeFileSync(FILE, JSON.stringify(known))
  }
  return tests.map((file) => known[file]!)
}

async function measure(file: string, test: string): Promise<Reach> {
  const dir = await mkdtemp(join(RESULTS, 'coverage-'))
  try {
    const { status, ms, error } = await runTestFile(file, { NODE_V8_COVERAGE: dir }, LIMIT_MS)
    if (status !== 'passed') process.stdout.write(`${error.slice(0, 1_500)}\n`)
    const files: Reach['files'] = {}
    for (const name of await readdir(dir)) {
      const { result } = JSON.parse(await readFile(join(dir, name), 'utf8')) as Coverage
      for (const { url, functions } of result) {
        if (!url.startsWith('file:') || !url.includes('/src/') || !url.endsWith('.ts')) continue
        const source = fileURLToPath(url).slice(ROOT.length)
        if (/\.test(-helper)?\.ts$/.test(source)) continue
        const blocks = functions.flatMap(({ ranges }) =>
          ranges.map((r): [number, number, 0 | 1] => [r.startOffset, r.endOffset, r.count > 0 ? 1 : 0])
        )
        const before = files[source]?.blocks ?? []
        files[source] = { of: hashOf(source), blocks: [...before, ...blocks] }
      }
    }
    return { test, ms, passed: status === 'passed', files }
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

type Coverage = {
  result: { url: string; functions: { ranges: { startOffset: number; endOffset: number; count: number }[] }[] }[]
}

/** The test files that run the code of this mutant, fastest first. */
export function testsReaching(mutant: Mutant, source: string, tests: string[], reach: Reach[]): string[] {
  const users = isInModuleScope(mutant, reach) ? usersOf(mutant, source) : null
  return tests
    .map((test, i) => ({ test, reach: reach[i]! }))
    .filter(({ reach: one }) => one.passed && (users ? users.some((file) => runsAny(one, file)) : runs(one, mutant)))
    .sort((a, b) => a.reach.ms - b.reach.ms)
    .map(({ test }) => test)
}

/** The smallest block around the place decides. A file that has changed since is taken as a whole. */
function runs({ files }: Reach, { file, start }: Mutant): boolean {
  const found = files[file]
  if (!found) return false
  if (found.of !== hashOf(file)) return true
  const around = found.blocks.filter(([from, to]) => from <= start && start < to)
  const smallest = Math.min(...around.map(([from, to]) => to - from))
  return around.some(([from, to, ran]) => to - from === smallest && ran === 1)
}

/** Whether any function of the file was called. */
function runsAny({ files }: Reach, file: string): boolean {
  const blocks = files[file]?.blocks ?? []
  return (
    blocks.some(([from, , ran]) => ran === 1 && from > 0) || (blocks.length > 0 && blocks.every(([from]) => from === 0))
  )
}

/** Whether the place runs when the module loads, as the text of a constant does. */
function isInModuleScope({ file, start }: Mutant, reach: Reach[]): boolean {
  const found = reach.find(({ files }) => files[file])?.files[file]
  return !found?.blocks.some(([from, to]) => from > 0 && from <= start && start < to)
}

const sources = new Map<string, string>()

/** The files in which the constant that holds the text is named. */
function usersOf({ file, start }: Mutant, source: string): string[] {
  const name = [...source.slice(0, start).matchAll(/^(?:export )?const (\w+)/gm)].at(-1)?.[1]
  if (!name) return [file]
  const pattern = new RegExp(`\\b${name}\\b`)
  if (sources.size === 0) readSources()
  return [file, ...[...sources].filter(([, text]) => pattern.test(text)).map(([of]) => of)]
}

function readSources(): void {
  for (const known of Object.values(JSON.parse(readFileSync(FILE, 'utf8')) as Record<string, Reach>)) {
    for (const file of Object.keys(known.files)) {
      if (!sources.has(file) && existsSync(join(ROOT, file))) sources.set(file, readFileSync(join(ROOT, file), 'utf8'))
    }
  }
}
