// Holds the rules of import (ARCHITECTURE.md, "Who may import whom"): `node scripts/check-imports.ts`.
import { readdir, readFile } from 'node:fs/promises'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const MODULES = [
  'stores',
  'platform',
  'plans',
  'members',
  'orders',
  'credits',
  'loyalty',
  'subscriptions',
  'billing',
  'imports',
  'analytics',
  'reports',
  'webhooks'
]

/** Which rooms each room may look into. Modules come on top of this: a door each, of those before it in the list. */
const ROOMS: Record<string, readonly string[]> = {
  kit: ['kit'],
  sandbox: ['sandbox', 'kit'],
  cli: ['cli', 'kit'],
  http: ['http', 'kit'],
  app: ['app', 'http', 'cli', 'sandbox', 'kit'],
  'main.ts': ['main.ts', 'app', 'cli']
}
const SEES_ALL_DOORS = new Set(['http', 'app'])
/** Each HTTP surface keeps its own dialect; what they share lies beside them. */
const SURFACES = ['rest', 'storefront', 'admin']

export type Breach = { file: string; line: number; import: string; reason: string }

/** What is wrong with the imports of one file, given by its path below `src` and its text. */
export function breachesOf(path: string, source: string): Breach[] {
  const room = path.split('/')[0]!
  const isTest = /(\.test|\/test-[a-z-]+|\/testing)\.ts$/.test(path)
  return importsOf(source).flatMap(({ specifier, line }) => {
    const reason = isTest ? null : problemWith(room, path, specifier)
    return reason ? [{ file: `src/${path}`, line, import: specifier, reason }] : []
  })
}

function problemWith(room: string, path: string, specifier: string): string | null {
  if (specifier.startsWith('.')) {
    const [target = '', targetSurface = ''] = join(dirname(path), specifier).split('/')
    const surface = path.split('/')[1] ?? ''
    if (target === '..') return 'the service imports nothing from outside src'
    if (room === 'http' && target === 'http' && [surface, targetSurface].every((name) => SURFACES.includes(name))) {
      return surface === targetSurface ? null : `the surface ${surface} does not know the surface ${targetSurface}`
    }
    if (target === room || ROOMS[room]?.includes(target)) return null
    if (MODULES.includes(target)) return `a module is entered by its door, #${target}`
    return `${room} does not know ${target}`
  }
  if (!specifier.startsWith('#')) return null
  const name = specifier.slice(1)
  if (name.startsWith('kit/')) return null
  if (!MODULES.includes(name)) return `${specifier} is no door`
  if (SEES_ALL_DOORS.has(room)) return null
  const own = MODULES.indexOf(room)
  if (own < 0) return `${room} knows nothing of ${name}`
  if (own === MODULES.indexOf(name)) return 'a module does not go through its own door'
  return MODULES.indexOf(name) < own ? null : `${room} comes before ${name}: record an event instead`
}

/** Static, dynamic and type-only imports and re-exports, with their lines. */
function importsOf(source: string): { specifier: string; line: number }[] {
  const found = source.matchAll(/(?:\bfrom\s+|\bimport\s*\(\s*|^import\s+)['"]([^'"\n]+)['"]/gm)
  return [...found].map((match) => ({
    specifier: match[1]!,
    line: source.slice(0, match.index).split('\n').length
  }))
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const src = join(ROOT, 'src')
  const files = (await readdir(src, { recursive: true })).filter((file) => file.endsWith('.ts'))
  const breaches = (
    await Promise.all(
      files.map(async (file) => breachesOf(relative('.', file), await readFile(join(src, file), 'utf8')))
    )
  ).flat()
  for (const { file, line, import: specifier, reason } of breaches) {
    process.stderr.write(`${file}:${line} imports ${specifier}: ${reason}\n`)
  }
  process.exitCode = breaches.length > 0 ? 1 : 0
}
