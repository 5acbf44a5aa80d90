import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

/** Where `npm ci` has put it. */
const BUILT = fileURLToPath(new URL('../../../web/admin/dist', import.meta.url))

/** The encodings that the build has made of each file, the smaller first. */
const ENCODINGS = [
  { encoding: 'br', ending: '.br' },
  { encoding: 'gzip', ending: '.gz' }
] as const

const TYPES: Record<string, string> = {
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2'
}

export type InterfaceFile = {
  type: string
  etag: string
  body: Buffer
  encoded: { encoding: 'br' | 'gzip'; body: Buffer }[]
}

export type BuiltInterface = {
  /** The page, in which each response puts its own nonce. */
  page: string
  /** Its scripts and style sheets, by names that have a hash of their content. */
  files: ReadonlyMap<string, InterfaceFile>
}

/** The built admin interface, held in memory: it is small, and no request waits for a disk. Null when it is not built. */
export async function readBuiltInterface(folder = BUILT): Promise<BuiltInterface | null> {
  const page = await readFile(join(folder, 'index.html'), 'utf8').catch(nullIfMissing)
  if (page === null) return null
  const assets = join(folder, 'assets')
  const names = (await readdir(assets)).filter((name) => extname(name) in TYPES)
  const files = await Promise.all(names.map(async (name) => [name, await readInterfaceFile(assets, name)] as const))
  return { page, files: new Map(files) }
}

async function readInterfaceFile(folder: string, name: string): Promise<InterfaceFile> {
  const body = await readFile(join(folder, name))
  const encoded = await Promise.all(
    ENCODINGS.map(async ({ encoding, ending }) => ({ encoding, body: await readFile(join(folder, name + ending)) }))
  )
  const etag = `"${createHash('sha256').update(body).digest('hex').slice(0, 32)}"`
  return { type: TYPES[extname(name)]!, etag, body, encoded }
}

function nullIfMissing(err: NodeJS.ErrnoException): null {
  if (err.code === 'ENOENT') return null
  throw err
}
