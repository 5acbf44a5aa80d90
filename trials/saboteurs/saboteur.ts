/** `from` occurs once in `file` and is replaced by `to`. */
export type Edit = { file: string; from: string; to: string }

/** A fault that is put into the code to see that a trial notices it. */
export type Saboteur = {
  trial: string
  /** The smallest run of the trial that catches it: arguments of Node, a test of the suite where its slice is enough. */
  run: string[]
  /**
   * `fails`, unless one safeguard is broken of two that hold the same rule: then the trial `passes`, which shows that the other holds
   * alone. The saboteur that breaks both is beside it.
   */
  trialThen: 'fails' | 'passes'
  edits: Edit[]
}

/** Runs the slice of a trial that is in the suite: `test/<file>.test.ts`. */
export const slice = (file: string): string[] => ['test/run.ts', `test/${file}.test.ts`]
