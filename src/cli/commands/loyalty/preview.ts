import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { customerText } from '../../customer-flag.ts'
import { jsonFile, needed, optional } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

/** What an order would earn. */
export function addPreviewCommand(loyalty: Command, terminal: Terminal): void {
  addCommand(loyalty, terminal, {
    name: 'preview',
    summary: 'show what an order would earn by each rule if it was placed and paid now; nothing is written',
    flags: {
      store: storeFlag,
      order: needed('--order <file>', jsonFile('an order as in the message orders/create')),
      customer: optional('--customer <id>', customerText)
    },
    fields: { order: 'platform_order' },
    run: ({ store, order, customer }, { api }) =>
      api().post(storePath(store, '/loyalty/preview'), { platform_order: order, customer }),
    show: shownPreview
  })
}

function shownPreview({ rules, ...order }: Document): string {
  const outcomes = table(
    ['id', 'type', 'name', 'outcome', 'rewards', 'points', 'reward_text', 'current', 'required'],
    'The store has no loyalty rules that count orders.'
  )
  return `${facts(order)}\n${outcomes({ data: rules })}`
}
