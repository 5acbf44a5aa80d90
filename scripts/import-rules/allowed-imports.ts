import {
  type Breach,
  importsOf,
  isListed,
  isTest,
  MODULES,
  moduleOf,
  partOf,
  secondDoorOf,
  type Tree,
  targetOf
} from './tree.ts'

/** The parts that are no modules, and the parts that each may import by path. Doors come on top of this. */
const PARTS: Record<string, readonly string[]> = {
  kit: ['kit'],
  'embedded-postgres': ['embedded-postgres'],
  sandbox: ['sandbox', 'kit'],
  cli: ['cli', 'kit'],
  http: ['http', 'kit'],
  demo: ['demo', 'kit'],
  app: ['app', 'http', 'cli', 'demo', 'sandbox', 'embedded-postgres', 'kit'],
  'main.ts': ['app', 'cli']
}
const USES_EVERY_DOOR = new Set(['http', 'demo', 'app'])

/** The folders of `http` in their order. A surface (the first after `shared`) keeps its dialect to itself. */
const HTTP = ['shared', 'rest', 'storefront', 'admin', 'inbound', 'openapi', 'docs', 'server']
const SURFACES = new Set(['rest', 'storefront', 'admin', 'inbound'])

/** Imports that go the wrong way, around a door, or into a part that the importer must not know. */
export function importBreaches(tree: Tree): Breach[] {
  return [...tree].flatMap(([file, source]) => {
    if (!file.endsWith('.ts') || isTest(file)) return []
    return importsOf(source).flatMap(({ specifier, line }) => {
      const problem = problemOf(file, specifier)
      return problem ? [{ file, line, reason: `imports ${specifier}: ${problem}` }] : []
    })
  })
}

function problemOf(file: string, specifier: string): string | null {
  const target = targetOf(file, specifier)
  if (target === null) return null
  const [from, to] = [partOf(file), partOf(target)]
  if (specifier.startsWith('#') && !specifier.startsWith('#kit/')) return problemOfDoor(from, specifier)
  if (to === from) return from === 'http' ? problemInHttp(file, target) : null
  if (isListed(file, target)) return null
  if (moduleOf(target) !== null) return `a module is entered by its door, #${to}`
  if (from === 'resources') return 'resources imports nothing of ours'
  if (PARTS[from] ? PARTS[from].includes(to) : to === 'kit') return null
  return to in PARTS ? `${from} does not know ${to}` : 'the service imports nothing from outside src and sandbox'
}

function problemOfDoor(from: string, specifier: string): string | null {
  const second = secondDoorOf(specifier)
  if (second) return second.openTo.includes(from) ? null : `this door is open only to ${second.openTo.join(', ')}`
  const name = specifier.slice(1)
  const [own, theirs] = [from, name].map((part) => (MODULES as readonly string[]).indexOf(part)) as [number, number]
  if (theirs < 0) return 'it is no door'
  if (USES_EVERY_DOOR.has(from)) return null
  if (own < 0) return `${from} does not know ${name}`
  if (own === theirs) return 'a module does not use its own door'
  return theirs < own ? null : `${from} comes before ${name}: record a fact instead`
}

function problemInHttp(file: string, target: string): string | null {
  const [from, to] = [file, target].map((path) => path.split('/')[2]!) as [string, string]
  if (!HTTP.includes(from) || !HTTP.includes(to)) return `the folders of http are ${HTTP.join(', ')}`
  if (from === to) return null
  if (SURFACES.has(from) && SURFACES.has(to)) return `the surface ${from} does not know the surface ${to}`
  return HTTP.indexOf(to) < HTTP.indexOf(from) ? null : `http/${from} comes before http/${to}`
}
