// Mutation testing of a module: `npm run mutate -- MODULE [options]` (docs/mutation.md).
import { mkdir } from 'node:fs/promises'
import { parseArgs } from 'node:util'
import { startTestServer } from '../test/test-server.ts'
import { dropAbandonedDatabases } from './abandoned-databases.ts'
import { isEquivalent, readEquivalent } from './equivalent.ts'
import { MODULES, sourcesOf, testsOf } from './modules.ts'
import { printReport, printSurvivors } from './report.ts'
import { addResult, isCaught, type Planned, RESULTS, readResults, resultsOf } from './results.ts'
import { listMutants, SAMPLE, selectMutants } from './select.ts'
import { installStryker, runCodeMutants } from './stryker.ts'
import { treeVersion } from './tree-version.ts'
import { refusedByTypes } from './type-check.ts'
import { runMutants } from './warm/run-mutants.ts'

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    minutes: { type: 'string', default: '600' },
    sample: { type: 'string', default: String(SAMPLE) },
    files: { type: 'string', default: '' },
    except: { type: 'string', multiple: true, default: [] },
    only: { type: 'string', default: '' },
    tests: { type: 'string', default: '' },
    processes: { type: 'string', default: '2' },
    'max-seconds': { type: 'string', default: '120' },
    stryker: { type: 'boolean', default: false },
    again: { type: 'boolean', default: false },
    survivors: { type: 'boolean', default: false },
    report: { type: 'boolean', default: false }
  }
})
const [module] = positionals
if (!module || !MODULES[module]) {
  process.stderr.write(`npm run mutate -- MODULE [options]; MODULE is one of ${Object.keys(MODULES).join(', ')}\n`)
  process.exit(2)
}
const deadline = Date.now() + Number(values.minutes) * 60_000
/** An interrupted run ends what it has begun, with its database server. */
const interrupted = new AbortController()
for (const name of ['SIGINT', 'SIGTERM'] as const) process.on(name, () => interrupted.abort())
const { signal } = interrupted
const processes = Number(values.processes)
const equivalent = readEquivalent()

await mkdir(RESULTS, { recursive: true })
await installStryker()
/** Of the tree that is read here: no result of another one is noted. */
const version = await treeVersion()
const sources = await sourcesOf(module)
const { all, unread } = await listMutants(sources)
for (const text of unread) process.stdout.write(`cannot be read as SQL, not mutated: ${text.slice(0, 120)}\n`)
const selected = selectMutants(all, sources, Number(values.sample)).filter(
  ({ mutant }) =>
    mutant.file.includes(values.files) &&
    !values.except.some((text) => mutant.file.includes(text)) &&
    mutant.kind.includes(values.only)
)
const results = resultsOf(module)

if (!values.survivors && !values.report) await runMissing()
const known = readResults(results)
if (values.survivors) printSurvivors(selected, known, equivalent)
printReport(module, selected, known, equivalent)

/** Runs what has no result yet, and with `--again` what no test has noticed. */
async function runMissing(): Promise<void> {
  const before = readResults(results)
  const todo = selected.filter((one) => {
    const result = before.get(one.id)
    return !result || (values.again && isCaught(result) === false && !isEquivalent(one, equivalent))
  })
  const isCode = ({ mutant }: Planned) => mutant.kind === 'ts'
  const fresh = todo.filter((one) => isCode(one) && !before.has(one.id))
  const refused = await refusedByTypes(fresh)
  for (const id of refused) addResult(results, { id, status: 'Refused', reason: 'TypeScript' })
  // In the order of their hashes: what an interrupted run has done is a sample of the whole.
  const left = todo.filter(({ id }) => !refused.has(id)).sort((a, b) => (a.id < b.id ? -1 : 1))
  process.stdout.write(
    `${module}: ${left.length} of ${selected.length} selected mutants to run (${all.length} in all)\n`
  )
  if (left.length === 0) return

  const server = await startTestServer()
  const sweep = setInterval(() => void dropAbandonedDatabases(server).catch(() => {}), 30_000)
  try {
    await server.makeTemplate()
    const tests = (await testsOf(module!)).filter((file) => file.includes(values.tests))
    for (const kind of ['sql', 'ts'] as const) {
      const mutants = left.filter(({ mutant }) => mutant.kind === kind)
      if (mutants.length === 0 || Date.now() > deadline || signal.aborted) continue
      if (kind === 'ts' && values.stryker)
        await runCodeMutants({ mutants, tests, results, processes, deadline, version, signal })
      else
        await runMutants({
          module: module!,
          kind,
          mutants,
          all,
          tests,
          server,
          results,
          processes,
          maxSeconds: Number(values['max-seconds']),
          deadline,
          version,
          signal
        })
    }
  } finally {
    clearInterval(sweep)
    await dropAbandonedDatabases(server).catch(() => {})
    await server.stop()
  }
}
