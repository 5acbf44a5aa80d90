import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { amount, needed, oneOf, optional, platformNumber, text } from '../flags.ts'
import { facts } from '../print.ts'
import { aStore, storePath } from './of-store.ts'

const aCustomer = needed('--customer <id>', platformNumber('the customer'))
const anOrder = needed('--order <id>', platformNumber('the order'))

/** What people do in a shop of the sandbox platform. */
export function addSandboxCommands(program: Command, terminal: Terminal): void {
  const sandbox = program.command('sandbox').description('play the customers of a sandbox store')

  addCommand(sandbox, terminal, {
    name: 'customer',
    summary: 'a customer opens an account',
    flags: {
      store: aStore,
      email: needed('--email <address>', text('an e-mail address')),
      firstName: optional('--first-name <name>', text('a first name')),
      lastName: optional('--last-name <name>', text('a last name')),
      country: optional('--country <code>', text('an ISO 3166 country code such as US')),
      province: optional('--province <code>', text('a province code such as NY'))
    },
    run: ({ store, firstName, lastName, ...rest }, { api }) =>
      api().post(storePath(store, '/sandbox/customers'), { ...rest, first_name: firstName, last_name: lastName }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'join',
    summary: 'a customer buys a membership',
    flags: { store: aStore, customer: aCustomer, plan: needed('--plan <name>', text('the name of a plan')) },
    run: ({ store, customer, plan }, { api }) => api().post(storePath(store, '/sandbox/joins'), { customer, plan }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'card',
    summary: "decide how a customer's card answers from now on",
    flags: {
      store: aStore,
      customer: aCustomer,
      outcome: needed(
        '--outcome <outcome>',
        text('success, insufficient_funds or another decline code, 3ds, late, lost or duplicate')
      )
    },
    run: ({ store, customer, outcome }, { api }) =>
      api().post(storePath(store, '/sandbox/cards'), { customer, outcome }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'order',
    summary: 'a customer buys something',
    flags: {
      store: aStore,
      customer: aCustomer,
      total: needed('--total <amount>', amount),
      credit: optional('--credit <amount>', {
        ...amount,
        takes: 'how much of it is paid with store credit, a decimal amount such as 10.00'
      }),
      coupon: optional('--coupon <code>', text('a coupon code')),
      channel: optional('--channel <name>', text('the sales channel'))
    },
    run: ({ store, ...order }, { api }) => api().post(storePath(store, '/sandbox/orders'), order),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'refund',
    summary: 'the shop refunds an order',
    flags: {
      store: aStore,
      order: anOrder,
      amount: optional('--amount <amount>', { ...amount, takes: `${amount.takes} (default: the whole order)` })
    },
    run: ({ store, order, amount }, { api }) => api().post(storePath(store, '/sandbox/refunds'), { order, amount }),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'dispute',
    summary: "a customer's bank disputes an order, or the dispute ends",
    flags: { store: aStore, order: anOrder, outcome: needed('--outcome <outcome>', oneOf('open', 'won', 'lost')) },
    run: ({ store, order, outcome }, { api }) => api().post(storePath(store, '/sandbox/disputes'), { order, outcome }),
    show: facts
  })
}
