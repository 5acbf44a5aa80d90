import { type Edit, type Saboteur, slice } from './saboteur.ts'

const TURNS = 'src/billing/charging/charging-turns.ts'
const NOT_EXTENDED: Edit = {
  file: TURNS,
  from: 'extend: (storeId, attempts) => db.inStore(storeId, (ctx) => extendClaims(ctx, attempts, maxCallMs))',
  to: 'extend: async (_storeId, attempts) => (db ? attempts : extendClaims(null as never, attempts, maxCallMs))'
}
const CLAIMED_AGAIN: Edit = {
  file: TURNS,
  from: 'const except = leases.kept(storeId)',
  to: 'const except = leases.kept(storeId).slice(0, 0)'
}
const saboteur = (trialThen: Saboteur['trialThen'], ...edits: Edit[]): Saboteur => ({
  trial: 'slow-searches',
  run: slice('slow-searches-trial'),
  trialThen,
  edits
})
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
  'a renewed claim is not renewed before its charge is sent': saboteur(
    { failsWith: 'not everything was charged' },
    {
      file: 'src/billing/charging/keep-claims.ts',
      from: 'if (!(await renew().catch(() => false))) return null',
      to: 'if (performance.now() > from) return null'
    }
  )
}
