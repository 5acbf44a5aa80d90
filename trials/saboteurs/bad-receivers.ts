import { type Edit, type Saboteur, slice } from './saboteur.ts'

const QUICK = slice('bad-receivers-trial')
/** Two receivers of each kind, among them those that hang. */
const FEW = ['trials/run.ts', 'bad-receivers', '7', '--rounds', '2']
/** So many that those that hang would fill all places. */
const ALL = ['trials/run.ts', 'bad-receivers', '7']

const POST = 'src/webhooks/sending/post-delivery.ts'
const bodiesAreKept: Edit = {
  file: POST,
  from: 'if (read < KEPT_BYTES) chunks.push(chunk)',
  to: 'chunks.push(chunk)'
}
const bodiesAreRead: Edit = {
  file: POST,
  from: 'if (read >= READ_BYTES) abort(null)',
  to: 'if (read >= READ_BYTES * 100_000) abort(null)'
}
const CONCURRENCY = 'src/webhooks/sending/endpoint-concurrency.ts'
const hangingStay: Edit = {
  file: CONCURRENCY,
  from: 'begunIn === quick ? setTimeout(moveOver, slowMs)',
  to: 'begunIn === quick ? setTimeout(moveOver, slowMs * 100)'
}
const noneReserved: Edit = {
  file: 'src/webhooks/sending/fair-places.ts',
  from: 'const RESERVED = 1 / 4',
  to: 'const RESERVED = 0'
}

export const badReceiversSaboteurs: Record<string, Saboteur> = {
  'redirects of receivers are followed': {
    trial: 'bad-receivers',
    run: QUICK,
    trialThen: { failsWith: 'status 302' },
    edits: [
      {
        file: 'src/kit/outbound/guarded-agents.ts',
        from: "import { Agent } from 'undici'",
        to: "import { Agent, interceptors } from 'undici'"
      },
      {
        file: 'src/kit/outbound/guarded-agents.ts',
        from: '      bodyTimeout: 0\n    })',
        to: '      bodyTimeout: 0\n    }).compose(interceptors.redirect({ maxRedirections: 2 }))'
      }
    ]
  },
  'the whole body of a response is read and kept': {
    trial: 'bad-receivers',
    run: QUICK,
    trialThen: { failsWith: 'a receiver got rid of' },
    edits: [bodiesAreRead, bodiesAreKept]
  },
  'the whole body of a response is read': {
    trial: 'bad-receivers',
    run: QUICK,
    trialThen: { failsWith: 'a receiver got rid of' },
    edits: [bodiesAreRead]
  },
  'what is read of a response is kept; that little is read holds': {
    trial: 'bad-receivers',
    run: QUICK,
    trialThen: 'passes',
    edits: [bodiesAreKept]
  },
  'a receiver that is gone is not disabled': {
    trial: 'bad-receivers',
    run: QUICK,
    trialThen: { failsWith: 'disabled receivers' },
    edits: [{ file: 'src/webhooks/sending/record-tries.ts', from: 'const GONE = 410', to: 'const GONE = 411' }]
  },
  'a try has half as long again': {
    trial: 'bad-receivers',
    run: FEW,
    trialThen: { failsWith: 'a try of 45' },
    edits: [
      {
        file: POST,
        from: "setTimeout(() => abort('timeout'), timeoutMs)",
        to: "setTimeout(() => abort('timeout'), timeoutMs * 1.5)"
      }
    ]
  },
  'receivers that hang keep their places, and a store may fill all of them': {
    trial: 'bad-receivers',
    run: ALL,
    trialThen: { failsWith: '"besideBad"' },
    edits: [hangingStay, noneReserved]
  },
  'receivers that hang keep their places; those that are reserved hold': {
    trial: 'bad-receivers',
    run: ALL,
    trialThen: 'passes',
    edits: [hangingStay]
  }
}
