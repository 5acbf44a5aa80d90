import type { Command } from 'commander'
import { addCommand, requireOneOf, type Terminal } from '../../command.ts'
import { type Flags, needed, oneOf, optional, platformNumber, repeated, text } from '../../flags.ts'
import { facts } from '../../print.ts'
import { storeFlag, storePath } from '../store-flag.ts'

const customerFlag = needed('--customer <id>', platformNumber('the customer'))
const tagFlags = {
  add: optional('--add <tag>', repeated(text('a tag to add'))),
  remove: optional('--remove <tag>', repeated(text('a tag to take away')))
} satisfies Flags

/** What customers of a sandbox shop do with their account, and what they say. */
export function addSandboxCustomerCommands(sandbox: Command, terminal: Terminal): void {
  addCommand(sandbox, terminal, {
    name: 'consent',
    summary: 'a customer says whether they want e-mails or texts',
    flags: {
      store: storeFlag,
      customer: customerFlag,
      channel: needed('--channel <channel>', oneOf('email', 'sms')),
      state: needed('--state <state>', oneOf('subscribed', 'unsubscribed', 'pending')),
      phone: optional(
        '--phone <number>',
        text('a telephone number such as +14155550123, needed for texts where the customer has none')
      )
    },
    settles: true,
    run: ({ store, ...consent }, { api }) => api().post(storePath(store, '/sandbox/consents'), consent),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'account',
    summary: "a customer's account is activated, disabled, declined or offered",
    flags: {
      store: storeFlag,
      customer: customerFlag,
      state: needed('--state <state>', oneOf('enabled', 'disabled', 'invited', 'declined'))
    },
    settles: true,
    run: ({ store, ...account }, { api }) => api().post(storePath(store, '/sandbox/accounts'), account),
    show: facts
  })

  addCommand(sandbox, terminal, {
    name: 'tags',
    summary: 'tags are added to a customer or taken away',
    flags: { store: storeFlag, customer: customerFlag, ...tagFlags },
    settles: true,
    run: ({ store, customer, ...tags }, { api }) => {
      requireOneOf(tagFlags, tags)
      return api().post(storePath(store, '/sandbox/tags'), { customer, ...tags })
    },
    show: facts
  })
}
