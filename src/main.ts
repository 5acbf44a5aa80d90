import { SETTINGS, SettingProblem } from './app/settings.ts'
import { CommandError } from './cli/command-error.ts'
import { runCommand } from './cli/run-command.ts'

/** Loads the service only here: without it a command of the operator starts in a tenth of a second. */
async function serve(): Promise<void> {
  try {
    const { serve } = await import('./app/serve.ts')
    await serve(process.env)
  } catch (err) {
    throw explained(err)
  }
}

/** One line for what an operator can put right; a bug keeps its stack. */
function explained(err: unknown): unknown {
  if (err instanceof SettingProblem) return new CommandError('bad_setting', err.message, err.exitCode)
  const isBug = [TypeError, RangeError, ReferenceError, SyntaxError].some((kind) => err instanceof kind)
  if (isBug || !(err instanceof Error)) return err
  const { message, code } = err as NodeJS.ErrnoException
  return new CommandError('not_started', `the service did not start: ${message || code}`)
}

const exitCode = await runCommand(process.argv.slice(2), { env: process.env, serve, settings: SETTINGS })
if (exitCode !== 0) process.exitCode = exitCode
