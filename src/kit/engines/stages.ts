/**
 * The stages of a round in a store that settles, in their order: what one engine did is often the work of the next, so one
 * round brings a charge from its request to its webhooks. Nothing depends on the order: in the background all
 * engines run at once.
 */
const STAGES = [
  /** Asks the platform for what has fallen due. */
  'request',
  /** The sandbox platform does what it was asked for. */
  'platform',
  /** Takes in what the platform reports. */
  'receive',
  /** Does what the stages before left to be done after their commit. */
  'jobs',
  /** Whatever does not belong to a charge, and may record facts. */
  'others',
  /** Gives facts the order in which consumers get them. */
  'facts',
  /** Brings facts to their consumers. */
  'consumers',
  /** Sends what the consumers have queued. */
  'send'
] as const

export type Stage = (typeof STAGES)[number]

/** By stage; those of one stage in the order in which they are given. */
export const inStages = <T extends { stage: Stage }>(engines: readonly T[]): T[] =>
  engines.toSorted((a, b) => STAGES.indexOf(a.stage) - STAGES.indexOf(b.stage))
