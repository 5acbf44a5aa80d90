import { type Engine, nextDueBy } from '#kit/engines'
import type { Database } from '#kit/postgres'
import { checkCountries, dueCountryChecks, nextCountryCheck } from './country-checks.ts'

const BATCH = 100

/** Pauses new contracts of customers in countries where their plan is not sold. */
export function createCountryCheckEngine({ db }: { db: Database }): Engine {
  return {
    name: 'country_checks',
    stage: 'others',
    restsAfterRestore: true,
    due: dueCountryChecks,
    ...nextDueBy(db, nextCountryCheck),
    runOnce: (storeId) => db.inStore(storeId, async (ctx) => (ctx.isRestored ? 0 : checkCountries(ctx, BATCH)))
  }
}
