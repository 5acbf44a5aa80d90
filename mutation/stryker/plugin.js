// Stryker's tap-runner with a memory: it runs the mutants of the plan, fastest test first, until the time is up.
import { appendFileSync, readFileSync } from 'node:fs'
import { relative } from 'node:path'
import { declareClassPlugin, declareFactoryPlugin, PluginKind } from '@stryker-mutator/api/plugin'
import { createTapTestRunnerFactory, strykerValidationSchema } from '@stryker-mutator/tap-runner'
import { treeVersion } from '../tree-version.ts'

const plan = JSON.parse(readFileSync(process.env.MUTATION_PLAN, 'utf8'))
const ids = new Map(plan.mutants)
const ROOT = plan.root
const createTapTestRunner = createTapTestRunnerFactory()
const LEFT = 'left for another run'

const idOf = ({ fileName, location: { start, end }, mutatorName, replacement }) => {
  const place = [start.line, start.column, end.line, end.column]
  return ids.get(JSON.stringify([relative(ROOT, fileName), ...place, mutatorName, replacement]))
}

function createRunner(injector) {
  const runner = createTapTestRunner(injector)
  return {
    capabilities: () => runner.capabilities(),
    init: () => runner.init(),
    dryRun: async (options) => {
      // From here on only the copy is used: it was made of what the mutants were listed from.
      if ((await treeVersion()) !== plan.version)
        throw new Error('Files were changed while they were copied: run it again')
      return runner.dryRun(options)
    },
    mutantRun: async (options) => {
      if (!idOf(options.activeMutant) || Date.now() > plan.deadline) return { status: 'error', errorMessage: LEFT }
      const testFilter = options.testFilter && [...options.testFilter].sort((a, b) => rank(a) - rank(b))
      return runner.mutantRun({ ...options, testFilter })
    }
  }
}
createRunner.inject = ['$injector']

const ranks = new Map(plan.tests.map((file, i) => [file, i]))
const rank = (file) => ranks.get(file) ?? ranks.size

class PerennialReporter {
  #ids = new Map()

  /** Results count lines otherwise; only the plan names mutants as the runner does. */
  onMutationTestingPlanReady({ mutantPlans }) {
    for (const { mutant } of mutantPlans) this.#ids.set(mutant.id, idOf(mutant))
  }

  onMutantTested(result) {
    const id = this.#ids.get(result.id)
    if (!id || result.statusReason === LEFT) return
    const { status, killedBy, statusReason } = result
    const line = { id, status, by: killedBy?.[0], reason: statusReason?.slice(0, 300) }
    appendFileSync(plan.results, `${JSON.stringify(line)}\n`)
    if (plan.shown) process.stdout.write(status === 'Killed' || status === 'Timeout' ? '.' : status.slice(0, 1))
  }
}

export const strykerPlugins = [
  declareFactoryPlugin(PluginKind.TestRunner, 'perennial', createRunner),
  declareClassPlugin(PluginKind.Reporter, 'perennial', PerennialReporter)
]
export { strykerValidationSchema }
