import type { Saboteur } from './saboteur.ts'

const RUN = ['trials/run.ts', 'one-key', '7', '--rounds', '12']

export const oneKeySaboteurs: Record<string, Saboteur> = {
  'a key counts in one process only': {
    trial: 'one-key',
    run: RUN,
    trialThen: { failsWith: 'another response' },
    edits: [
      {
        file: 'src/http/shared/idempotency.ts',
        from: '  return { key, fingerprint: fingerprintOf(request) }',
        to: '  return { key: key + process.pid, fingerprint: fingerprintOf(request) }'
      }
    ]
  },
  'a change of credit is committed before its key': {
    trial: 'one-key',
    run: RUN,
    trialThen: { failsWith: ': effects' },
    edits: [
      {
        file: 'src/http/rest/batched-writes.ts',
        from: 'await runRound(ctx, batch, first, doing, outcomes)',
        to: 'await runRound(ctx, batch, first, { ...doing, work: (_, items, read) => db.inStore(storeId, (own) => doing.work(own, items, read)) }, outcomes)'
      }
    ]
  },
  'the key of another body is answered with the first response': {
    trial: 'one-key',
    run: RUN,
    trialThen: { failsWith: '200 !== 400' },
    edits: [
      {
        file: 'src/kit/idempotency.ts',
        from: "return storedFingerprint.equals(fingerprint) ? { state: 'stored', response: { status, body } } : { state: 'other' }",
        to: "return { state: storedFingerprint.length > 0 ? 'stored' : 'other', response: { status, body } }"
      }
    ]
  }
}
