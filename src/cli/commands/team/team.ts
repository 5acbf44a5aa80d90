import type { Command } from 'commander'
import type { Document } from '../../admin-api.ts'
import { addCommand, type Terminal } from '../../command.ts'
import { needed, optional, text, wholeNumber } from '../../flags.ts'
import { facts, table } from '../../print.ts'
import { queryOf } from '../pages.ts'

const PERSON = needed('--id <person>', text('the id of a person, from team list'))
const ROLE = needed('--role <role>', text('owner, developer, support or read_only'))

const changesRows = table(
  ['id', 'changed_at', 'who', 'operation', 'store', 'status', 'ip_address'],
  'Nothing was changed yet.'
)
/** Who changed something, by name. */
const changesTable = ({ data, next }: Document): string => {
  const rows = (data as { person: { name: string } | null }[]).map((row) => ({
    ...row,
    who: row.person?.name ?? 'operator token'
  }))
  return changesRows({ data: rows }) + (next ? `\nFor older ones add --before ${next}\n` : '')
}

export function addTeamCommands(program: Command, terminal: Terminal): void {
  const team = program.command('team').description('people who sign in to the admin interface')
  const pathOf = (id: string, rest = '') => `/team/people/${encodeURIComponent(id)}${rest}`

  addCommand(team, terminal, {
    name: 'list',
    summary: 'list everybody who has an account',
    flags: {},
    run: (_flags, { api }) => api().get('/team/people'),
    show: table(
      ['id', 'name', 'email', 'role', 'two_factor', 'locked'],
      'Nobody has an account yet: the service prints a link for the first owner when it starts.'
    )
  })

  addCommand(team, terminal, {
    name: 'invite',
    summary: 'make a link by which somebody gets an account; it works once, within three days',
    flags: { email: needed('--email <email>', text('by which they sign in')), role: ROLE },
    run: ({ email, role }, { api }) => api().post('/team/invitations', { email, role }),
    show: facts
  })

  addCommand(team, terminal, {
    name: 'invitations',
    summary: 'list the links that were not used yet and still work',
    flags: {},
    run: (_flags, { api }) => api().get('/team/invitations'),
    show: table(
      ['id', 'email', 'role', 'for_new_password', 'invited_by', 'expires_at'],
      'There is no link that was not used.'
    )
  })

  addCommand(team, terminal, {
    name: 'withdraw',
    summary: 'have such a link work no more',
    flags: { id: needed('--id <invitation>', text('the id of a link, from team invitations')) },
    run: ({ id }, { api }) => api().delete(`/team/invitations/${encodeURIComponent(id)}`),
    show: facts
  })

  addCommand(team, terminal, {
    name: 'role',
    summary: 'give somebody another role, at once',
    flags: { id: PERSON, role: ROLE },
    run: ({ id, role }, { api }) => api().patch(pathOf(id), { role }),
    show: facts
  })

  addCommand(team, terminal, {
    name: 'remove',
    summary: 'remove an account and end its sessions',
    flags: { id: PERSON },
    run: ({ id }, { api }) => api().delete(pathOf(id)),
    show: facts
  })

  addCommand(team, terminal, {
    name: 'password-link',
    summary: 'make a link by which somebody chooses a new password',
    flags: { id: PERSON },
    run: ({ id }, { api }) => api().post(pathOf(id, '/password-link'), {}),
    show: facts
  })

  addCommand(team, terminal, {
    name: 'remove-two-factor',
    summary: 'remove the second factor of somebody who has lost it',
    flags: { id: PERSON },
    run: ({ id }, { api }) => api().delete(pathOf(id, '/two-factor')),
    show: facts
  })

  addCommand(team, terminal, {
    name: 'end-sessions',
    summary: 'sign somebody out everywhere',
    flags: { id: PERSON },
    run: ({ id }, { api }) => api().delete(pathOf(id, '/sessions')),
    show: facts
  })

  addCommand(team, terminal, {
    name: 'changes',
    summary: 'list what people and programs changed, newest first',
    flags: {
      store: optional('--store <store>', text('only changes in this store')),
      limit: optional('--limit <n>', {
        ...wholeNumber(1, 100),
        accepts: 'number of entries, from 1 to 100 (default: 50)'
      }),
      before: optional('--before <n>', {
        ...wholeNumber(1, Number.MAX_SAFE_INTEGER),
        accepts: 'the number of a change, for older ones'
      })
    },
    run: (query, { api }) => api().get(`/changes?${queryOf(query)}`),
    show: changesTable
  })
}
