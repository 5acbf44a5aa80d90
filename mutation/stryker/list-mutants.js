// Prints the mutants that Stryker makes of the files given on standard input, and the files with all of them, as JSON.
import { createRequire } from 'node:module'
import { text } from 'node:stream/consumers'

const core = createRequire(createRequire(import.meta.url).resolve('@stryker-mutator/core'))
const { createInstrumenter } = await import(core.resolve('@stryker-mutator/instrumenter'))
const { createInjector } = await import(core.resolve('typed-inject'))

const QUIET = {
  isDebugEnabled: () => false,
  debug() {},
  info() {},
  warn() {}
}
/** Properties that say what something means to a reader of the documents. */
const DOCUMENTATION = new Set(['description', 'meaning', 'examples', 'example', 'title', 'summary', 'responseExample'])
const LOG_LEVELS = new Set(['trace', 'debug', 'info', 'warn', 'error', 'fatal'])

/** Texts for people and logging: nothing that they say is decided by them. */
const texts = {
  shouldIgnore(path) {
    const { node } = path
    if (path.isObjectProperty() && DOCUMENTATION.has(node.key.name ?? node.key.value)) return 'documentation'
    if (!path.isCallExpression() || !path.get('callee').isMemberExpression()) return undefined
    const { object, property } = node.callee
    const on = object.name ?? object.property?.name
    return LOG_LEVELS.has(property.name) && /^log(ger)?$/i.test(on ?? '') ? 'logging' : undefined
  }
}

const { files, excludedMutations } = JSON.parse(await text(process.stdin))
const instrumenter = createInjector().provideValue('logger', QUIET).injectFunction(createInstrumenter)
const found = await instrumenter.instrument(
  files.map(({ file, source }) => ({ name: file, content: source, mutate: true })),
  { excludedMutations, plugins: null, ignorers: [texts] }
)
const mutants = found.mutants.filter(({ status }) => status !== 'Ignored')
process.stdout.write(JSON.stringify({ mutants, files: found.files.map(({ name, content }) => ({ name, content })) }))
