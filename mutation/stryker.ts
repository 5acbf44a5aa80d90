import { execFile, spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { promisify } from 'node:util'
import { idOf, type Mutant } from './mutant.ts'
import { type Planned, RESULTS, ROOT } from './results.ts'

const FOLDER = join(ROOT, 'mutation/stryker')

/**
 * Mutations of Stryker's that are not made: TypeScript refuses nearly all of them, since our literals have types of their own,
 * and an emptied template would be an empty statement. What is in the statements is changed by `sql/`.
 */
const EXCLUDED = ['StringLiteral', 'ObjectLiteral', 'Regex']

/** A mutant as Stryker describes it; lines and columns count from 0. */
type StrykerMutant = {
  id: string
  fileName: string
  location: { start: Place; end: Place }
  mutatorName: string
  replacement: string
}
type Place = { line: number; column: number }

/** Installs Stryker on first use: nobody else needs its 180 packages. */
export async function installStryker(): Promise<void> {
  if (existsSync(join(FOLDER, 'node_modules'))) return
  process.stdout.write('Installing Stryker in mutation/stryker (once).\n')
  await promisify(execFile)('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund'], { cwd: FOLDER })
}

/** The mutants that Stryker makes of these sources, texts for people and logging left out. */
export async function listCodeMutants(sources: Map<string, string>): Promise<Mutant[]> {
  const { mutants } = await instrument(sources)
  return mutants.map((mutant) => mutantOf(mutant, sources))
}

/** The sources with all mutants of code in them, and under which number Stryker's switch knows each. */
export async function withCodeMutants(
  sources: Map<string, string>
): Promise<{ sources: Map<string, string>; numbers: Map<string, string> }> {
  const { mutants, files } = await instrument(sources)
  const numbers = mutants.map((mutant): [string, string] => {
    const source = sources.get(mutant.fileName)!
    return [idOf(mutantOf(mutant, sources), source), mutant.id]
  })
  return { sources: new Map(files.map(({ name, content }) => [name, content])), numbers: new Map(numbers) }
}

async function instrument(
  sources: Map<string, string>
): Promise<{ mutants: StrykerMutant[]; files: { name: string; content: string }[] }> {
  const child = spawn(process.execPath, [join(FOLDER, 'list-mutants.js')], { stdio: ['pipe', 'pipe', 'inherit'] })
  const files = [...sources].map(([file, source]) => ({ file, source }))
  child.stdin.end(JSON.stringify({ files, excludedMutations: EXCLUDED }))
  return JSON.parse(await text(child.stdout))
}

function mutantOf(
  { fileName: file, location, mutatorName: change, replacement }: StrykerMutant,
  sources: Map<string, string>
): Mutant {
  const source = sources.get(file)!
  const [start, end] = [offsetOf(source, location.start), offsetOf(source, location.end)]
  return { file, kind: 'ts', change, start, end, replacement }
}

/** How Stryker names this mutant. */
function nameOf({ file, change, start, end, replacement }: Mutant, source: string): string {
  const places = [start, end].map((offset) => placeOf(source, offset))
  return JSON.stringify([file, ...places.flatMap(({ line, column }) => [line, column]), change, replacement])
}

function offsetOf(source: string, { line, column }: Place): number {
  let at = 0
  for (let n = 0; n < line; n++) at = source.indexOf('\n', at) + 1
  return at + column
}

function placeOf(source: string, offset: number): Place {
  const before = source.slice(0, offset)
  return { line: before.split('\n').length - 1, column: offset - before.lastIndexOf('\n') - 1 }
}

/**
 * Runs mutants of code by Stryker itself, with its tap-runner: each test file of each mutant is a process of its own. `version`
 * is that of the tree from which the mutants were listed. Each result is appended to `results` at once.
 */
export async function runCodeMutants(options: {
  mutants: Planned[]
  tests: string[]
  results: string
  processes: number
  deadline: number
  version: string
  signal: AbortSignal
}): Promise<void> {
  const { mutants, tests, results, processes, deadline, version, signal } = options
  const plan = join(RESULTS, `plan-${process.pid}.json`)
  const content = {
    root: ROOT,
    files: [...new Set(mutants.map(({ mutant }) => mutant.file))].sort(),
    mutants: mutants.map(({ id, mutant, source }) => [nameOf(mutant, source), id]),
    tests,
    results,
    processes,
    deadline,
    version,
    excludedMutations: EXCLUDED,
    timeoutMs: 45_000,
    work: join('mutation/results', `work-${process.pid}`),
    shown: true
  }
  await writeFile(plan, JSON.stringify(content))
  // Stryker's runner starts `node` by its name.
  const env = { ...process.env, MUTATION_PLAN: plan, PATH: `${dirname(process.execPath)}:${process.env.PATH}` }
  const child = spawn(process.execPath, [join(FOLDER, 'run.js')], { cwd: ROOT, env, stdio: 'inherit' })
  const end = () => child.kill('SIGTERM')
  signal.addEventListener('abort', end, { once: true })
  const code = await new Promise((resolve) => child.on('exit', resolve))
  signal.removeEventListener('abort', end)
  await rm(plan, { force: true })
  process.stdout.write('\n')
  if (code !== 0 && !signal.aborted) throw new Error(`Stryker ended with ${code}`)
}
