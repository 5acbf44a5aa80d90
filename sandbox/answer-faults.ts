/** Scripted faults of the answers to a shop's mutations. Shares are from 0 to 1. */
export type AnswerFaults = {
  /** Done, but the connection is cut before the answer. */
  lost?: number
  /** The connection is cut before anything is done. */
  unheard?: number
  /** Which mutations; default: those that move credit, which have no idempotency key. */
  mutations?: string[]
  seed?: number
}
