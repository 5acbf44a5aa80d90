import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { needed } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { contractText } from './contract-flag.ts'

/** What each offer would do to a contract. */
export function addOfferPreviewCommand(churn: Command, terminal: Terminal): void {
  addCommand(churn, terminal, {
    name: 'preview',
    summary: 'show for each offer whether a contract may accept it now, and what it leads to; nothing is written',
    flags: { store: storeFlag, contract: needed('--contract <id>', contractText) },
    run: ({ store, contract }, { api }) => api().get(`${storePath(store, '/churn/preview')}?${queryOf({ contract })}`),
    show: shownPreview
  })
}

const COLUMNS = [
  ...['id', 'name', 'shown_for', 'may_accept', 'price_with_offer', 'cycles', 'credit_amount', 'every'],
  ...['next_billing_date', 'following_billing_date', 'full_price_date', 'why_not']
]
const offersTable = table(COLUMNS, 'The store has no offers yet.')

function shownPreview({ offers, ...contract }: Document): string {
  const rows = (offers as Document[]).map(({ offer, preview, ...outlook }) => {
    const { id, name } = offer as Document
    const leadsTo = preview as Document | null
    const every = leadsTo && `${leadsTo.interval_count} ${leadsTo.interval}`
    return { ...outlook, ...leadsTo, id, name, every }
  })
  return `${facts(contract)}\n${offersTable({ data: rows })}`
}
