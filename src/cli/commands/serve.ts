import { type Command, Option } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { lines } from '../print.ts'

export type EnvironmentVariable = { name: string; accepts: string; default: string; meaning: string }

/** How to run the service; passed in, because the command line imports nothing of the service. */
export type ServeParts = {
  /** `role` replaces PERENNIAL_ROLE. */
  serve: (role?: string) => Promise<void>
  settings: readonly EnvironmentVariable[]
}

export function addServeCommands(program: Command, terminal: Terminal, { serve, settings }: ServeParts): void {
  program
    .command('serve')
    .description('run the service; `perennial settings` lists its settings')
    .addOption(
      new Option('--role <role>', 'what this node does; PERENNIAL_ROLE when left out').choices(['all', 'web', 'worker'])
    )
    .action(({ role }: { role?: string }) => serve(role))

  addCommand(program, terminal, {
    name: 'settings',
    summary: 'list the settings of the service, which are environment variables',
    flags: {},
    run: async () => ({ data: settings }),
    show: ({ data }) => lines((data as EnvironmentVariable[]).flatMap(described))
  })
}

const described = (setting: Document & EnvironmentVariable) => [
  `${setting.name}  (${setting.accepts}; default: ${setting.default})`,
  `    ${setting.meaning}`
]
