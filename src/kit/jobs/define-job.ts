import type { Static, TObject } from 'typebox'
import { Compile } from 'typebox/compile'
import type { Ctx } from '../postgres/index.ts'

/**
 * How one run of a job ended. A job that `waits` for something else has not failed; it is tried again within minutes. One that
 * `continues` has done a batch of its work: it keeps its place among the due jobs, and its next run gets `input`.
 */
export type JobOutcome =
  | { done: true }
  | { done: false; reason: string; waits?: true }
  | { done: false; continues: true; input: object }

/** A claimed job as `run` gets it. */
export type QueuedJob<Input> = {
  input: Input
  /** How often it was tried without success or progress, this time included. */
  attempts: number
  /**
   * To be called first in each transaction in which a long job writes. Throws when another process has the job by now, because this
   * one stood still, so that nothing of the transaction is kept; otherwise nobody else can have it before the commit.
   */
  renewLease(ctx: Ctx): Promise<void>
}

/** high: somebody waits for it, or money may move until it is done; low: large work that may take its time. */
export type JobPriority = 'high' | 'normal' | 'low'

/** What the code that enqueues needs to know of a job. */
export type DeclaredJob<Input> = {
  /** Stored with every row, so it stays the same between versions: `push-contract`. */
  name: string
  priority: JobPriority
  /** Jobs with the same key replace each other while they wait. */
  dedupeKey(input: Input): string
  /** Returns the payload as typed input; throws an error that names the field where it does not fit. */
  parse(payload: unknown): Input
}

/**
 * Runs claimed jobs of one store together and returns one outcome per job, in their order. It may run twice for a job, so
 * it reads what is true now. Its lease is kept for as long as it takes, and is lost only when the process stands still. Much work
 * in the database is done in batches, one per run, each under `renewLease`. A throw is a bug: it is recorded, and every job of
 * the batch is tried again.
 */
export type JobRun<Input, Deps> = (deps: Deps, storeId: number, jobs: QueuedJob<Input>[]) => Promise<JobOutcome[]>

export type DefinedJob<Input, Deps> = DeclaredJob<Input> & { run: JobRun<Input, Deps> }

/** A job of any input, as lists of jobs hold it. */
// biome-ignore lint/suspicious/noExplicitAny: `parse` makes the input of `run`, so the two fit whatever it is.
export type AnyJob<Deps> = DefinedJob<any, Deps>

type JobOptions<Input> = {
  /** normal when left out. Due jobs of a store are run in the order of their priorities. */
  priority?: JobPriority
  dedupe: (input: Input) => string | number
}

/** Declares a job that an earlier module enqueues; the later module that runs it calls `defineJob` with it. */
export function declareJob<Schema extends TObject>(
  name: string,
  schema: Schema,
  { priority = 'normal', dedupe }: JobOptions<Static<Schema>>
): DeclaredJob<Static<Schema>> {
  const check = Compile(schema)
  return {
    name,
    priority,
    dedupeKey: (input) => String(dedupe(input)),
    parse(payload) {
      if (check.Check(payload)) return payload
      const [problem] = check.Errors(payload)
      throw new TypeError(`Input of job ${name}: ${problem?.instancePath || '/'} ${problem?.message}`)
    }
  }
}

/** Defines a job: its name, the schema of its input, its options, and what runs it. */
export function defineJob<Schema extends TObject, Deps>(
  name: string,
  schema: Schema,
  options: JobOptions<Static<Schema>>,
  run: JobRun<Static<Schema>, Deps>
): DefinedJob<Static<Schema>, Deps>
/** Defines what runs a job that an earlier module declared. */
export function defineJob<Input, Deps>(declared: DeclaredJob<Input>, run: JobRun<Input, Deps>): DefinedJob<Input, Deps>
export function defineJob(...args: unknown[]): unknown {
  const run = args.at(-1)
  const declared = args.length === 2 ? args[0] : declareJob(...(args.slice(0, 3) as Parameters<typeof declareJob>))
  return { ...(declared as object), run }
}
