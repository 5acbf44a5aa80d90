// What the command line gets from the service. `main.ts` runs it as a process, tests without one.

import { MIGRATIONS } from './app/migrations.ts'
import * as settingsSections from './app/settings-sections.ts'
import { ENVIRONMENT_VARIABLES } from './cli/environment-variables.ts'
import { runCommand } from './cli/run-command.ts'

export type Surroundings = { env: NodeJS.ProcessEnv; out: NodeJS.WriteStream; err: NodeJS.WriteStream }

/** Runs a command and returns its exit code. */
export function runProgram(args: string[], { env, out, err }: Surroundings): Promise<number> {
  const onDatabase = (say: (line: string) => void = () => {}) => ({ env, sets: MIGRATIONS, say })
  return runCommand(args, {
    env,
    out,
    err,
    // Loads the service only here: without it a command of the operator starts in a tenth of a second.
    serve: async (role) =>
      (await import('./app/serve.ts')).serve(role === undefined ? env : { ...env, PERENNIAL_ROLE: role }),
    backUp: async (given) => (await import('./backup/commands.ts')).backUp(onDatabase(), given),
    restore: async (given, say) => (await import('./backup/commands.ts')).restore(onDatabase(say), given),
    markAsRestored: async () => (await import('./backup/commands.ts')).markAsRestored(onDatabase()),
    dataEndpoints: async () => {
      const { endpoints, rowSchema } = await import('#exports')
      return endpoints.map((endpoint) => ({ ...endpoint, schema: rowSchema(endpoint) }))
    },
    platform: async () => {
      const { accessScopes, appConfig, checkSchema, neededApprovals } = await import('#platform')
      return { accessScopes, appConfig, checkSchema, neededApprovals }
    },
    settings: ENVIRONMENT_VARIABLES,
    settingsSections: Object.values(settingsSections)
  })
}
