import { styleText } from 'node:util'
import { type Equivalent, isEquivalent } from './equivalent.ts'
import { isCaught, type Planned, type Result } from './results.ts'

/** What is known of the selected mutants. */
type Counts = { caught: number; missed: number; equivalent: number; refused: number; left: number }

function countResults(selected: Planned[], results: Map<string, Result>, equivalent: Equivalent[]): Counts {
  const counts: Counts = { caught: 0, missed: 0, equivalent: 0, refused: 0, left: 0 }
  for (const one of selected) {
    const result = results.get(one.id)
    if (!result) counts.left++
    else if (isCaught(result) === null) counts.refused++
    else if (isCaught(result)) counts.caught++
    else if (isEquivalent(one, equivalent)) counts.equivalent++
    else counts.missed++
  }
  return counts
}

/** The score of the statements, of the code, and of both. */
export function printReport(
  module: string,
  selected: Planned[],
  results: Map<string, Result>,
  equivalent: Equivalent[]
): void {
  const line = (name: string, some: Planned[]) => {
    const { caught, missed, equivalent: same, refused, left } = countResults(some, results, equivalent)
    const counted = caught + missed
    const score = counted === 0 ? '   -  ' : `${((100 * caught) / counted).toFixed(1).padStart(5)} %`
    process.stdout.write(
      `${score}  ${name}: ${caught} of ${counted} noticed; ${same} equivalent, ${refused} refused, ${left} not run\n`
    )
  }
  const of = (kind: string) => selected.filter(({ mutant }) => mutant.kind === kind)
  line(`${module}, SQL`, of('sql'))
  line(`${module}, code`, of('ts'))
  line(module, selected)
}

/** Prints what no test noticed, as differences. */
export function printSurvivors(selected: Planned[], results: Map<string, Result>, equivalent: Equivalent[]): void {
  for (const one of selected) {
    const result = results.get(one.id)
    if (!result || isCaught(result) !== false || isEquivalent(one, equivalent)) continue
    const { mutant, source } = one
    const line = source.slice(0, mutant.start).split('\n').length
    const before = source.slice(mutant.start, mutant.end)
    const end = source.indexOf('\n', mutant.end)
    const begin = source.lastIndexOf('\n', mutant.start - 1) + 1
    const [from, to] = [
      source.slice(begin, end),
      source.slice(begin, mutant.start) + mutant.replacement + source.slice(mutant.end, end)
    ]
    const marked = (sign: string, text: string) =>
      text
        .split('\n')
        .map((part) => `${sign}${part}`)
        .join('\n')
    process.stdout.write(
      `\n${mutant.file}:${line} ${mutant.change} (${result.status})${before.length > 60 ? '' : ` ${JSON.stringify(before)}`}\n` +
        `${styleText('red', marked('-', from))}\n${styleText('green', marked('+', to))}\n`
    )
  }
}
