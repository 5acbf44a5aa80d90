import { createHash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'

/** Where `npm ci` has put them. */
const BUILT_FILES = fileURLToPath(new URL('../../../web/storefront/dist', import.meta.url))

export type BuiltFile = { body: Buffer; gzipped: Buffer; etag: string }

export type BuiltFiles = {
  /** How many names a page may name. */
  size: number
  /** The file of a name with a hash, or the name to ask for instead of one without a hash or with an older one. */
  find(name: string): BuiltFile | string | null
}

/** The name of a file, with the hash of its content or without. */
const NAME = /^(.+?)(-[0-9a-f]{8})?\.js$/

/** The files that were built for storefronts, held in memory: they are small, and no request waits for a disk. */
export async function readBuiltFiles(folder = BUILT_FILES): Promise<BuiltFiles> {
  const names = await readdir(folder).catch(noneIfMissing)
  const files = new Map<string, BuiltFile>()
  const current = new Map<string, string>()
  for (const name of names) {
    const [, stem, ending] = NAME.exec(name) ?? []
    if (stem === undefined) continue
    const body = await readFile(join(folder, name))
    const hash = createHash('sha256').update(body).digest('hex')
    const hashed = ending ? name : `${stem}-${hash.slice(0, 8)}.js`
    files.set(hashed, { body, gzipped: await promisify(gzip)(body, { level: 9 }), etag: `"${hash.slice(0, 32)}"` })
    current.set(stem, hashed)
  }
  return {
    size: files.size,
    find: (name) => files.get(name) ?? current.get(NAME.exec(name)?.[1] ?? '') ?? null
  }
}

function noneIfMissing(err: NodeJS.ErrnoException): string[] {
  if (err.code === 'ENOENT') return []
  throw err
}
