import type { Command } from 'commander'
import { addCommand, type Terminal } from '../../command.ts'
import { numberFlag, oneOf, optional, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { queryOf } from '../pages.ts'
import { storeFlag, storePath } from '../store-flag.ts'
import { contractText } from './contract-flag.ts'

const COLUMNS = [
  ...['id', 'status', 'ended_by', 'subscription_id', 'offer_id', 'name', 'rules', 'reason'],
  ...['accepted_at', 'contract_ended_at', 'ended_at']
]

/** Offers that were accepted on contracts. */
export function addAcceptedOfferCommands(offer: Command, terminal: Terminal): void {
  addCommand(offer, terminal, {
    name: 'accepted',
    summary: 'list the offers that were accepted on contracts, newest first',
    flags: {
      store: storeFlag,
      contract: optional('--contract <id>', contractText),
      offer: optional('--offer <number>', wholeNumber(1, Number.MAX_SAFE_INTEGER)),
      status: optional('--status <status>', oneOf('active', 'cancelled')),
      limit: optional('--limit <n>', wholeNumber(1, 100)),
      before: optional('--before <number>', wholeNumber(1, Number.MAX_SAFE_INTEGER))
    },
    run: ({ store, ...given }, { api }) => api().get(`${storePath(store, '/churn/accepted-offers')}?${queryOf(given)}`),
    show: table(COLUMNS, 'No offers have been accepted yet.')
  })

  addCommand(offer, terminal, {
    name: 'revoke',
    summary: 'end an accepted offer: a discount goes, the former frequency comes back, store credit stays',
    flags: { store: storeFlag, id: numberFlag('an accepted offer (`churn offer accepted` lists them)') },
    run: ({ store, id }, { api }) => api().post(storePath(store, `/churn/accepted-offers/${id}/revoke`), {}),
    show: facts
  })
}
