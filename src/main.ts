import './app/uv-threadpool.ts'
import { ENVIRONMENT_VARIABLES } from './app/environment-variables.ts'
import { MIGRATIONS } from './app/migrations.ts'
import * as settingsSections from './app/settings-sections.ts'
import { runCommand } from './cli/run-command.ts'

/** Loads the service only here: without it a command of the operator starts in a tenth of a second. */
const serve = async (role?: string) =>
  (await import('./app/serve.ts')).serve(role === undefined ? process.env : { ...process.env, PERENNIAL_ROLE: role })

const onDatabase = (say: (line: string) => void = () => {}) => ({ env: process.env, sets: MIGRATIONS, say })

const exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  serve,
  backUp: async (given) => (await import('./backup/commands.ts')).backUp(onDatabase(), given),
  restore: async (given, say) => (await import('./backup/commands.ts')).restore(onDatabase(say), given),
  markAsRestored: async () => (await import('./backup/commands.ts')).markAsRestored(onDatabase()),
  settings: ENVIRONMENT_VARIABLES,
  settingsSections: Object.values(settingsSections)
})
if (exitCode !== 0) process.exitCode = exitCode
