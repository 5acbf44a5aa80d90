import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { amount, argument, needed, oneOf, optional, text, wholeNumber } from '../flags.ts'
import { facts } from '../print.ts'
import { storeFlag, storePath } from './store-flag.ts'

const who = (what: string) =>
  text(`${what}: a customer id such as cust_24, the platform's number, or an e-mail address`)
const of = { id: argument('<id>', text('a subscription id such as sub_12')), store: storeFlag }

/** Subscriptions without a checkout, and gifts. */
export function addSubscriptionGiftCommands(subscription: Command, terminal: Terminal): void {
  const giftPath = (store: string, id: string) => storePath(store, `/subscriptions/${encodeURIComponent(id)}/gift`)

  addCommand(subscription, terminal, {
    name: 'create',
    summary: 'create a subscription without a checkout; the first charge is at --date',
    flags: {
      store: storeFlag,
      customer: needed('--customer <customer>', who('the customer who pays')),
      plan: needed('--plan <plan>', text('the id of a plan such as plan_3, not its name')),
      date: needed(
        '--date <date>',
        text(
          'the first charge: a date such as 2026-12-24 (midnight in the shop) or a date-time such as 2026-12-24T12:00:00Z'
        )
      ),
      variant: optional('--variant <id>', text("with a product plan, the platform's id of the variant")),
      quantity: optional('--quantity <n>', {
        ...wholeNumber(1, 1000),
        accepts: 'the quantity of the variant, from 1 to 1000 (default: 1)'
      }),
      price: optional('--price <amount>', {
        ...amount,
        accepts: "the price of one unit per cycle (default: the plan's price)"
      }),
      maxCycles: optional('--max-cycles <n>', {
        ...wholeNumber(1, 1000),
        accepts: "number of paid cycles after which it ends, from 1 to 1000 (default: the plan's)"
      }),
      paymentMethod: optional('--payment-method <id>', text('the payment method, when the customer has several')),
      status: optional('--status <status>', {
        ...oneOf('active', 'paused'),
        accepts: 'the initial status, active or paused (default: active)'
      }),
      receiver: optional('--receiver <customer>', who('the customer who receives it as a gift')),
      key: optional(
        '--key <key>',
        text('an idempotency key: repeating the command with it creates no second subscription')
      )
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
    summary: 'give a membership to another customer; the payer stays the same',
    flags: { ...of, receiver: needed('--receiver <customer>', who('the customer who receives it')) },
    run: ({ store, id, receiver }, { api }) => api().post(giftPath(store, id), { receiver }),
    show: facts
  })

  addCommand(subscription, terminal, {
    name: 'ungift',
    summary: 'revoke a gift; the payer becomes the member again',
    flags: of,
    run: ({ store, id }, { api }) => api().delete(giftPath(store, id)),
    show: facts
  })
}
