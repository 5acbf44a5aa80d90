import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { lines } from '../print.ts'

export type Setting = { name: string; accepts: string; default: string; meaning: string }

/** What this program runs besides being a client; handed in, since the command line knows nothing of the service. */
export type ServeParts = {
  serve: () => Promise<void>
  settings: readonly Setting[]
}

export function addServeCommands(program: Command, terminal: Terminal, { serve, settings }: ServeParts): void {
  program
    .command('serve')
    .description('run the service; `perennial settings` lists its settings')
    .action(() => serve())

  addCommand(program, terminal, {
    name: 'settings',
    summary: 'the settings of the service, which it reads from the environment',
    flags: {},
    run: async () => ({ data: settings }),
    show: ({ data }) => lines((data as Setting[]).flatMap(described))
  })
}

const described = (setting: Document & Setting) => [
  `${setting.name}  (${setting.accepts}; default: ${setting.default})`,
  `    ${setting.meaning}`
]
