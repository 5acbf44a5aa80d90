import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { lineAt, type Token, tokensOf } from '../source-tokens.ts'

/** One statement of the product: where it is written, and its text with `$1, $2, …` for its parameters. */
export type ProductStatement = {
  file: string
  line: number
  /** The line of its first word, counted from `line` on. */
  begins: number
  /** The function or constant that holds it. */
  owner: string
  text: string
  /** What a parameter is given, by its number; for a text that names its parameters itself, nothing. */
  parameters: string[]
  /** Declared by `acrossStores` or `dueQuery`: a plain read over many stores. */
  isAcross: boolean
  /** Declared as a `LeaseRelease`: releases what dead nodes have leased, in all stores. */
  isRelease?: boolean
  /** It begins as a statement, but nothing says that it is one: where it does not parse it is prose, or a part of a text. */
  isProse?: boolean
}

/** What declares a read over many stores. */
const ACROSS = new Set(['acrossStores', 'dueQuery'])
/** How a text that may be a statement begins, comments before it left out. */
const VERB =
  /^(?:\s|--[^\n]*\n|\/\*[\s\S]*?\*\/|\()*(select|with|insert|update|delete|merge|truncate|copy|lock|do|table|values|set|create|alter|drop|call|declare|explain|grant)\b/i

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

/**
 * The texts in one source that are statements: whatever is tagged `sql`, and every other string or template that begins as a
 * statement, however it reaches the database. `others` says how else a text may begin that is wanted.
 */
export function statementsIn(file: string, source: string, others?: RegExp): ProductStatement[] {
  const tokens = tokensOf(source)
  return tokens.flatMap((token, i) => {
    if (token.kind !== 'string' && token.kind !== 'template') return []
    const isTagged = token.kind === 'template' && tokens[i - 1]?.text === 'sql'
    // Without the tag a hole is no parameter but a part of the text, and gets a number that no parameter has.
    const first = isTagged ? 0 : 1_000
    const raw =
      token.kind === 'string' ? token.value : token.parts.reduce((all, part, n) => `${all}$${first + n}${part}`)
    const text = raw.trim()
    if (!isTagged && !VERB.test(text) && !others?.test(text)) return []
    const parameters = isTagged ? token.holes.map((hole) => hole.text.trim()) : []
    return [
      {
        file,
        line: lineAt(source, token.index),
        begins: lineAt(raw, raw.length - raw.trimStart().length) - 1,
        owner: ownerAt(source, token.index),
        text,
        parameters,
        isAcross: isAcross(tokens, i),
        isRelease: isTagged && isRelease(tokens, i),
        isProse: !isTagged
      }
    ]
  })
}

/** Whether the token is the text of `acrossStores<…>('name', text)`. */
function isAcross(tokens: Token[], at: number): boolean {
  const [open, name, comma] = tokens.slice(Math.max(0, at - 3), at)
  if (open?.text !== '(' || name?.kind !== 'string' || comma?.text !== ',') return false
  let called = at - 4
  if (tokens[called]?.text === '>') called = tokens.findLastIndex(({ text }, i) => i < called && text === '<') - 1
  return ACROSS.has(tokens[called]?.text ?? '')
}

/** Whether the token is the text of `const release…: LeaseRelease = (owners) => sql`. */
function isRelease(tokens: Token[], at: number): boolean {
  const type = tokens.findLastIndex(({ text }, i) => i < at && text === 'LeaseRelease')
  return type >= 0 && /^: LeaseRelease = \( \w+ \) = ?> sql$/.test(textOf(tokens.slice(type - 1, at)))
}

const textOf = (tokens: Token[]) => tokens.map(({ text }) => text).join(' ')

/** The top-level function or constant that a place in a file belongs to. */
export function ownerAt(source: string, index: number): string {
  const names = [...source.slice(0, index).matchAll(/^(?:export )?(?:async )?(?:function\*? |const )(\w+)/gm)]
  return names.at(-1)?.[1] ?? ''
}
