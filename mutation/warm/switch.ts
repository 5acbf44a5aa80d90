// The switches of the mutants of a warm process. Stryker's code has switches of its own; what `sql/` changes asks here.

type Stryker = {
  activeMutant?: string
  currentTestId?: string
  mutantCoverage: { static: Record<string, number>; perTest: Record<string, Record<string, number>> }
}
type Switches = { __stryker__: Stryker; __mutant: (id: string) => boolean }

const stryker: Stryker = { mutantCoverage: { static: {}, perTest: {} } }
const statements = {
  active: null as string | null,
  static: new Set<string>(),
  reached: new Set<string>(),
  isLoading: true
}

Object.assign(globalThis, {
  __stryker__: stryker,
  __mutant(id: string): boolean {
    ;(statements.isLoading ? statements.static : statements.reached).add(id)
    return statements.active === id
  }
} satisfies Switches)

/** Switches one mutant on and all others off. */
export function activate(id: string | null): void {
  statements.active = id
  stryker.activeMutant = id ?? ''
}

/** What has run since the modules were loaded, or since the last call. */
export function takeReached(): string[] {
  const code = Object.keys(stryker.mutantCoverage.perTest.run ?? {})
  const found = [...code, ...statements.reached]
  delete stryker.mutantCoverage.perTest.run
  statements.reached.clear()
  return found
}

/** The mutants that run when the modules are loaded; after this call, others are counted. */
export function endOfLoading(): string[] {
  statements.isLoading = false
  stryker.currentTestId = 'run'
  return [...Object.keys(stryker.mutantCoverage.static), ...statements.static]
}
