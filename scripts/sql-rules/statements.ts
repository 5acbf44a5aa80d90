import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'

/** One statement of the product: where it is written, and its text with `$1, $2, …` for its parameters. */
export type ProductStatement = { file: string; line: number; owner: string; text: string }

const SQL_TAG = /(?<![.\w])sql`/g
const DIRECT = /\bdirectSql(?:<[^>]*>)?\(\s*'[^']*',\s*`/g

/** Every statement written in the files of a folder, tests left out. Texts that are built at run time are not among them. */
export async function listStatements(root: string, folder: string): Promise<ProductStatement[]> {
  const files = (await readdir(join(root, folder), { recursive: true })).filter(
    (file) => file.endsWith('.ts') && !/\.test(-helper)?\.ts$/.test(file)
  )
  const found = await Promise.all(
    files.map(async (file) => statementsIn(join(folder, file), await readFile(join(root, folder, file), 'utf8')))
  )
  return found.flat()
}

/** The statements in one source text. */
export function statementsIn(file: string, source: string): ProductStatement[] {
  return [SQL_TAG, DIRECT].flatMap((opening) =>
    [...source.matchAll(opening)].map((match) => {
      const start = match.index + match[0].length
      return {
        file,
        line: source.slice(0, match.index).split('\n').length,
        owner: ownerAt(source, match.index),
        text: templateAt(source, start).trim()
      }
    })
  )
}

/** The text of the template that begins at `start`, its n-th `${…}` as `$n`. */
function templateAt(source: string, start: number): string {
  let text = ''
  let parameters = 0
  for (let i = start; i < source.length; i++) {
    if (source[i] === '`') return text
    if (source[i] === '\\') {
      text += source[++i]
    } else if (source.startsWith('${', i)) {
      i = endOfHole(source, i + 2)
      text += `$${++parameters}`
    } else {
      text += source[i]
    }
  }
  throw new Error(`A template that begins at character ${start} does not end`)
}

/** The index of the brace that closes a `${` whose content begins at `start`. */
function endOfHole(source: string, start: number): number {
  let depth = 1
  for (let i = start; i < source.length; i++) {
    if (source[i] === '{') depth++
    else if (source[i] === '}' && --depth === 0) return i
    else if (source[i] === '`') {
      while (source[++i] !== '`') if (source[i] === '\\') i++
    } else if (source[i] === "'" || source[i] === '"') {
      const quote = source[i]
      while (source[++i] !== quote) if (source[i] === '\\') i++
    }
  }
  throw new Error('A parameter of a template does not end')
}

/** The top-level function or constant that a place in a file belongs to. */
function ownerAt(source: string, index: number): string {
  const names = [...source.slice(0, index).matchAll(/^(?:export )?(?:async )?(?:function\*? |const )(\w+)/gm)]
  return names.at(-1)?.[1] ?? ''
}
