import { readdir, readFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { lineAt, type Token, tokensOf } from '../source-tokens.ts'

/** The modules in their order: a module may import the door of any module before it. ARCHITECTURE.md gives the reasons. */
export const MODULES = [
  'resources',
  'stores',
  'team',
  'requests',
  'platform',
  'storefront-settings',
  'plans',
  'members',
  'orders',
  'credits',
  'points',
  'subscriptions',
  'billing',
  'lifecycle',
  'contracts',
  'churn',
  'imports',
  'loyalty',
  'wallet',
  'mirror',
  'order-effects',
  'spending',
  'identification',
  'analytics',
  'sync',
  'views',
  'exports',
  'webhooks',
  'privacy',
  'audit'
] as const

/** A second door of a module, and the only parts that may use it. */
export const SECOND_DOORS: Record<string, { file: string; openTo: readonly string[] }> = {
  '#subscriptions/transitions': {
    file: 'src/subscriptions/transitions/index.ts',
    openTo: ['billing', 'lifecycle', 'contracts']
  },
  '#subscriptions/for-billing': { file: 'src/subscriptions/transitions/for-billing.ts', openTo: ['billing'] },
  // The one file of rules that the sandbox runs as the service does: a platform runs it as a discount function.
  '#plans/pricing': { file: 'src/plans/pricing/index.ts', openTo: ['mirror', 'http', 'sandbox'] },
  '#billing/apply-plans': { file: 'src/billing/settling/apply-plans.ts', openTo: ['lifecycle', 'contracts'] }
}

/** Parts of kit that are folders with a door, as `imports` of package.json names them. */
export const KIT_FOLDERS = [
  '#kit/csv',
  '#kit/engines',
  '#kit/jobs',
  '#kit/outbox',
  '#kit/personal-data',
  '#kit/postgres'
]

/**
 * Files of a module that declare its entries of a registry (`#billing/settings`), and who lists them. They are entered
 * past the module's door, so that a new entry is one line in the list, and the command line loads settings without the
 * rest of the module.
 */
const REGISTRIES: Record<string, readonly string[]> = {
  settings: ['app'],
  metrics: ['app'],
  'audit-rules': ['audit'],
  'personal-data': ['privacy']
}

/**
 * Lists that export what they list from its file, past the doors, so that an entry is one line in the list: which files of a
 * module each may name, by their paths or by what they declare.
 */
const LISTS_OF_FILES: Record<string, { files: RegExp; declares?: RegExp; what: string }> = {
  'src/webhooks/event-list.ts': {
    files: /^events\/[a-z-]+\.ts$/,
    declares: /\bdefinePublicFact\b/,
    what: 'fact with a webhook'
  },
  'src/app/engine-list.ts': { files: /^([a-z-]+\/)?[a-z-]+-engines?\.ts$/, what: 'engine' },
  'src/app/job-list.ts': { files: /\.ts$/, declares: /\bexport const \w+ = defineJob\(/, what: 'job' }
}

/**
 * Null when a file is none of those lists, or the target none of the files that it may name; a list of a module names those of
 * modules before it. Else what is wrong with the target, or that nothing is.
 */
export function listed(file: string, target: string, tree: Tree): { problem: string | null } | null {
  const [own, module, list] = [moduleOf(file), moduleOf(target), LISTS_OF_FILES[file]]
  if (!list || module === null || (own !== null && order(module) >= order(own))) return null
  if (!list.files.test(target.slice(`src/${module}/`.length))) return null
  const declares = list.declares?.test(tree.get(target) ?? '') ?? true
  return { problem: declares ? null : `it declares no ${list.what}` }
}

/** The place of a module in their order; -1 for what is no module. */
export const order = (name: string | null): number => (MODULES as readonly (string | null)[]).indexOf(name)

/** The second door that a specifier names, or null. */
export function secondDoorOf(specifier: string): { file: string; openTo: readonly string[] } | null {
  const [module, name] = specifier.slice(1).split('/')
  const isRegistry =
    specifier.startsWith('#') && (MODULES as readonly string[]).includes(module!) && name! in REGISTRIES
  if (isRegistry) return { file: `src/${module}/${name}.ts`, openTo: REGISTRIES[name!]! }
  return SECOND_DOORS[specifier] ?? null
}

/** Something that a rule forbids. `line` is 0 where the whole file is meant. */
export type Breach = { file: string; line: number; reason: string }

/** The text of every source file, by its path from the root of the repository. */
export type Tree = ReadonlyMap<string, string>

const FOLDERS = ['src', 'sandbox', 'extensions', 'web', 'migrations']
/** What is made of sources. */
const BUILT = /^(web\/(storefront|admin)\/dist|extensions\/membership-blocks\/assets)/

/** Reads what the rules look at: TypeScript of the service, the sandbox, the extensions, the pages of shops and the admin interface, and the SQL of the migrations. */
export async function readTree(root: string): Promise<Tree> {
  const listed = await Promise.all(
    FOLDERS.map(async (folder) => (await readdir(join(root, folder), { recursive: true })).map((f) => join(folder, f)))
  )
  const paths = listed.flat().filter((path) => /\.([cm]?[jt]sx?|sql)$/.test(path) && !BUILT.test(path))
  const texts = await Promise.all(paths.map((path) => readFile(join(root, path), 'utf8')))
  return new Map(paths.map((path, i) => [path, texts[i]!]))
}

/** The module that a file belongs to, or null for the other parts (`kit`, `http`, `app`, …). */
export function moduleOf(path: string): string | null {
  const [top, name] = path.split('/')
  return top === 'src' && (MODULES as readonly string[]).includes(name!) ? name! : null
}

/**
 * The part of the tree that a file belongs to: a module, `kit`, `http`, `cli`, `app`, `embedded-postgres`, `sandbox` or
 * `main.ts`.
 */
export function partOf(path: string): string {
  const [top, name] = path.split('/')
  return top === 'src' ? name! : top!
}

/** What the rules read: TypeScript, and the components of the admin interface. */
export const isSource = (path: string): boolean =>
  path.endsWith('.ts') || (path.startsWith(ADMIN_INTERFACE) && path.endsWith('.tsx'))

export const ADMIN_INTERFACE = 'web/admin/'

/** Tests and their helpers may import whatever they need. */
export const isTest = (path: string): boolean => /\.test(-helper)?\.ts$/.test(path)

/**
 * Whatever names another file in a source: static, dynamic and type-only imports, re-exports, `import.meta.resolve`, and a URL of
 * a source. The specifier is null where it is not written out, so that nobody can say what is imported.
 */
export function importsOf(source: string): { specifier: string | null; line: number }[] {
  const tokens = tokensOf(source)
  return tokens.flatMap((token, i) => {
    const specifier = token.kind === 'word' ? specifierAt(tokens, i) : undefined
    return specifier === undefined ? [] : [{ specifier, line: lineAt(source, token.index) }]
  })
}

/** What the word at this place imports: null when that is not written out, undefined when it imports nothing. */
function specifierAt(tokens: Token[], at: number): string | null | undefined {
  const [before, token, next, after] = [-1, 0, 1, 2].map((step) => tokens[at + step])
  const isMember = before?.text === '.'
  if (token!.text === 'from' && !isMember) return next?.kind === 'string' ? next.value : undefined
  if (token!.text === 'import' && !isMember) {
    if (next?.kind === 'string') return next.value
    if (next?.text === '(') return writtenOut(after, tokens[at + 3])
  }
  const isCall = next?.text === '('
  if (isCall && (token!.text === 'createRequire' || (token!.text === 'require' && !isMember))) return null
  if (isCall && isMember && token!.text === 'resolve' && tokens[at - 2]?.text === 'meta') {
    return writtenOut(after, tokens[at + 3])
  }
  if (isCall && token!.text === 'URL' && after?.kind === 'string' && /^\..*\.[cm]?[jt]s$/.test(after.value))
    return after.value
  return undefined
}

function writtenOut(token: Token | undefined, next: Token | undefined): string | null {
  const isLiteral = token && (token.kind === 'string' || (token.kind === 'template' && token.holes.length === 0))
  return isLiteral && (next?.text === ')' || next?.text === ',') ? token.value : null
}

/** The file that a specifier names, or null for a package or a builtin of Node. */
export function targetOf(path: string, specifier: string): string | null {
  if (specifier.startsWith('.')) return join(dirname(path), specifier)
  if (specifier.startsWith('/') || specifier.startsWith('file:')) return specifier
  if (KIT_FOLDERS.includes(specifier)) return `src/${specifier.slice(1)}/index.ts`
  if (specifier.startsWith('#kit/')) return `src/kit/${specifier.slice('#kit/'.length)}.ts`
  const second = secondDoorOf(specifier)
  if (second) return second.file
  return specifier.startsWith('#') ? `src/${specifier.slice(1)}/index.ts` : null
}
