import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ownerAt, type ProductStatement } from './statements.ts'

/** Files whose statements are no concern of the rules, with the reason. */
const LEFT_OUT = new Map([
  ['src/kit/postgres/migrate.ts', 'runs the migrations'],
  ['src/kit/postgres/roles.ts', 'makes the roles before them'],
  ['src/embedded-postgres/start.ts', 'makes the database'],
  [
    'src/kit/postgres/copy-stream.ts',
    'copies a whole database out and in for its owner, and pages of rows by statements that are checked as they are made'
  ],
  ['src/backup/restore-backup.ts', 'fills an empty database, for its owner']
])

/**
 * The statements that ran in a run of tests (`test/collect-statements.ts` wrote them into this directory) and are not among the
 * known ones, each text once. A parameter is given by its value, so that a statement that names two stores is found.
 */
export async function collectedStatements(
  root: string,
  directory: string,
  known: readonly { text: string }[]
): Promise<ProductStatement[]> {
  const texts = new Set(known.map(({ text }) => collapsed(text)))
  const found: ProductStatement[] = []
  for (const name of await readdir(directory)) {
    const lines = (await readFile(join(directory, name), 'utf8')).split('\n').filter(Boolean)
    for (const one of lines) {
      const { file, line, text, parameters } = JSON.parse(one) as Ran
      if (LEFT_OUT.has(file) || texts.has(collapsed(text))) continue
      texts.add(collapsed(text))
      const owner = file ? await ownerOf(root, file, line) : ''
      const stores = parameters.map((value) => `the store ${value}`)
      found.push({ file, line, begins: 0, owner, text, parameters: stores, isAcross: false })
    }
  }
  return found
}

type Ran = { file: string; line: number; text: string; parameters: string[] }

async function ownerOf(root: string, file: string, line: number): Promise<string> {
  const source = await readFile(join(root, file), 'utf8')
  return ownerAt(source, source.split('\n').slice(0, line).join('\n').length)
}

const collapsed = (text: string) => text.replaceAll(/\s+/g, ' ').trim()
