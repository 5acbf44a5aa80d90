/**
 * The classes of our advisory locks: the first number of each, where the second says what is locked. Locks are those of
 * one database, so installations that share a server do not meet.
 */
export const LOCKS = {
  /** A running node, by its id as an owner of leases. */
  node: 7_236_002,
  /** The node that does the housekeeping; the second number is 0. */
  leader: 7_236_003,
  /** A store, by the low 31 bits of its id: shared by background work, exclusive while its clock is moved. */
  store: 7_236_004
} as const
