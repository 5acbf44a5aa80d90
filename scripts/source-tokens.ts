// Reads our sources with TypeScript's own scanner, which knows comments, strings and templates; no pattern does.
import { SyntaxKind } from 'typescript/unstable/ast'
import { createScanner } from 'typescript/unstable/ast/scanner'

/**
 * A token of a source, comments left out. A template is one token: `parts` are its texts, `holes` the source of what is
 * between them. `value` is what a string, or a template without holes, says.
 */
export type Token = {
  kind: 'word' | 'string' | 'template' | 'other'
  text: string
  value: string
  index: number
  parts: string[]
  holes: { text: string; index: number }[]
}

/** After these a slash divides; after anything else it begins a regular expression. */
const ENDS_A_VALUE = new Set([
  SyntaxKind.Identifier,
  SyntaxKind.CloseParenToken,
  SyntaxKind.CloseBracketToken,
  SyntaxKind.CloseBraceToken,
  SyntaxKind.NumericLiteral,
  SyntaxKind.StringLiteral,
  SyntaxKind.NoSubstitutionTemplateLiteral,
  SyntaxKind.TemplateTail,
  SyntaxKind.ThisKeyword
])

const cache = new Map<string, Token[]>()

/** The tokens of a source, those inside the holes of templates after their template. */
export function tokensOf(source: string): Token[] {
  const known = cache.get(source)
  if (known) return known
  const tokens = scan(source)
  cache.set(source, tokens)
  return tokens
}

function scan(source: string): Token[] {
  const scanner = createScanner(true, undefined, source)
  const tokens: Token[] = []
  /** Templates whose hole is being read: how many braces are open in it. */
  const open: { token: Token; depth: number }[] = []
  let before = SyntaxKind.Unknown
  for (let kind = scanner.scan(); kind !== SyntaxKind.EndOfFile; kind = scanner.scan()) {
    const hole = open.at(-1)
    if ((kind === SyntaxKind.SlashToken || kind === SyntaxKind.SlashEqualsToken) && !ENDS_A_VALUE.has(before)) {
      kind = scanner.reScanSlashToken()
    } else if (kind === SyntaxKind.OpenBraceToken && hole) {
      hole.depth++
    } else if (kind === SyntaxKind.CloseBraceToken && hole && hole.depth-- === 0) {
      kind = scanner.reScanTemplateToken(false)
      const last = hole.token.holes.at(-1)!
      last.text = source.slice(last.index, scanner.getTokenStart())
      hole.token.parts.push(scanner.getTokenValue())
      if (kind === SyntaxKind.TemplateTail) open.pop()
      else nextHole(hole)
      before = kind === SyntaxKind.TemplateTail ? kind : SyntaxKind.Unknown
      continue
    }
    before = kind
    const [text, index] = [scanner.getTokenText(), scanner.getTokenStart()]
    const what = kindOf(kind, text)
    const value = what === 'string' || what === 'template' ? scanner.getTokenValue() : ''
    const token: Token = { kind: what, text, value, index, parts: [], holes: [] }
    tokens.push(token)
    if (token.kind === 'template') token.parts.push(token.value)
    if (kind === SyntaxKind.TemplateHead) {
      open.push({ token, depth: 0 })
      nextHole(open.at(-1)!)
    }
  }
  return tokens

  function nextHole(template: { token: Token; depth: number }) {
    template.depth = 0
    template.token.holes.push({ text: '', index: scanner.getTokenEnd() })
  }
}

function kindOf(kind: SyntaxKind, text: string): Token['kind'] {
  if (kind === SyntaxKind.StringLiteral) return 'string'
  if (kind === SyntaxKind.NoSubstitutionTemplateLiteral || kind === SyntaxKind.TemplateHead) return 'template'
  return /^[A-Za-z_$]/.test(text) ? 'word' : 'other'
}

/** The line of a place in a text, counted from 1. */
export const lineAt = (source: string, index: number): number => source.slice(0, index).split('\n').length
