import './app/uv-threadpool.ts'
import { ENVIRONMENT_VARIABLES } from './app/environment-variables.ts'
import * as settingsSections from './app/settings-sections.ts'
import { runCommand } from './cli/run-command.ts'

/** Loads the service only here: without it a command of the operator starts in a tenth of a second. */
const serve = async (role?: string) =>
  (await import('./app/serve.ts')).serve(role === undefined ? process.env : { ...process.env, PERENNIAL_ROLE: role })

const exitCode = await runCommand(process.argv.slice(2), {
  env: process.env,
  serve,
  settings: ENVIRONMENT_VARIABLES,
  settingsSections: Object.values(settingsSections)
})
if (exitCode !== 0) process.exitCode = exitCode
