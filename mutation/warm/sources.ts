import { stripTypeScriptTypes } from 'node:module'
import type { Mutant } from '../mutant.ts'
import type { Planned } from '../results.ts'
import { withSqlMutants } from '../sql/texts.ts'
import { withCodeMutants } from '../stryker.ts'

/** Sources with mutants that are switched, and how the switch names each mutant. Those without a name there cannot be switched. */
export type Switched = { sources: Map<string, string>; names: Map<string, string> }

/** The sources of these mutants with all of them. The mutants are of one kind. */
export async function switchedSources(kind: Mutant['kind'], mutants: Planned[]): Promise<Switched> {
  const byFile = Map.groupBy(
    mutants.filter(({ mutant }) => mutant.file.endsWith('.ts')),
    ({ mutant }) => mutant.file
  )
  if (kind === 'ts') {
    const { sources, numbers } = await withCodeMutants(new Map([...byFile].map(([file, [one]]) => [file, one!.source])))
    return { sources, names: numbers }
  }
  const switched = [...byFile].flatMap(([file, some]) => {
    const source = withSqlMutants(some[0]!.source, some)
    return isReadable(source) ? [{ file, source, some }] : []
  })
  return {
    sources: new Map(switched.map(({ file, source }) => [file, source])),
    names: new Map(switched.flatMap(({ some }) => some.map(({ id }) => [id, id])))
  }
}

function isReadable(source: string): boolean {
  try {
    stripTypeScriptTypes(source)
    return true
  } catch {
    return false
  }
}
