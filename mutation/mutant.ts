import { createHash } from 'node:crypto'

/** One change of one text of one file: what stands at `start` up to `end` becomes `replacement`. */
export type Mutant = {
  /** From the root of the repository. */
  file: string
  /** 'sql': a statement, by `sql/`. 'ts': code, by Stryker. */
  kind: 'sql' | 'ts'
  /** What kind of change it is, such as "lock dropped" or "EqualityOperator". */
  change: string
  /** Offsets in the text of the file. */
  start: number
  end: number
  replacement: string
}

/** Names a mutant as long as its file stays as it is: results are remembered under it. */
export function idOf(mutant: Mutant, source: string): string {
  const { file, change, start, end, replacement } = mutant
  return digest(JSON.stringify([file, digest(source), change, start, end, replacement]))
}

/** A short hash of a text. */
export const digest = (text: string): string => createHash('sha256').update(text).digest('base64url').slice(0, 16)

/** The file with the change. */
export const mutatedText = (source: string, { start, end, replacement }: Mutant): string =>
  source.slice(0, start) + replacement + source.slice(end)

/** What is left of the change and what replaces it, each as whole lines without indentation: names it over edits elsewhere. */
export function linesOf(source: string, { start, end, replacement }: Mutant): { from: string; to: string } {
  const begin = source.lastIndexOf('\n', start - 1) + 1
  const next = source.indexOf('\n', end)
  const stop = next < 0 ? source.length : next
  const lines = (text: string) => text.replace(/\s+/g, ' ').trim()
  return {
    from: lines(source.slice(begin, stop)),
    to: lines(source.slice(begin, start) + replacement + source.slice(end, stop))
  }
}
