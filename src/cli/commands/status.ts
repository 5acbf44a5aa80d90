import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { optional, text } from '../flags.ts'
import { lines } from '../print.ts'
import { listProblems } from './list-problems.ts'

/** What does not work now. The exit code is 1 when something does not, so that scripts and monitors notice. */
export function addStatusCommand(program: Command, terminal: Terminal): void {
  addCommand(program, terminal, {
    name: 'status',
    summary: 'show what does not work now and what to do about it; the exit code is 1 when there is something',
    flags: { store: optional('--store <store>', text("a store's domain or id (default: all stores)")) },
    run: async ({ store }, { api, failed }) => {
      const query = store === undefined ? '' : `?${new URLSearchParams({ store })}`
      const status = await api().get(`/status${query}`)
      if (!status.working) failed()
      return status
    },
    show: ({ stores, problems, notes }) => {
      const [found, noted] = [problems as Document[], notes as Document[]]
      const looked = stores === 0 ? 'There are no stores yet' : stores === 1 ? 'One store' : `${stores} stores`
      const summary =
        found.length === 0
          ? `${looked}: everything works.`
          : `${found.length === 1 ? 'One problem' : `${found.length} problems`}:`
      return lines([
        summary,
        ...listProblems(found),
        ...(noted.length > 0 ? ['', 'Not a problem, but worth knowing:', ...listProblems(noted)] : [])
      ])
    }
  })
}
