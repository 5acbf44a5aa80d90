import type { Edit, Saboteur } from './saboteur.ts'

const run = ['test/run.ts', 'src/points/points-model.test.ts']

const says = (rule: string, edits: Edit[]): [string, Saboteur] => [
  rule,
  { trial: 'points-model', run, trialThen: { failsWith: 'Counterexample' }, edits }
]
const edit = (file: string, from: string, to: string): Edit => ({ file: `src/points/${file}`, from, to })

export const pointsModelSaboteurs: Record<string, Saboteur> = Object.fromEntries([
  says('points that are earned again under their operation are earned again', [
    edit('earn-points.ts', 'if (done.has(earning.operationId)) continue', 'if (earning.points < 0) continue'),
    { file: 'migrations/0008-points.sql', from: '  unique (store_id, operation_id),\n', to: '' }
  ]),
  says('pending points can be spent', [
    edit('spend-points.ts', 'points > draft.balance', 'points > draft.balance + draft.pendingPoints')
  ]),
  says('points are earned when their time has not come', [
    edit(
      'open-accounts.ts',
      'one.remaining === 0 || Temporal.Instant.compare(one.readyAt, now) > 0',
      'one.remaining === 0'
    )
  ]),
  says('a lot past its date can be spent', [
    edit(
      'open-accounts.ts',
      'lot.expiresAt === null || Temporal.Instant.compare(lot.expiresAt, now) > 0',
      'lot.expiresAt === null || lot.expiresAt < now'
    )
  ]),
  says('what was earned last is spent first', [
    edit('draft.ts', 'if (byDate !== 0) return byDate < 0', 'if (byDate !== 0) return byDate > 0'),
    edit(
      'queries.ts',
      'order by l.member_id, l.expires_at, l.entry_id',
      'order by l.member_id, l.expires_at desc, l.entry_id'
    )
  ]),
  says('a refund takes more than the balance', [
    edit('undo.ts', 'const taken = Math.min(asked - fromPending, draft.balance)', 'const taken = asked - fromPending')
  ]),
  says('what a refund could not take is asked for again by the next one', [
    edit('settle-order-points.ts', 'taken: 0 - moved, shortfall: shortfallPoints', 'taken: 0 - moved, shortfall: 0')
  ]),
  says('what a refund leaves is rounded up', [
    edit(
      'exact-points.ts',
      'return points - Math.min(points, kept)',
      'return inProportion(points, partMinor, wholeMinor)'
    )
  ]),
  says('a refund leaves what is pending', [
    edit(
      'undo.ts',
      'const fromPending = Math.min(asked, pending?.remaining ?? 0)',
      'const fromPending = Math.min(0, pending?.remaining ?? 0)'
    )
  ]),
  says('a refund takes its share of points that are undone', [
    edit('settle-order-points.ts', ' && !undone.has(entry.id)', '')
  ]),
  says('points that are undone after a dispute has taken all of them come back when it is won', [
    edit('reverse-points.ts', 'whole > 0 && !reversing.some(isUndoing)', 'undone < whole')
  ]),
  says('points that are given back are lost where their date has passed meanwhile', [
    edit('undo.ts', 'return now.add((isOfItself ? takenAt : begunAt).until(expiresAt))', 'return expiresAt')
  ]),
  says('spent points are given back twice', [
    edit('reverse-points.ts', 'if (undone === 0) restoreSpent', 'if (undone <= 0) restoreSpent')
  ]),
  says('points that were taken back stay in all that were ever earned', [
    edit('undo.ts', 'lifetimePoints: isCounted(entry) ? minus(taken + shortfallPoints) : 0', 'lifetimePoints: 0')
  ])
])
