import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestServer } from '../../test/test-server.ts'
import { mutatedText } from '../mutant.ts'
import { addResult, isCaught, type Planned, RESULTS, type Result, ROOT, readResults } from '../results.ts'
import { treeVersion } from '../tree-version.ts'
import { type Ended, startWarmProcess, type WarmProcess } from './process.ts'
import { type Reach, reaches, recordReach } from './reach.ts'
import { switchedSources } from './sources.ts'

/** After so many test files a process is replaced: it keeps the modules of every test file that it has run. */
const MOST_RUNS = 150
/** A test file may take this long at least, and this many times as long as without a mutant. */
const LIMIT = { ms: 20_000, times: 6 }
/** Results are noted after a look at the tree, which costs too much for each of them. */
const LOOK_MS = 3_000

export type MutantRun = {
  module: string
  kind: 'sql' | 'ts'
  mutants: Planned[]
  /** All mutants of the module: what test files reach is recorded for all of them at once. */
  all: Planned[]
  tests: string[]
  server: TestServer
  results: string
  processes: number
  /** How many seconds of tests one mutant gets, the likeliest tests first; at least one test file. */
  mostSeconds: number
  deadline: number
  signal: AbortSignal
}

/** Runs mutants of one kind in warm processes until the deadline; each result is noted within seconds. */
export async function runMutants(run: MutantRun): Promise<void> {
  const { mutants, processes, deadline, signal } = run
  if (mutants.length === 0) return
  const version = await treeVersion()
  const dir = join(RESULTS, `warm-${process.pid}-${run.kind}`)
  await mkdir(dir, { recursive: true })
  try {
    const stage = await prepare(run, dir)
    const noted: Result[] = []
    let looked = Date.now()
    const note = async () => {
      looked = Date.now()
      if ((await treeVersion()) !== version)
        throw new Error('Files were changed during the run: run it in a worktree of its own')
      for (const result of noted.splice(0)) addResult(run.results, result)
    }
    const waiting = [...mutants]
    const lane = async () => {
      const warm = warmLane(stage.sources)
      try {
        for (let next = waiting.shift(); next && Date.now() < deadline && !signal.aborted; next = waiting.shift()) {
          const result = await runOne(next, stage, warm)
          noted.push(result)
          process.stdout.write(isCaught(result) ? '.' : result.status.slice(0, 1))
          if (Date.now() - looked > LOOK_MS) await note()
        }
      } finally {
        warm.stop()
      }
    }
    await Promise.all(Array.from({ length: processes }, lane))
    await note()
    process.stdout.write('\n')
  } finally {
    await rm(dir, { recursive: true, force: true })
  }
}

type Stage = {
  run: MutantRun
  dir: string
  sources: string
  reach: Map<string, Reach>
  names: Map<string, string>
  atLoading: Set<string>
  /** Per source: how often each test file was tried, and how often it noticed. */
  luck: Map<string, { tried: number; noticed: number }>
}

async function prepare(run: MutantRun, dir: string): Promise<Stage> {
  const { kind, tests, results } = run
  const all = run.all.filter(({ mutant }) => mutant.kind === kind)
  const switched = await switchedSources(kind, all)
  const sources = join(dir, 'sources.json')
  await writeSources(sources, switched.sources)
  const first = await startWarmProcess(sources)
  first.stop()
  if (!first.static) throw new Error(`The module does not load with its mutants:\n${first.stderr()}`)
  const reach = await recordReach({ ...run, name: `${run.module}-${kind}`, tests, mutants: all, switched, sources })
  const luck: Stage['luck'] = new Map()
  const files = new Map(all.map(({ id, mutant }) => [id, mutant.file]))
  for (const { id, by } of readResults(results).values()) {
    const file = files.get(id)
    if (file && by) luckOf(luck, file, by).noticed++
  }
  return { run, dir, sources, reach, names: switched.names, atLoading: new Set(first.static), luck }
}

function writeSources(file: string, sources: Map<string, string>): Promise<void> {
  const byUrl = [...sources].map(([path, text]) => [pathToFileURL(join(ROOT, path)).href, text])
  return writeFile(file, JSON.stringify({ sources: Object.fromEntries(byUrl) }))
}

function luckOf(luck: Stage['luck'], file: string, test: string) {
  const key = `${file} ${test}`
  const found = luck.get(key) ?? { tried: 0, noticed: 0 }
  luck.set(key, found)
  return found
}

/** A process that is started when it is needed, and again when it is no longer clean. */
function warmLane(sources: string) {
  let warm: WarmProcess | null = null
  let runs = 0
  return {
    async get(): Promise<WarmProcess> {
      if (!warm?.isAlive() || runs >= MOST_RUNS) {
        warm?.stop()
        warm = await startWarmProcess(sources)
        runs = 0
      }
      runs++
      return warm
    },
    stop(): void {
      warm?.stop()
      warm = null
    }
  }
}

type Lane = ReturnType<typeof warmLane>

/** The test files that reach a mutant within its time: first those that notice most of this source's mutants per second. */
function testsFor(one: Planned, { run, reach, luck }: Stage): { tests: string[]; isAll: boolean } {
  const rank = (test: string) => {
    const { tried, noticed } = luckOf(luck, one.mutant.file, test)
    return (noticed + 0.3) / (Math.max(tried, noticed) + 1) / (reach.get(test)!.ms + 100)
  }
  const all = run.tests
    .filter((test) => reach.get(test)?.passed && reaches(reach.get(test)!, one))
    .map((test) => ({ test, rank: rank(test) }))
    .sort((a, b) => b.rank - a.rank)
  let ms = 0
  const tests = all.filter(({ test }, n) => (ms += reach.get(test)!.ms) <= run.mostSeconds * 1_000 || n === 0)
  return { tests: tests.map(({ test }) => test), isAll: tests.length === all.length }
}

async function runOne(one: Planned, stage: Stage, lane: Lane): Promise<Result> {
  const { id, mutant } = one
  const { tests, isAll } = testsFor(one, stage)
  if (tests.length === 0) return { id, status: 'NoCoverage' }
  const isFunction = mutant.file.endsWith('.sql')
  const name = stage.names.get(id)
  const isSwitched = name !== undefined && !stage.atLoading.has(name)
  const template = isFunction ? `mutant_${id.replace(/\W/g, '_').toLowerCase()}` : null
  const own = isFunction || isSwitched ? null : await coldSources(one, stage)
  const cold = own && (await startWarmProcess(own, name ?? null))
  try {
    if (template) {
      try {
        await stage.run.server.copyTemplate(template, mutatedText(one.source, mutant))
      } catch (err) {
        return { id, status: 'Refused', reason: (err as Error).message }
      }
    }
    if (cold && !cold.static) return { id, status: 'RuntimeError', reason: cold.stderr().slice(-300) }
    for (const test of tests) {
      const luck = luckOf(stage.luck, mutant.file, test)
      luck.tried++
      const order = { file: join(ROOT, test), mutant: name ?? null, template }
      const status = cold ? await runCold(cold, order, test, stage) : await runWarm(lane, order, test, stage)
      if (status === 'passed') continue
      if (status !== 'refused') luck.noticed++
      if (status === 'refused') return { id, status: 'Refused', by: test }
      return { id, status: status === 'stopped' ? 'Timeout' : 'Killed', by: test }
    }
    return { id, status: 'Survived', ...(isAll ? {} : { reason: 'not all tests' }) }
  } finally {
    cold?.stop()
    if (own && own !== stage.sources) await rm(own, { force: true })
    if (template) await stage.run.server.onServer(`drop database if exists ${template} with (force)`)
  }
}

/** The sources for a process that loads with the mutant: a mutant without a switch is written into its file. */
async function coldSources({ id, mutant, source }: Planned, stage: Stage): Promise<string> {
  if (stage.names.has(id)) return stage.sources
  const file = join(stage.dir, `${id}.json`)
  await writeSources(file, new Map([[mutant.file, mutatedText(source, mutant)]]))
  return file
}

type Order = { file: string; mutant: string | null; template: string | null }
type Outcome = 'passed' | 'failed' | 'stopped' | 'refused'

const limitOf = (test: string, { reach }: Stage) => LIMIT.ms + LIMIT.times * reach.get(test)!.ms

function outcomeOf({ status, refusals }: Ended, test: string, { reach }: Stage): Outcome {
  if (status === 'passed' || status === 'stopped') return status
  return refusals.some((code) => !reach.get(test)!.refusals.includes(code)) ? 'refused' : 'failed'
}

async function runCold(cold: WarmProcess, order: Order, test: string, stage: Stage): Promise<Outcome> {
  const ended = await cold.run(order, limitOf(test, stage))
  return outcomeOf(ended, test, stage)
}

/**
 * A failure in a warm process counts when the same test file passes right after it without the mutant, or when it also fails in a new
 * process: what an earlier mutant left behind notices nothing.
 */
async function runWarm(lane: Lane, order: Order, test: string, stage: Stage): Promise<Outcome> {
  const limit = limitOf(test, stage)
  const warm = await lane.get()
  const ended = await warm.run(order, limit)
  if (!ended.isClean && ended.status === 'passed') lane.stop()
  const outcome = outcomeOf(ended, test, stage)
  if (outcome === 'passed' || outcome === 'refused') return outcome
  if (outcome === 'failed' && ended.isClean) {
    const again = await warm.run({ ...order, mutant: null, template: null }, limit)
    if (again.status === 'passed' && again.isClean) return outcome
  }
  lane.stop()
  const fresh = await lane.get()
  const confirmed = outcomeOf(await fresh.run(order, limit), test, stage)
  lane.stop()
  return confirmed
}
