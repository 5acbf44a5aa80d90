// Builds the files that shops load, from web/storefront into web/storefront/dist: `node scripts/build-storefront.ts`.
import { cp, mkdir, rename, rm } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { build, type Plugin } from 'rolldown'
import { minifySync } from 'rolldown/utils'

const SOURCES = fileURLToPath(new URL('../web/storefront', import.meta.url))

/** Where the service looks for them (http/assets). */
const BUILT = join(SOURCES, 'dist')
/** Where the platform's command line looks for them, when the blocks for themes are deployed. */
const THEME_ASSETS = fileURLToPath(new URL('../extensions/membership-blocks/assets', import.meta.url))

/**
 * The files that a page names, by their name without `.js`: the source that each begins with, and how many bytes it may have after gzip.
 * Languages are files of their own, which are loaded when a page is in one.
 */
export const STOREFRONT_FILES: Record<string, { source: string; maxGzipBytes: number }> = {
  'perennial-cancel': { source: 'cancel/index.ts', maxGzipBytes: 6 * 1024 },
  'perennial-account': { source: 'account/index.ts', maxGzipBytes: 8 * 1024 },
  'perennial-cart': { source: 'cart/index.ts', maxGzipBytes: 12 * 1024 }
}

/**
 * Writes them to `folder`, which it replaces as a whole: a process that reads it meanwhile sees the files of one build. What a page
 * does not name has a hash of its content in its name.
 */
export async function buildStorefront(folder: string): Promise<void> {
  const [made, replaced] = ['new', 'old'].map((what) => `${folder}-${what}-${process.pid}`) as [string, string]
  await mkdir(made, { recursive: true })
  try {
    for (const [name, { source }] of Object.entries(STOREFRONT_FILES)) {
      await build({
        input: { [name]: join(SOURCES, source) },
        platform: 'browser',
        plugins: [styleSheets, shortNames],
        transform: { target: 'es2022' },
        output: {
          dir: made,
          format: 'esm',
          minify: true,
          comments: { annotation: false },
          hashCharacters: 'hex',
          entryFileNames: '[name].js',
          chunkFileNames: `${name}.[name]-[hash].js`
        },
        logLevel: 'warn'
      })
    }
    await rename(folder, replaced).catch(ifMissing)
    await rename(made, folder)
  } finally {
    await Promise.all([made, replaced].map((one) => rm(one, { recursive: true, force: true })))
  }
}

/** A style sheet is imported as its text, without what only people read. */
const styleSheets: Plugin = {
  name: 'style-sheets',
  transform: {
    filter: { id: /\.css$/ },
    handler: (css) => ({ code: `export default ${JSON.stringify(minified(css))}`, moduleType: 'js' })
  }
}

/**
 * Fields that only our own code has, most of them of src/plans/pricing: pages, themes and answers have amounts as hundredths or decimals,
 * and write the other names with underscores.
 */
const OWN_FIELDS =
  /Minor$|^(activeTiers|appliesTo|collectionIds|eligiblePieces|freeShipping|heldMembership|lineId|methodName|priceBase|productIds|stackWithSubscriptions|welcomeOffer)$/

const shortNames: Plugin = {
  name: 'short-names',
  renderChunk: (code, { fileName }) => ({
    code: minifySync(fileName, code, { mangle: false, mangleProps: { include: OWN_FIELDS } }).code
  })
}

const minified = (css: string) =>
  css
    .replace(/\/\*.*?\*\//gs, '')
    .replace(/\s+/g, ' ')
    .replace(/\s*([{};,>])\s*/g, '$1')
    .replace(/: /g, ':')
    .replace(/="([a-z-]+)"\]/g, '=$1]')
    .replace(/\b0\./g, '.')
    .replaceAll(' !', '!')
    .replaceAll(';}', '}')
    .trim()

function ifMissing(err: NodeJS.ErrnoException): void {
  if (err.code !== 'ENOENT') throw err
}

/** Builds them for the service and for the blocks of themes. */
export async function buildAll(): Promise<void> {
  await buildStorefront(BUILT)
  await rm(THEME_ASSETS, { recursive: true, force: true })
  await cp(BUILT, THEME_ASSETS, { recursive: true })
}

if (process.argv[1] && basename(process.argv[1]) === 'build-storefront.ts') await buildAll()
