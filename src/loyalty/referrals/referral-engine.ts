import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { createWalker } from '#kit/walks'
import type { Connector } from '#platform'
import {
  claimProgram,
  duePrograms,
  extendProgram,
  markProgramDone,
  markProgramFailed,
  nextProgram,
  releasePrograms
} from '../referral-codes/program-queries.ts'
import { workOnProgram } from './work-on-program.ts'

/**
 * Does what referrals need of the platform: keeps the discount that all codes of a shop belong to, adds codes to it, and compares the addresses
 * of friends with those of who sent them. A store has few calls at a time, so they are done one after the other.
 */
export function createReferralEngine({
  db,
  leaseOwner,
  connectorOf,
  leaseMs
}: {
  db: Database
  leaseOwner: number
  connectorOf: (storeId: number) => Promise<Connector>
  /** How long a lease lasts in real time when it is not extended; two minutes when left out. */
  leaseMs?: number
}): Engine {
  const walkOn = createWalker({
    db,
    leaseMs,
    claim: (ctx, ms) => claimProgram(ctx, leaseOwner, ms),
    extend: extendProgram,
    read: async (storeId, program) => workOnProgram({ db, storeId, connector: await connectorOf(storeId) }, program),
    record: markProgramDone,
    putOff: markProgramFailed
  })
  return {
    name: 'loyalty-referrals',
    stage: 'others',
    releaseLeases: releasePrograms,
    needsPlatform: true,
    restsAfterRestore: true,
    realTime: true,
    due: duePrograms,
    ...nextDueBy(db, nextProgram),
    runOnce: async (storeId) => ((await walkOn(storeId)) ? 1 : 0)
  }
}
