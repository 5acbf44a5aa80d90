import { type Edit, type Saboteur, slice } from './saboteur.ts'

const TURNS = 'src/billing/charging/charging-turns.ts'
const FLIGHTS = 'src/kit/engines/leased-flights.ts'
const NOT_EXTENDED: Edit = {
  file: TURNS,
  from: 'extend: (storeId, attempts) => db.inStore(storeId, (ctx) => extendClaims(ctx, attempts, maxCallMs))',
  to: 'extend: async (_storeId, attempts) => (db ? attempts : extendClaims(null as never, attempts, maxCallMs))'
}
const CLAIMED_AGAIN: Edit = {
  file: FLIGHTS,
  from: 'const begun = await claim([...thingsOf(storeId)])',
  to: 'const begun = await claim([...thingsOf(storeId)].slice(0, 0))'
}
const saboteur = (trialThen: Saboteur['trialThen'], ...edits: Edit[]): Saboteur => ({
  trial: 'slow-searches',
  run: slice('slow-searches-trial'),
  trialThen,
  edits
})
const NOT_ALL = { failsWith: 'not everything was charged' }
const AGAIN = { failsWith: 'searched for again while it was searched for' }

export const slowSearchesSaboteurs: Record<string, Saboteur> = {
  'the claims on charges under way are not extended': saboteur(AGAIN, NOT_EXTENDED),
  'what is under way in a process is claimed again there, while its claims are extended': saboteur(
    'passes',
    CLAIMED_AGAIN
  ),
  'claims are neither extended nor what is under way left out of the next': saboteur(
    AGAIN,
    NOT_EXTENDED,
    CLAIMED_AGAIN
  ),
  'a renewed claim is not renewed before its charge is sent': saboteur(NOT_ALL, {
    file: 'src/billing/charging/keep-claims.ts',
    from: 'if (!(await renew().catch(() => false))) return null',
    to: 'if (performance.now() > from) return null'
  }),
  'a claim is kept after its write failed': saboteur(NOT_ALL, {
    file: FLIGHTS,
    from: 'ended.filter((one) => !kept.includes(one))',
    to: "ended.filter((one, i) => !kept.includes(one) && recorded[i]!.status === 'fulfilled')"
  }),
  'the lease on what has ended is not let go': saboteur(NOT_ALL, {
    file: FLIGHTS,
    from: 'things.filter((thing) => !kept.has(thing))',
    to: 'things.filter((thing) => kept.has(thing))'
  })
}
