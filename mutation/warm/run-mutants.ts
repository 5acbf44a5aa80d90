import { mkdir, rm, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { TestServer } from '../../test/test-server.ts'
import { mutatedText } from '../mutant.ts'
import { addResult, isCaught, type Planned, RESULTS, type Result, ROOT, readResults } from '../results.ts'
import { treeVersion } from '../tree-version.ts'
import { type Ended, startWarmProcess, type WarmProcess } from './process.ts'
import { type Reach, recordReach, testsReaching, timeOf } from './reach.ts'
import { switchedSources } from './sources.ts'
import type { Order } from './worker.ts'

/** After so many test files a process is replaced: it keeps the modules of every test file that it has run. */
const MAX_RUNS = 150
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
  maxSeconds: number
  deadline: number
  /** Of the tree from which the mutants were listed. */
  version: string
  signal: AbortSignal
}

/** Runs mutants of one kind in warm processes until the deadline; each result is noted within seconds. */
export async function runMutants(run: MutantRun): Promise<void> {
  const { mutants, processes, deadline, version, signal } = run
  if (mutants.length === 0) return
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
      if (!warm?.isAlive() || runs >= MAX_RUNS) {
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

/** Tests of one file that reach a mutant, and their time without it. */
type Some = { file: string; only: number[] | null; ms: number }

/** The tests that reach a mutant within its time: first the files that notice most of this source's mutants per second; those
 * beside it are expected to, and always run. */
function testsFor(one: Planned, { run, reach, luck, names, atLoading }: Stage): { tests: Some[]; isAll: boolean } {
  const isBeside = (file: string) => dirname(file) === dirname(one.mutant.file)
  const rank = ({ file, ms }: Some) => {
    const { tried, noticed } = luckOf(luck, one.mutant.file, file)
    const expected = isBeside(file) ? 1 : 0.05
    return (noticed + expected) / (Math.max(tried, noticed) + 1) / (ms + 100)
  }
  const all = run.tests
    .flatMap((file): Some[] => {
      const found = reach.get(file)
      if (!found?.passed) return []
      // What a module does when it loads may have an effect anywhere.
      const isOfLoading = isFunction(one) || atLoading.has(names.get(one.id)!) || !names.has(one.id)
      const reaching = testsReaching(found, one)
      const only = isOfLoading && reaching?.length === 0 ? null : reaching
      return only?.length === 0 ? [] : [{ file, only, ms: timeOf(found, only) }]
    })
    .sort((a, b) => rank(b) - rank(a))
  let ms = 0
  const tests = all.filter((some, n) => isBeside(some.file) || (ms += some.ms) <= run.maxSeconds * 1_000 || n === 0)
  return { tests, isAll: tests.length === all.length }
}

/** Functions of the database are in a copy of the template, and not switched. */
const isFunction = ({ mutant }: Planned) => mutant.file.endsWith('.sql')

async function runOne(one: Planned, stage: Stage, lane: Lane): Promise<Result> {
  const { id, mutant } = one
  const { tests, isAll } = testsFor(one, stage)
  if (tests.length === 0) return { id, status: 'NoCoverage' }
  const name = stage.names.get(id)
  const isSwitched = name !== undefined && !stage.atLoading.has(name)
  const template = isFunction(one) ? `mutant_${id.replace(/\W/g, '_').toLowerCase()}` : null
  const own = isFunction(one) || isSwitched ? null : await coldSources(one, stage)
  const cold = own === null ? null : await startWarmProcess(own, name ?? null)
  try {
    if (template) {
      try {
        await stage.run.server.copyTemplate(template, mutatedText(one.source, mutant))
      } catch (err) {
        return { id, status: 'Refused', reason: (err as Error).message }
      }
    }
    if (cold && !cold.static) return { id, status: 'RuntimeError', reason: cold.stderr().slice(-300) }
    for (const some of tests) {
      const luck = luckOf(stage.luck, mutant.file, some.file)
      luck.tried++
      const order = { file: join(ROOT, some.file), only: some.only, mutant: name ?? null, template }
      const limit = LIMIT.ms + LIMIT.times * some.ms
      const refusals = stage.reach.get(some.file)!.refusals
      const status = cold
        ? outcomeOf(await cold.run(order, limit), refusals)
        : await runWarm(lane, order, limit, refusals)
      if (status === 'passed') continue
      if (status === 'refused') return { id, status: 'Refused', by: some.file }
      luck.noticed++
      return { id, status: status === 'stopped' ? 'Timeout' : 'Killed', by: some.file }
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

type Outcome = 'passed' | 'failed' | 'stopped' | 'refused'

/** `usual` are the refusals of the test file without a mutant. */
function outcomeOf({ status, refusals }: Ended, usual: string[]): Outcome {
  if (status === 'passed' || status === 'stopped') return status
  return refusals.some((code) => !usual.includes(code)) ? 'refused' : 'failed'
}

/**
 * A failure in a warm process counts when the same tests pass right after it without the mutant, or when they also fail in a new
 * process: what an earlier mutant left behind notices nothing.
 */
async function runWarm(lane: Lane, order: Order, limit: number, usual: string[]): Promise<Outcome> {
  const warm = await lane.get()
  const ended = await warm.run(order, limit)
  if (!ended.isClean && ended.status === 'passed') lane.stop()
  const outcome = outcomeOf(ended, usual)
  if (outcome === 'passed' || outcome === 'refused') return outcome
  if (outcome === 'failed' && ended.isClean) {
    const again = await warm.run({ ...order, mutant: null, template: null }, limit)
    if (again.status === 'passed' && again.isClean) return outcome
  }
  lane.stop()
  const fresh = await lane.get()
  const confirmed = outcomeOf(await fresh.run(order, limit), usual)
  lane.stop()
  return confirmed
}
