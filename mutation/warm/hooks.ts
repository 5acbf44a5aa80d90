// Loaded before anything else in a warm process: sources of the module come with all their mutants, each switched off; test files
// and their helpers are loaded anew for every run, and get `node-test.ts` for `node:test`.
import { readFileSync } from 'node:fs'
import { registerHooks, stripTypeScriptTypes } from 'node:module'
import { fileURLToPath } from 'node:url'

/** What a process is started with: the sources with mutants by their address. */
export type WarmSources = Record<string, string>

const { sources } = JSON.parse(readFileSync(process.env.MUTATION_WARM!, 'utf8')) as { sources: WarmSources }
const SHIM = new URL('node-test.ts', import.meta.url).href
const ROOT = new URL('../..', import.meta.url).href
/** Of tests: what may hold the state of a run. */
const OF_TESTS = /\.test(-helper)?\.ts$/
const javascript = new Map<string, string>()

registerHooks({
  resolve(specifier, context, next) {
    if (specifier === 'node:test' && context.parentURL !== SHIM) return { url: SHIM, shortCircuit: true }
    const found = next(specifier, context)
    const run = /\?run=\d+$/.exec(context.parentURL ?? '')?.[0]
    return run && isOfTests(found.url) && !found.url.includes('?') ? { ...found, url: found.url + run } : found
  },
  load(url, context, next) {
    const source = sources[url]
    if (source) return { format: 'module-typescript', source, shortCircuit: true }
    if (!/\?run=\d+$/.test(url)) return next(url, context)
    const file = fileURLToPath(url)
    const text = javascript.get(file) ?? stripTypeScriptTypes(readFileSync(file, 'utf8'))
    javascript.set(file, text)
    return { format: 'module', source: text, shortCircuit: true }
  }
})

function isOfTests(url: string): boolean {
  return (
    url.startsWith(`${ROOT}test/`) || (url.startsWith(ROOT) && !url.includes('/node_modules/') && OF_TESTS.test(url))
  )
}
