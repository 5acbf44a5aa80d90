import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { linesOf } from './mutant.ts'
import { type Planned, ROOT } from './results.ts'

/** A mutant that changes nothing that anybody could notice, as somebody has judged it. It is not counted. */
export type Equivalent = {
  file: string
  /**
   * The lines of the change as they are and as they become, without indentation; `*` in `to` stands for every change of the line.
   */
  from: string
  to: string
  reason: string
}

export function readEquivalent(): Equivalent[] {
  return JSON.parse(readFileSync(join(ROOT, 'mutation/equivalent.json'), 'utf8'))
}

export function isEquivalent({ mutant, source }: Planned, list: Equivalent[]): boolean {
  const { from, to } = linesOf(source, mutant)
  return list.some((e) => e.file === mutant.file && e.from === from && (e.to === to || e.to === '*'))
}
