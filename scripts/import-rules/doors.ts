import { lineAt, type Token, tokensOf } from '../source-tokens.ts'
import { type Breach, isTest, KIT_FOLDERS, MODULES, SECOND_DOORS, type Tree } from './tree.ts'

const DOORS = [
  ...KIT_FOLDERS.map((name) => `src/${name.slice(1)}/index.ts`),
  ...MODULES.map((name) => `src/${name}/index.ts`),
  ...Object.values(SECOND_DOORS).map(({ file }) => file)
]

/** What comes between `export` and the name of what is declared. */
const DECLARES = new Set([
  'abstract',
  'async',
  'class',
  'const',
  'declare',
  'enum',
  'function',
  'interface',
  'let',
  'namespace',
  'type',
  'var',
  '*'
])

/** A file beside the folders of kit, which is a door of its own: `#kit/ids`. */
const isDoorOfKit = (file: string) => /^src\/kit\/[^/]+\.ts$/.test(file) && !isTest(file)

/** A name that two doors export, and a door that exports everything of a file. */
export function doorBreaches(tree: Tree): Breach[] {
  const first = new Map<string, string>()
  return [...[...tree.keys()].filter(isDoorOfKit).sort(), ...DOORS].flatMap((file) => {
    const source = tree.get(file)
    if (source === undefined) return []
    return exportsOf(source).flatMap(({ name, line }): Breach[] => {
      if (name === '*') return [{ file, line, reason: 'a door names what it exports' }]
      const other = first.get(name) ?? file
      first.set(name, other)
      return other === file ? [] : [{ file, line, reason: `exports ${name}, as ${other} does` }]
    })
  })
}

/** The names that a door exports; `*` for all of a file, also where it is imported as one name. */
export function exportsOf(source: string): { name: string; line: number }[] {
  const tokens = tokensOf(source)
  return tokens.flatMap((token, i) => {
    const at = (names: string[]) => names.map((name) => ({ name, line: lineAt(source, token.index) }))
    if (token.kind !== 'word' || tokens[i - 1]?.text === '.') return []
    if (token.text === 'import') return tokens[i + 1]?.text === '*' || tokens[i + 2]?.text === '*' ? at(['*']) : []
    if (token.text !== 'export') return []
    const isType = tokens[i + 1]?.text === 'type'
    const start = isType ? i + 2 : i + 1
    if (tokens[start]?.text === '*') return at(['*'])
    return at(tokens[start]?.text === '{' ? namesInBraces(tokens, start) : [declaredName(tokens, i + 1)])
  })
}

/** The last word of each item: `a`, `type A`, `a as b`. */
function namesInBraces(tokens: Token[], open: number): string[] {
  const close = tokens.findIndex(({ text }, i) => i > open && text === '}')
  return tokens.slice(open + 1, close).flatMap(({ kind, text }, i, inside) => {
    const isLast = inside[i + 1] === undefined || inside[i + 1]!.text === ','
    return kind === 'word' && isLast ? [text] : []
  })
}

function declaredName(tokens: Token[], start: number): string {
  return tokens.slice(start).find(({ text }) => !DECLARES.has(text))?.text ?? ''
}
