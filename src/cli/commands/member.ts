import type { Command } from 'commander'
import { addCommand, type Terminal } from '../command.ts'
import { id, oneOf, optional, text } from '../flags.ts'
import { offsetPaging, pageTable, queryOf } from './pages.ts'
import { storeFlag, storePath } from './store-flag.ts'

export function addMemberCommands(program: Command, terminal: Terminal): void {
  const member = program.command('member').description('members of a store')

  addCommand(member, terminal, {
    name: 'list',
    summary: 'list the members of a store, newest first',
    flags: {
      store: storeFlag,
      status: optional('--status <status>', oneOf('active', 'paused', 'cancelled')),
      plan: optional('--plan <plan>', id('plan', 'a plan id such as plan_3')),
      email: optional('--email <address>', text('an e-mail address')),
      ...offsetPaging
    },
    run: ({ store, plan, ...given }, { api }) =>
      api().get(storePath(store, `/members?${queryOf({ ...given, plan_id: plan })}`)),
    show: pageTable(
      ['id', 'email', 'name', 'status', 'plan_name', 'tier', 'member_since', 'next_billing_date'],
      'There are no such members.'
    )
  })
}
