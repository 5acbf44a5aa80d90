import {
  ADMIN_INTERFACE,
  type Breach,
  importsOf,
  isSource,
  isTest,
  KIT_FOLDERS,
  listed,
  moduleOf,
  order,
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
  backup: ['backup', 'embedded-postgres', 'kit'],
  app: ['app', 'http', 'cli', 'demo', 'backup', 'sandbox', 'embedded-postgres', 'kit'],
  'program.ts': ['app', 'backup', 'cli'],
  'main.ts': ['app', 'program.ts']
}
const USES_EVERY_DOOR = new Set(['http', 'demo', 'backup', 'app', 'program.ts'])

/** Files that look up what they import, with the reason. */
const NOT_WRITTEN_OUT = new Map([
  ['src/embedded-postgres/runtime.ts', 'the package with the binaries is named for the platform that runs it']
])

/**
 * What pages of shops may import besides their own files: prices are the service's, types those that integrators install, and plans are read
 * as the discount function reads them, so that both say the same.
 */
const ALSO_IN_WEB = [
  'src/plans/pricing/index.ts',
  'sdk/src/storefront.ts',
  'sdk/src/storefront-answers.ts',
  'extensions/member-discounts/src/money.ts',
  'extensions/member-discounts/src/plan-settings.ts'
]

const ACCOUNT_EXTENSION = 'extensions/customer-account/'
/** What it may import besides its own files: what does not need a page, and what the service answers. */
const ALSO_IN_ACCOUNT = ['web/storefront/shared/', 'sdk/src/storefront-answers.ts']

/** The folders of `http` in their order. A surface (the five after `shared`) keeps its dialect to itself. */
const HTTP = [
  'rate-limits',
  'shared',
  'rest',
  'storefront',
  'sign-in',
  'admin',
  'inbound',
  'install',
  'openapi',
  'docs',
  'assets',
  'admin-pages',
  'server'
]
const SURFACES = new Set(['rest', 'storefront', 'sign-in', 'admin', 'inbound'])

/** Imports that go the wrong way, around a door, or into a part that the importer must not know. */
export function importBreaches(tree: Tree): Breach[] {
  return [...tree].flatMap(([file, source]): Breach[] => {
    const isScreen = file.startsWith(ACCOUNT_EXTENSION) && file.endsWith('.tsx')
    if (/\.([cm][jt]s|[jt]sx|js)$/.test(file) && !isScreen && !isSource(file))
      return [{ file, line: 0, reason: 'is no .ts file, which is what the rules read' }]
    if (!isSource(file) || isTest(file)) return []
    return importsOf(source).flatMap(({ specifier, line }) => {
      if (specifier === null) {
        return NOT_WRITTEN_OUT.has(file) ? [] : [{ file, line, reason: 'imports what is not written out' }]
      }
      const problem = problemOf(file, specifier, tree)
      return problem ? [{ file, line, reason: `imports ${specifier}: ${problem}` }] : []
    })
  })
}

function problemOf(file: string, specifier: string, tree: Tree): string | null {
  const target = targetOf(file, specifier)
  if (target === null) return problemOfPackage(file)
  if (target === specifier) return 'a file is named from where it is used, or by its door'
  if (isTest(target)) return 'this is for tests'
  const [from, to] = [partOf(file), partOf(target)]
  if (file.startsWith(ACCOUNT_EXTENSION)) return problemInAccount(target)
  // They run on the platform: portable.ts says what they import.
  if (from === 'extensions') return null
  if (file.startsWith(ADMIN_INTERFACE)) return problemInAdminInterface(file, target)
  if (from === 'web') return problemInWeb(target)
  if (specifier.startsWith('#') && specifier.split('/').includes('..')) return 'it is no door'
  if (specifier.startsWith('#') && !specifier.startsWith('#kit/')) return problemOfDoor(from, specifier)
  const inner = doorPassed(file, target)
  if (inner) return inner
  if (to === from) return from === 'http' ? problemInHttp(file, target) : null
  const entry = listed(file, target, tree)
  if (entry) return entry.problem
  if (moduleOf(target) !== null) return `a module is entered by its door, #${to}`
  if (from === 'resources') return 'resources imports nothing of ours'
  if (PARTS[from] ? PARTS[from].includes(to) : to === 'kit') return null
  return to in PARTS ? `${from} does not know ${to}` : 'the service imports nothing from outside src and sandbox'
}

/** What is wrong with an import within kit, within a module or of the sandbox that goes around a door. */
function doorPassed(file: string, target: string): string | null {
  const kitDoor = KIT_FOLDERS.find((door) => target.startsWith(`src/${door.slice(1)}/`))
  if (kitDoor) {
    const folder = `src/${kitDoor.slice(1)}/`
    return file.startsWith(folder) || target === `${folder}index.ts`
      ? null
      : `a folder of kit is entered by its door, ${kitDoor}`
  }
  if (target.startsWith('sandbox/') && !file.startsWith('sandbox/') && target !== 'sandbox/index.ts') {
    return partOf(file) === 'app' ? 'the sandbox is entered by its door, sandbox/index.ts' : null
  }
  const module = moduleOf(target)
  const isOwnDoor = module !== null && module === moduleOf(file) && target === `src/${module}/index.ts`
  return isOwnDoor ? 'a module does not use its own door' : null
}

function problemOfDoor(from: string, specifier: string): string | null {
  const second = secondDoorOf(specifier)
  if (second) return second.openTo.includes(from) ? null : `this door is open only to ${second.openTo.join(', ')}`
  const name = specifier.slice(1)
  const [own, theirs] = [order(from), order(name)]
  if (theirs < 0) return 'it is no door'
  if (USES_EVERY_DOOR.has(from)) return null
  if (own < 0) return `${from} does not know ${name}`
  if (own === theirs) return 'a module does not use its own door'
  return theirs < own ? null : `${from} comes before ${name}: record a fact instead`
}

function problemOfPackage(file: string): string | null {
  if (file.startsWith(ADMIN_INTERFACE)) return null
  if (partOf(file) === 'web') return 'pages of shops load no packages'
  // Its screens, `.tsx`, have the packages of the platform, which are not installed here.
  return file.startsWith(`${ACCOUNT_EXTENSION}src/`) && file.endsWith('.ts') ? 'its logic runs without packages' : null
}

function problemInAccount(target: string): string | null {
  if ([ACCOUNT_EXTENSION, ...ALSO_IN_ACCOUNT].some((open) => target.startsWith(open))) return null
  return `the extension of customer accounts imports only its own files, ${ALSO_IN_ACCOUNT.join(', ')}`
}

/** The parts of the admin interface, each with the parts that it may import. A feature is one folder of `features`. */
const ADMIN_PARTS: Record<string, readonly string[]> = {
  shared: ['shared'],
  features: ['shared'],
  app: ['app', 'features', 'shared']
}

function problemInAdminInterface(file: string, target: string): string | null {
  if (!target.startsWith(ADMIN_INTERFACE)) return 'the admin interface imports only its own files and packages'
  const [[from, fromFeature], [to, toFeature]] = [file, target].map((path) => path.split('/').slice(2)) as [
    [string, string],
    [string, string]
  ]
  if (!(from in ADMIN_PARTS)) return `the folders of web/admin are ${Object.keys(ADMIN_PARTS).join(', ')}`
  if (from === 'features' && to === 'features') {
    return fromFeature === toFeature ? null : 'features do not know each other: what two of them need is in shared'
  }
  return ADMIN_PARTS[from]!.includes(to) ? null : `web/admin/${from} does not know ${to}`
}

function problemInWeb(target: string): string | null {
  if (target.startsWith(ADMIN_INTERFACE)) return 'pages of shops know nothing of the admin interface'
  if (target.startsWith('web/') || ALSO_IN_WEB.includes(target)) return null
  return `pages of shops import only files of web, ${ALSO_IN_WEB.join(', ')}`
}

function problemInHttp(file: string, target: string): string | null {
  const [from, to] = [file, target].map((path) => path.split('/')[2]!) as [string, string]
  if (!HTTP.includes(from) || !HTTP.includes(to)) return `the folders of http are ${HTTP.join(', ')}`
  if (from === to) return null
  if (SURFACES.has(from) && SURFACES.has(to)) return `the surface ${from} does not know the surface ${to}`
  return HTTP.indexOf(to) < HTTP.indexOf(from) ? null : `http/${from} comes before http/${to}`
}
