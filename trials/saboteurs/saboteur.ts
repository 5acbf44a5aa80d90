/** `from` occurs once in `file` and is replaced by `to`. */
export type Edit = { file: string; from: string; to: string }

/** A fault that is put into the code to see that a trial notices it. */
export type Saboteur = {
  trial: string
  /** The smallest run of the trial that catches it: arguments of Node, a test of the suite where its slice is enough. */
  run: string[]
  /**
   * A text of the failure that shows that the trial saw this fault: a broken copy or a time limit fails as well. `passes` where one
   * safeguard is broken of several that hold the same rule, which shows that the others hold it. The saboteur that breaks all is
   * beside it.
   */
  trialThen: { failsWith: string } | 'passes'
  edits: Edit[]
}

/** Runs the slice of a trial that is in the suite: `test/<file>.test.ts`. */
export const slice = (file: string): string[] => ['test/run.ts', `test/${file}.test.ts`]
