import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { amount, argument, needed, oneOf, optional, text, wholeNumber } from '../flags.ts'
import { facts } from '../print.ts'
import { storeFlag, storePath } from './store-flag.ts'

const who = (what: string) =>
  text(`${what}: a customer id such as cust_24, the platform's number, or an e-mail address`)
const of = { id: argument('<id>', text('a subscription id such as sub_12')), store: storeFlag }

/** Subscriptions that no checkout makes, and memberships that are given away. */
export function addSubscriptionGiftCommands(subscription: Command, terminal: Terminal): void {
  const giftPath = (store: string, id: string) => storePath(store, `/subscriptions/${encodeURIComponent(id)}/gift`)

  addCommand(subscription, terminal, {
    name: 'create',
    summary: 'make one without a checkout; nothing is charged before its date',
    flags: {
      store: storeFlag,
      customer: needed('--customer <customer>', who('who pays')),
      plan: needed('--plan <plan>', text('the id of a plan such as plan_3')),
      date: needed(
        '--date <date>',
        text(
          'the first charge: a date such as 2026-12-24 (midnight in the shop) or a date-time such as 2026-12-24T12:00:00Z'
        )
      ),
      variant: optional(
        '--variant <id>',
        text("what is sold under a plan of products: the platform's id of a variant")
      ),
      quantity: optional('--quantity <n>', { ...wholeNumber(1, 1000), accepts: 'how many of it (default: 1)' }),
      price: optional('--price <amount>', {
        ...amount,
        accepts: "what one costs in a cycle (default: the plan's price)"
      }),
      maxCycles: optional('--max-cycles <n>', {
        ...wholeNumber(1, 1000),
        accepts: "after how many paid cycles it ends (default: the plan's)"
      }),
      paymentMethod: optional('--payment-method <id>', text('which of several payment methods to charge')),
      status: optional('--status <status>', {
        ...oneOf('active', 'paused'),
        accepts: 'how it begins (default: active)'
      }),
      receiver: optional('--receiver <customer>', who('whom it is a gift for')),
      key: optional('--key <key>', text('names the request: under the same key a repetition makes no second one'))
    },
    run: ({ store, plan, variant, date, maxCycles, paymentMethod, key, ...requested }, { api }) => {
      const body = {
        ...requested,
        plan_id: plan,
        variant_id: variant,
        next_billing_date: date,
        max_cycles: maxCycles,
        payment_method_id: paymentMethod
      }
      return api().post(storePath(store, '/subscriptions'), body, { key })
    },
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'gift',
    summary: 'give a membership to another customer; who pays for it stays',
    flags: { ...of, receiver: needed('--receiver <customer>', who('who gets it')) },
    run: ({ store, id, receiver }, { api }) => api().post(giftPath(store, id), { receiver }),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'ungift',
    summary: 'take a gift back: who pays for it holds it again',
    flags: of,
    run: ({ store, id }, { api }) => api().delete(giftPath(store, id)),
    show: facts
  })
}
