// Builds the admin interface from web/admin into web/admin/dist: `node scripts/build-admin.ts`. Prints what a browser loads first, and
// fails when that is too much.
import { readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { brotliCompress, gzip } from 'node:zlib'
import { build, type Manifest } from 'vite'

const SOURCES = fileURLToPath(new URL('../web/admin', import.meta.url))

/** Where the service looks for it (http/admin-pages). */
const BUILT = join(SOURCES, 'dist')

/** What a page of the interface may load before it is complete, after gzip. Charts come on top, where a page has one. */
const MAX_FIRST_LOAD_GZIP_BYTES = 300 * 1024

const MANIFEST = 'manifest.json'
const ENTRY = 'index.html'

/** What a page loads first, in bytes after gzip, by the source of the page. */
export type FirstLoads = Record<string, number>

/**
 * Writes it to `folder`, which it replaces as a whole: a process that reads it meanwhile sees the files of one build. Beside each file are
 * its bytes in gzip and brotli, so that no request waits for their compression.
 */
export async function buildAdmin(folder = BUILT): Promise<FirstLoads> {
  const [made, replaced] = ['new', 'old'].map((what) => `${folder}-${what}-${process.pid}`) as [string, string]
  try {
    await build({
      root: SOURCES,
      base: '/admin/',
      configFile: false,
      logLevel: 'warn',
      build: {
        outDir: made,
        emptyOutDir: true,
        target: 'es2023',
        // These have light-dark(), of which Vite would otherwise make variables that only work beside color-scheme.
        cssTarget: ['chrome123', 'firefox120', 'safari17.5'],
        manifest: MANIFEST,
        // The policy of the pages loads files of the service only, and the browsers that we support preload modules themselves.
        assetsInlineLimit: 0,
        modulePreload: { polyfill: false },
        reportCompressedSize: false,
        // Our own limit is on what a page loads.
        chunkSizeWarningLimit: Number.POSITIVE_INFINITY,
        rolldownOptions: { onwarn: ignoreDirectives }
      }
    })
    const manifest = JSON.parse(await readFile(join(made, MANIFEST), 'utf8')) as Manifest
    await rm(join(made, MANIFEST))
    const gzipBytes = await compressAll(join(made, 'assets'))
    const loads = firstLoads(manifest, gzipBytes)
    refuseLargeLoads(loads)
    await rename(folder, replaced).catch(ifMissing)
    await rename(made, folder)
    return loads
  } finally {
    await Promise.all([made, replaced].map((one) => rm(one, { recursive: true, force: true })))
  }
}

type Warn = (warning: { code?: string; message: string }) => void

/** Libraries mark their files for server components; a bundle for browsers has none. */
function ignoreDirectives(warning: { code?: string; message: string }, warn: Warn): void {
  if (warning.code !== 'MODULE_LEVEL_DIRECTIVE') warn(warning)
}

/** Writes both encodings of every file, and returns how many bytes each has in gzip, by its path in the manifest. */
async function compressAll(folder: string): Promise<Map<string, number>> {
  const sizes = await Promise.all(
    (await readdir(folder)).map(async (name) => {
      const body = await readFile(join(folder, name))
      const [gzipped, brotli] = await Promise.all([
        promisify(gzip)(body, { level: 9 }),
        promisify(brotliCompress)(body)
      ])
      await Promise.all([writeFile(join(folder, `${name}.gz`), gzipped), writeFile(join(folder, `${name}.br`), brotli)])
      return [`assets/${name}`, gzipped.length] as const
    })
  )
  return new Map(sizes)
}

/** Each page loads the entry and its own chunk, each with what it imports, and their style sheets. */
function firstLoads(manifest: Manifest, gzipBytes: Map<string, number>): FirstLoads {
  const pages = manifest[ENTRY]?.dynamicImports ?? []
  const sizeOf = (files: Set<string>) => [...files].reduce((sum, file) => sum + gzipBytes.get(file)!, 0)
  return Object.fromEntries(
    [ENTRY, ...pages].map((page) => [page, sizeOf(new Set([ENTRY, page].flatMap((one) => filesOf(manifest, one))))])
  )
}

function filesOf(manifest: Manifest, name: string, seen = new Set<string>()): string[] {
  const chunk = manifest[name]
  if (!chunk || seen.has(name)) return []
  seen.add(name)
  const own = [chunk.file, ...(chunk.css ?? [])]
  return [...own, ...(chunk.imports ?? []).flatMap((one) => filesOf(manifest, one, seen))]
}

function refuseLargeLoads(loads: FirstLoads): void {
  for (const [page, bytes] of Object.entries(loads)) {
    if (bytes <= MAX_FIRST_LOAD_GZIP_BYTES) continue
    const [has, may] = [bytes, MAX_FIRST_LOAD_GZIP_BYTES].map((n) => `${(n / 1024).toFixed(0)} KiB`)
    throw new Error(`${page} loads ${has} after gzip before it is complete, ${may} at most: load what it needs later`)
  }
}

function ifMissing(err: NodeJS.ErrnoException): void {
  if (err.code !== 'ENOENT') throw err
}

/** Builds it when a source or a library is newer than what was built: it takes ten times as long as the files of storefronts. */
export async function buildAdminIfChanged(): Promise<void> {
  const builtAt = await changedAt(join(BUILT, ENTRY)).catch(() => 0)
  const sources = (await readdir(SOURCES, { recursive: true })).filter((name) => !/^dist/.test(name))
  const times = [LOCK_FILE, BUILDER, ...sources.map((name) => join(SOURCES, name))].map(changedAt)
  if (Math.max(...(await Promise.all(times))) > builtAt) await buildAdmin()
}

const LOCK_FILE = fileURLToPath(new URL('../package-lock.json', import.meta.url))
const BUILDER = fileURLToPath(import.meta.url)

const changedAt = async (path: string) => (await stat(path)).mtimeMs

if (process.argv[1] && basename(process.argv[1]) === 'build-admin.ts') {
  for (const [page, bytes] of Object.entries(await buildAdmin())) {
    process.stdout.write(`${(bytes / 1024).toFixed(1).padStart(7)} KiB ${page}\n`)
  }
}
