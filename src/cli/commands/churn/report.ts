import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { optional, wholeNumber } from '../../flags.ts'
import { table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'

/** What came of offers. */
export function addReportCommand(churn: Command, terminal: Terminal): void {
  addCommand(churn, terminal, {
    name: 'report',
    summary: 'show by month, reason and offer what was shown and accepted, and what stayed after 30, 60 and 90 days',
    flags: { store: storeFlag, months: optional('--months <n>', wholeNumber(1, 36)) },
    run: ({ store, ...given }, { api }) => api().get(`${storePath(store, '/churn/report')}?${queryOf(given)}`),
    show: shownReport
  })
}

const AFTER = ['after_30_days', 'after_60_days', 'after_90_days'] as const
const rateTable = table(
  ['month', 'reason', 'offer_id', 'offer', 'shown', 'accepted', ...AFTER],
  'Nothing was shown or accepted in these months.'
)

function shownReport({ data, total }: Document): string {
  const rows = data as Document[]
  if (rows.length === 0) return rateTable({ data: rows })
  const line = (one: Document) => ({
    ...one,
    offer: one.offer_name,
    ...Object.fromEntries(AFTER.map((name) => [name, stayed(one[name] as Document)]))
  })
  return rateTable({ data: [...rows.map(line), { month: 'total', ...line(total as Document) }] })
}

/** `3 of 4`; nothing where none is so old. */
const stayed = ({ accepted, active }: Document) => (accepted === 0 ? null : `${active} of ${accepted}`)
