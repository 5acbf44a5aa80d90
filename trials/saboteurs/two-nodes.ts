import type { Saboteur } from './saboteur.ts'

export const twoNodesSaboteurs: Record<string, Saboteur> = {
  'the position moves on before its facts are handled': {
    trial: 'two-nodes',
    run: ['trials/run.ts', 'two-nodes', '11'],
    trialThen: { failsWith: 'events that were not delivered' },
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
    run: ['trials/run.ts', 'two-nodes', '11'],
    trialThen: { failsWith: 'The store does not settle' },
    edits: [
      {
        file: 'src/billing/charging/claims.ts',
        from: "* interval '1 millisecond',\n             submitted_at",
        to: "* interval '1 year',\n             submitted_at"
      },
      {
        file: 'src/kit/engines/lease-owner.ts',
        from: 'if (dead.length === 0) return 0',
        to: 'if (dead.length >= 0) return 0'
      }
    ]
  }
}
