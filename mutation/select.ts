import { createHash } from 'node:crypto'
import type { Source } from './modules.ts'
import { digest, idOf, linesOf, type Mutant } from './mutant.ts'
import type { Planned } from './results.ts'
import { sqlMutantsOf, sqlMutantsOfFunctions } from './sql/texts.ts'
import { listCodeMutants } from './stryker.ts'

/** How many mutants of the files that decide neither money nor order are run. */
export const SAMPLE = 150
/** The same sample for everybody, as long as the sources are the same. */
const SEED = 'perennial 13'

/** All mutants of these sources, and the texts that could not be read as SQL. */
export async function listMutants(sources: Source[]): Promise<{ all: Planned[]; unread: string[] }> {
  const unread: string[] = []
  const sql = sources.flatMap(({ file, text }) => {
    if (file.endsWith('.sql')) return sqlMutantsOfFunctions(file, text).mutants
    const found = sqlMutantsOf(file, text)
    unread.push(...found.unread.map((part) => `${file}: ${part}`))
    return found.mutants
  })
  const texts = new Map(sources.map(({ file, text }) => [file, text]))
  const code = await listCodeMutants(new Map([...texts].filter(([file]) => file.endsWith('.ts'))))
  const planned = (mutant: Mutant) => ({
    id: idOf(mutant, texts.get(mutant.file)!),
    mutant,
    source: texts.get(mutant.file)!
  })
  return { all: [...sql, ...code].map(planned), unread }
}

/** Every mutant of the decisive files, and a seeded sample of the others. */
export function selectMutants(all: Planned[], sources: Source[], sample: number): Planned[] {
  const decisive = new Set(sources.filter((s) => s.isDecisive).map((s) => s.file))
  const others = all.filter(({ mutant }) => !decisive.has(mutant.file))
  const drawn = others.map((one) => ({ one, rank: rankOf(one) })).sort((a, b) => (a.rank < b.rank ? -1 : 1))
  return [...all.filter(({ mutant }) => decisive.has(mutant.file)), ...drawn.slice(0, sample).map(({ one }) => one)]
}

/** By the lines and not by the place, so that an edit elsewhere in the file draws no other sample. */
function rankOf({ mutant, source }: Planned): string {
  const { from, to } = linesOf(source, mutant)
  return createHash('sha256')
    .update(`${SEED} ${mutant.file} ${mutant.change} ${from} ${to} ${digest(mutant.replacement)}`)
    .digest('hex')
}
