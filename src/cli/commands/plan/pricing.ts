import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { jsonFile, needed, optional, text } from '../../flags.ts'
import { facts, harmless, lines, table } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

export function addPricingCommands(program: Command, terminal: Terminal): void {
  const pricing = program.command('pricing').description('what members pay')

  addCommand(pricing, terminal, {
    name: 'preview',
    summary: 'show what a cart costs with the perks of a membership, and why; changes nothing',
    flags: {
      store: storeFlag,
      cart: needed('--cart <file>', jsonFile('the cart')),
      customer: optional(
        '--customer <customer>',
        text(
          'who buys it: an id, the platform’s number or an e-mail address (default: somebody who never was a member)'
        )
      ),
      plan: optional('--plan <plan>', text('instead: an active member of this plan, also while it is disabled'))
    },
    run: ({ store, cart, customer, plan }, { api }) =>
      api().post(storePath(store, '/pricing/preview'), { cart, customer, plan_id: plan }),
    show: explained
  })
}

/** What the cart comes to, a row for each line with its reasons, and the two perks that are about the whole cart. */
function explained(document: Document): string {
  const { lines: all, welcome_offer: offer, shipping, ...about } = document
  const rows = (all as Document[]).map((line) => ({
    ...line,
    line: line.id,
    why: (line.reasons as Document[]).map(({ message }) => message).join('; ')
  }))
  const columns = ['line', 'product_id', 'quantity', 'price', 'member_price', 'discount', 'total', 'why']
  const { is_free: isFree, reason: shippingReason } = shipping as Document
  const { line_id: line, reason: offerReason } = offer as Document
  return [
    facts(about),
    table(columns, '')({ data: rows }),
    lines([
      `Welcome offer: ${line === null ? 'none' : `line ${harmless(String(line))}`} (${messageOf(offerReason)})`,
      `Shipping: ${isFree ? 'free' : 'not free'} (${messageOf(shippingReason)})`
    ])
  ].join('\n')
}

const messageOf = (reason: unknown) => harmless(String((reason as Document).message))
