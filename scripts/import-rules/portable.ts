import { lineAt, tokensOf } from '../source-tokens.ts'
import { type Breach, importsOf, isTest, type Tree, targetOf } from './tree.ts'

/** Folders whose files run outside the service as they are: in a checkout's discount function, a browser, the sandbox. */
const PORTABLE = ['src/plans/pricing/', 'extensions/member-discounts/']
/** What a portable folder may import besides its own files. */
const ALSO: Record<string, string> = { 'extensions/member-discounts/': 'src/plans/pricing/index.ts' }

/**
 * What such a place may not have, or what makes a result depend on more than the input. The folder's own tsconfig.json leaves the
 * compiler no types of Node, of browsers and of newer JavaScript; these are left in any JavaScript.
 */
const NOT_THERE = new Set([
  'Atomics',
  'Buffer',
  'Date',
  'Function',
  'Intl',
  'Promise',
  'Reflect',
  'SharedArrayBuffer',
  'Temporal',
  'WeakRef',
  'async',
  'await',
  'console',
  'eval',
  'fetch',
  'globalThis',
  'process',
  'random',
  'require',
  'setTimeout',
  'toLocaleLowerCase',
  'toLocaleString',
  'toLocaleUpperCase'
])

/** An import of a portable folder from outside itself, and a use of what is not in every place that runs it. */
export function portableBreaches(tree: Tree): Breach[] {
  return [...tree].flatMap(([file, source]): Breach[] => {
    const folder = PORTABLE.find((one) => file.startsWith(one))
    if (!folder || isTest(file)) return []
    const imports = importsOf(source).filter(({ specifier }) => !isInside(folder, file, specifier))
    return [
      ...imports.map(({ specifier, line }) => ({
        file,
        line,
        reason: `imports ${specifier}: ${folder} runs outside the service too, and imports only its own files`
      })),
      ...tokensOf(source).flatMap(({ kind, text, index }) => {
        const reason = `uses ${text}, which is not everywhere that ${folder} runs`
        return kind === 'word' && NOT_THERE.has(text) ? [{ file, line: lineAt(source, index), reason }] : []
      })
    ]
  })
}

function isInside(folder: string, file: string, specifier: string | null): boolean {
  if (specifier?.startsWith('.') !== true) return false
  const target = targetOf(file, specifier)!
  return target === ALSO[folder] || (specifier.startsWith('./') && target.startsWith(folder))
}
