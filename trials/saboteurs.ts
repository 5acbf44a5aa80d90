/** `from` occurs once in `file` and is replaced by `to`. */
export type Edit = { file: string; from: string; to: string }

/** A fault that is put into the code to see that a trial notices it. `trial` and `seed` are the run that has to fail then. */
export type Saboteur = { trial: string; seed: number; edits: Edit[] }

/** The saboteurs by name, which says what the broken code does. Where two safeguards hold one rule, both are broken. */
export const SABOTEURS: Record<string, Saboteur> = {
  'the position moves on before its facts are handled': {
    trial: 'two-nodes',
    seed: 11,
    edits: [
      {
        file: 'src/kit/outbox/consume-facts.ts',
        from: '      await handleInTime(ctx, consumer, free, { isRepeat: at.position < at.furthest })',
        to: '      setTimeout(() => db.inStore(storeId, (later) => consumer.handle(later, free, { isRepeat: false })), 200)'
      }
    ]
  },
  'a charge stays with the dead node that claimed it': {
    trial: 'two-nodes',
    seed: 11,
    edits: [
      {
        file: 'src/billing/charging/claims.ts',
        from: "leased_until = statement_timestamp() + interval '2 minutes', checks = a.checks + 1",
        to: "leased_until = statement_timestamp() + interval '100 years', checks = a.checks + 1"
      },
      {
        file: 'src/kit/engines/lease-owner.ts',
        from: 'if (dead.length === 0) return 0',
        to: 'if (dead.length >= 0) return 0'
      }
    ]
  }
}
