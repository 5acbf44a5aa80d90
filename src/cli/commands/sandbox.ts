import { type Command, InvalidArgumentError } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../command.ts'
import {
  amount,
  type Flags,
  instant,
  jsonObjectText,
  needed,
  oneOf,
  optional,
  pair,
  platformNumber,
  type Reader,
  repeated,
  text,
  toggle
} from '../flags.ts'
import { facts } from '../print.ts'
import { addSandboxCustomerCommands } from './platform/sandbox-customers.ts'
import { addSandboxShopCommands } from './platform/sandbox-shops.ts'
import { storeFlag, storePath } from './store-flag.ts'

const decimal = (accepts: string) => ({
  accepts,
  read: (given: string): number => {
    if (!/^\d+(\.\d+)?$/.test(given)) throw new InvalidArgumentError(`It must be ${accepts}.`)
    return Number(given)
  }
})

const customerFlag = needed('--customer <id>', platformNumber('the customer'))
const ofShop = {
  name: optional('--name <name>', text('the name of the shop')),
  timezone: optional('--timezone <zone>', text('an IANA time zone such as Europe/Vienna'))
} satisfies Flags
const faultFlags = {
  off: toggle('--off', 'deliver all webhooks correctly again'),
  drop: optional('--drop <share>', decimal('the share that is never sent, from 0 to 1')),
  duplicate: optional('--duplicate <share>', decimal('the share that is sent twice, from 0 to 1')),
  late: optional('--late <share>', decimal('the share that is sent late, from 0 to 1')),
  delayHours: optional('--delay-hours <hours>', decimal('the delay in hours (default: 24)')),
  shuffle: toggle('--shuffle', 'send webhooks out of order'),
  seed: optional('--seed <number>', decimal('a whole number; the same seed causes the same faults'))
} satisfies Flags
const shareOf = (what: string) => decimal(`the share that ${what}, from 0 to 1`)
const chargeFlags = {
  off: toggle('--off', 'charge correctly again'),
  paysAgain: toggle('--pays-again', 'a paid cycle is paid again under another key'),
  keyMinutes: optional('--key-minutes <minutes>', decimal('the minutes after which idempotency keys are forgotten')),
  renumbers: toggle('--renumbers', 'each edit of a contract numbers its cycles anew'),
  never: optional('--never <share>', shareOf('never has a result')),
  late: optional('--late <share>', shareOf('has its result 26 hours late')),
  reversed: optional('--reversed <share>', shareOf('is reported as paid, and an hour later as failed')),
  corrected: optional('--corrected <share>', shareOf('is reported as failed, and an hour later as paid')),
  reportedFailed: optional('--reported-failed <share>', shareOf('is reported as failed although it is paid')),
  seed: optional('--seed <number>', decimal('a whole number; the same seed causes the same faults'))
} satisfies Flags
const quantityOf = (given: string): number => {
  const quantity = Number(given)
  if (/^\d+$/.test(given) && quantity >= 1 && quantity <= 1000) return quantity
  throw new InvalidArgumentError('The quantity must be a whole number from 1 to 1000.')
}
/** A variant of the catalogue by its SKU or number, and how many. */
const item: Reader<{ variant: string; quantity?: number }> = {
  accepts: 'a SKU of the catalogue, with a quantity such as MUG-BLUE:2',
  read: (given) => {
    const [, variant, quantity] = /^([^:]+)(?::(.*))?$/s.exec(given) ?? []
    if (!variant?.trim()) throw new InvalidArgumentError(`It must be ${item.accepts}.`)
    return { variant: variant.trim(), ...(quantity !== undefined && { quantity: quantityOf(quantity) }) }
  }
}
const orderFlag = needed('--order <id>', platformNumber('the order'))

/** Actions of customers and staff in a shop on the sandbox platform. */
export function addSandboxCommands(program: Command, terminal: Terminal): void {
  const sandbox = program.command('sandbox').description('act as customers or staff of a sandbox store')

  addSandboxShopCommands(sandbox, terminal)

  addCommand(sandbox, terminal, {
    name: 'customer',
    summary: 'a customer opens an account; of an address that is known, its customer is returned',
    flags: {
      store: storeFlag,
      email: needed('--email <address>', text('an e-mail address')),
      firstName: optional('--first-name <name>', text('a first name')),
      lastName: optional('--last-name <name>', text('a last name')),
      phone: optional('--phone <number>', text('a telephone number with its country code, such as +14155550123')),
      country: optional('--country <code>', text('an ISO 3166 country code such as US')),
      province: optional('--province <code>', text('a province code such as NY'))
    },
    settles: true,
    run: ({ store, firstName, lastName, ...rest }, { api }) =>
      api().post(storePath(store, '/sandbox/customers'), { ...rest, first_name: firstName, last_name: lastName }),
    show: facts
  })

  addSandboxCustomerCommands(sandbox, terminal)

  addCommand(sandbox, terminal, {
    name: 'join',
    summary: 'a customer buys a membership',
    flags: {
      store: storeFlag,
      customer: customerFlag,
      plan: needed('--plan <name>', text('the name of a plan such as VIP, not its id'))
    },
    settles: true,
    run: ({ store, customer, plan }, { api }) => api().post(storePath(store, '/sandbox/joins'), { customer, plan }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'card',
    summary: "set the outcome of the next charges of a customer's card",
    flags: {
      store: storeFlag,
      customer: customerFlag,
      outcome: needed(
        '--outcome <outcome>',
        text(
          'success, insufficient_funds or another decline code, 3ds, late, never, lost, duplicate, reported_failed, corrected or reversed; or several, separated by commas, one per charge'
        )
      )
    },
    settles: true,
    run: ({ store, customer, outcome }, { api }) =>
      api().post(storePath(store, '/sandbox/cards'), { customer, outcome }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'order',
    summary: 'a customer buys something',
    flags: {
      store: storeFlag,
      customer: customerFlag,
      total: optional('--total <amount>', { ...amount, accepts: `${amount.accepts}: one line of this price` }),
      item: optional('--item <sku[:quantity]>', repeated(item)),
      plan: optional('--plan <name>', repeated(text('the name of a plan such as VIP that is bought with the items'))),
      credit: optional('--credit <amount>', {
        ...amount,
        accepts: 'the part that is paid with store credit, a decimal amount such as 10.00'
      }),
      giftCard: optional('--gift-card <code>', text('the code of a gift card, which pays as far as it goes')),
      code: optional('--code <code>', text('a discount code, or several with commas between')),
      country: optional('--country <code>', text('the country it is shipped to, an ISO 3166 code such as US')),
      province: optional('--province <code>', text('a province code such as NY')),
      street: optional('--street <text>', text('street and house, such as "12 Elm St."')),
      billingCountry: optional('--billing-country <code>', text('the country of the address of the bill')),
      attribute: optional('--attribute <name=value>', repeated(pair('deliverySchedule=Monday'))),
      appDiscount: optional('--app-discount <title=amount>', pair('"Store credit=5.00"')),
      shipping: optional('--shipping <amount>', { ...amount, accepts: 'what the shipping costs, such as 5.00' }),
      taxPercent: optional('--tax-percent <percent>', decimal('the tax on top of the prices, such as 8.5')),
      taxesIncluded: toggle('--taxes-included', 'the tax is in the prices, not on top of them'),
      channel: optional('--channel <name>', text('the sales channel, or the number of the app that sells it'))
    },
    settles: true,
    fields: { item: 'items', plan: 'plans', attribute: 'attributes', appDiscount: 'app_discount' },
    run: ({ store, item: items, plan: plans, attribute: attributes, appDiscount, ...order }, { api }) => {
      const { giftCard, billingCountry, taxPercent, taxesIncluded, ...rest } = order
      const app_discount = appDiscount && { title: appDiscount.name, amount: appDiscount.value }
      const body = {
        ...{ ...rest, items, plans, attributes, app_discount },
        ...{
          gift_card: giftCard,
          billing_country: billingCountry,
          tax_percent: taxPercent,
          taxes_included: taxesIncluded
        }
      }
      return api().post(storePath(store, '/sandbox/orders'), body)
    },
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'refund',
    summary: 'the shop refunds an order',
    flags: {
      store: storeFlag,
      order: orderFlag,
      amount: optional('--amount <amount>', { ...amount, accepts: `${amount.accepts} (default: the whole order)` })
    },
    settles: true,
    run: ({ store, order, amount }, { api }) => api().post(storePath(store, '/sandbox/refunds'), { order, amount }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'dispute',
    summary: "a customer's bank opens or decides a dispute of an order",
    flags: {
      store: storeFlag,
      order: orderFlag,
      type: optional('--type <type>', oneOf('chargeback', 'inquiry')),
      status: optional(
        '--status <status>',
        oneOf('needs_response', 'under_review', 'won', 'lost', 'accepted', 'prevented', 'charge_refunded')
      )
    },
    settles: true,
    run: ({ store, ...dispute }, { api }) => api().post(storePath(store, '/sandbox/disputes'), dispute),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'cancel-order',
    summary: 'the shop cancels an order',
    flags: {
      store: storeFlag,
      order: orderFlag,
      reason: optional('--reason <reason>', oneOf('customer', 'declined', 'fraud', 'inventory', 'staff', 'other')),
      refund: optional('--refund <what>', {
        ...oneOf('none', 'credit', 'all'),
        accepts: 'what is given back: none, credit (what store credit and gift cards have paid) or all (default: none)'
      })
    },
    settles: true,
    run: ({ store, ...cancellation }, { api }) => api().post(storePath(store, '/sandbox/cancellations'), cancellation),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'message',
    summary: "send a message of the platform with a body of one's own",
    flags: {
      store: storeFlag,
      topic: needed('--topic <topic>', text('a topic of the platform such as orders/updated')),
      file: needed('--file <file>', jsonObjectText('the body')),
      webhookId: optional(
        '--webhook-id <id>',
        text('a UUID; that of an earlier message makes this a repetition (default: a new one)')
      ),
      at: optional('--at <instant>', {
        ...instant,
        accepts: `when it was triggered, ${instant.accepts} (default: the present time of the store)`
      })
    },
    settles: true,
    fields: { file: 'body' },
    run: ({ store, topic, file: body, webhookId: webhook_id, at }, { api }) =>
      api().post(storePath(store, '/sandbox/messages'), { topic, body, webhook_id, at }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'delete-customer',
    summary: 'delete a customer and their cards',
    flags: { store: storeFlag, customer: customerFlag },
    settles: true,
    run: ({ store, customer }, { api }) => api().post(storePath(store, '/sandbox/deletions'), { customer }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'merge',
    summary: 'merge two customers',
    flags: {
      store: storeFlag,
      customer: needed('--customer <id>', platformNumber('the customer who is removed')),
      into: needed('--into <id>', platformNumber('the customer who remains'))
    },
    settles: true,
    run: ({ store, customer, into }, { api }) => api().post(storePath(store, '/sandbox/merges'), { customer, into }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'revoke-card',
    summary: "a customer's card is revoked",
    flags: { store: storeFlag, customer: customerFlag },
    settles: true,
    run: ({ store, customer }, { api }) => api().post(storePath(store, '/sandbox/revocations'), { customer }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'shop',
    summary: 'change the name or time zone of the shop',
    flags: { store: storeFlag, ...ofShop },
    settles: true,
    run: ({ store, ...change }, { api }) => {
      requireOneOf(ofShop, change)
      return api().post(storePath(store, '/sandbox/shop'), change)
    },
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'uninstall',
    summary: 'the shop uninstalls the app',
    flags: { store: storeFlag },
    settles: true,
    run: ({ store }, { api }) => api().post(storePath(store, '/sandbox/uninstalls'), {}),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'webhooks',
    summary: "make the shop's webhooks faulty, or correct again",
    flags: { store: storeFlag, ...faultFlags },
    settles: true,
    run: ({ store, ...given }, { api }) => {
      requireOneOf(faultFlags, given)
      const { delayHours, ...faults } = given
      return api().post(storePath(store, '/sandbox/webhook-faults'), { ...faults, delay_hours: delayHours })
    },
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'charges',
    summary: "make the shop's charges faulty, or correct again",
    flags: { store: storeFlag, ...chargeFlags },
    settles: true,
    run: ({ store, ...given }, { api }) => {
      requireOneOf(chargeFlags, given)
      const { paysAgain, keyMinutes, reportedFailed, ...faults } = given
      const body = { ...faults, pays_again: paysAgain, key_minutes: keyMinutes, reported_failed: reportedFailed }
      return api().post(storePath(store, '/sandbox/charge-faults'), body)
    },
    show: facts
  })
}
