import { existsSync } from 'node:fs'
import { glob, readFile } from 'node:fs/promises'
import { basename, dirname, join } from 'node:path'

const ROOT = join(import.meta.dirname, '..')

/** A file or folder in backticks, such as `kit/money.ts`, and the target of a link. */
const NAMED = /`((?:[\w.-]+\/)*[\w.-]+\.(?:ts|sql|md|patch))`|\]\(([^)#:]+)(?:#[^)]*)?\)/g

/**
 * What ARCHITECTURE.md and the READMEs of folders name and is not there, as `file: name`. A path begins at the root, at `src/`, or
 * at the README's own folder; a name without a folder may be anywhere in the sources.
 */
export async function missingPaths(): Promise<string[]> {
  const pages = [
    'ARCHITECTURE.md',
    ...(await Array.fromAsync(glob('{src,test,trials,sandbox,migrations,web}/**/README.md', { cwd: ROOT })))
  ]
  const sources = await Array.fromAsync(glob('{src,sandbox,scripts,migrations,test,trials,web}/**/*', { cwd: ROOT }))
  const names = new Set(sources.map((file) => basename(file)))
  const missing: string[] = []
  for (const page of pages) {
    const folder = dirname(page)
    for (const [, path, link] of (await readFile(join(ROOT, page), 'utf8')).matchAll(NAMED)) {
      const name = path ?? link!
      const roots = path ? [ROOT, join(ROOT, 'src'), join(ROOT, folder)] : [join(ROOT, folder)]
      const isThere = roots.some((root) => existsSync(join(root, name))) || (!name.includes('/') && names.has(name))
      if (!isThere) missing.push(`${page}: ${name}`)
    }
  }
  return missing
}
