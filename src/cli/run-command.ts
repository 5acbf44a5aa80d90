import { Command, CommanderError, Option } from 'commander'
import type { SettingsSection } from '#kit/define-settings'
import { version } from '#kit/version'
import { adminApi } from './admin-api.ts'
import type { Terminal } from './command.ts'
import { badUsage, CommandError } from './command-error.ts'
import { addAlertCommands } from './commands/alert.ts'
import { addAttemptCommands } from './commands/attempt.ts'
import { addBackupCommands, type BackupParts } from './commands/backup.ts'
import { addChurnCommands } from './commands/churn/churn.ts'
import { addClockCommands } from './commands/clock.ts'
import { addCreditCommands } from './commands/credit/credit.ts'
import { addDeadLetterCommands } from './commands/dead-letter.ts'
import { addDoctorCommand } from './commands/doctor.ts'
import { addEventCommands } from './commands/event.ts'
import { addExportCommand, type DataParts } from './commands/export.ts'
import { addImportCommands } from './commands/import.ts'
import { addKeyCommands } from './commands/key.ts'
import { addListenCommand } from './commands/listen.ts'
import { addLoyaltyCommands } from './commands/loyalty/loyalty.ts'
import { addMemberCommands } from './commands/member.ts'
import { addMetafieldCommands } from './commands/metafields/metafields.ts'
import { addOrderCommands } from './commands/orders/orders.ts'
import { addPlanCommands } from './commands/plan/plan.ts'
import { addPricingCommands } from './commands/plan/pricing.ts'
import { addPlatformCommands, type PlatformParts } from './commands/platform/platform.ts'
import { addPrivacyCommands } from './commands/privacy/privacy.ts'
import { addRewardCommands } from './commands/rewards/rewards.ts'
import { addSandboxCommands } from './commands/sandbox.ts'
import { addSeedCommand } from './commands/seed.ts'
import { addServeCommands, type ServeParts } from './commands/serve.ts'
import { addStatusCommand } from './commands/status.ts'
import { addStoreCommands } from './commands/store/store.ts'
import { addStorefrontSettingCommands } from './commands/storefront-settings/storefront-settings.ts'
import { addSubscriptionCommands } from './commands/subscription.ts'
import { addTagCommands } from './commands/tags/tags.ts'
import { addTapCommand } from './commands/tap.ts'
import { addTeamCommands } from './commands/team/team.ts'
import { addTriggerCommand } from './commands/trigger.ts'
import { addWalletCommands } from './commands/wallet/wallet.ts'
import { addWebhookCommands } from './commands/webhook/webhook.ts'
import { findServer } from './find-server.ts'

/** What the program gives its command line, which imports nothing of the service. */
type Parts = ServeParts & BackupParts & DataParts & PlatformParts & { settingsSections: readonly SettingsSection[] }

const ENV_HELP = `
Commands find the service by PERENNIAL_URL and PERENNIAL_TOKEN, or by the files that it writes to DATA_DIR (./data).
With --json a command prints one JSON document; an error is {"error": {"code", "message"}}.`

/**
 * The `perennial` command. Returns the exit code: 0 after success, 1 after an error or when the auditor found problems.
 * The result goes to `out` and everything else to `err`.
 */
export async function runCommand(
  args: string[],
  { env, out, err, ...parts }: Parts & { env: NodeJS.ProcessEnv; out: NodeJS.WriteStream; err: NodeJS.WriteStream }
): Promise<number> {
  const asJson = args.includes('--json')
  let exitCode = 0
  const terminal: Terminal = {
    api: () => adminApi(findServer(env)),
    env,
    err,
    out,
    json: asJson,
    answer: (document, shown) => out.write(asJson ? `${JSON.stringify(document)}\n` : shown()),
    failed: () => {
      exitCode = 1
    }
  }
  // A reader that closes the pipe early, such as head, is not an error.
  out.on('error', (broken: NodeJS.ErrnoException) => {
    if (broken.code !== 'EPIPE') throw broken
    process.exit(exitCode)
  })

  try {
    await programOf(terminal, parts).parseAsync(args, { from: 'user' })
    return exitCode
  } catch (thrown) {
    if (thrown instanceof CommanderError && thrown.exitCode === 0) return 0
    const { code, message } = reported(thrown)
    if (asJson) out.write(`${JSON.stringify({ error: { code, message } })}\n`)
    else err.write(`perennial: ${message}\n`)
    return 1
  }
}

function programOf(terminal: Terminal, parts: Parts): Command {
  const program = new Command('perennial')
    .description('Subscriptions and memberships for stores: the service and its operator commands')
    .version(version, '-V, --version', 'print the version of the program')
    .addHelpText('after', ENV_HELP)
    .exitOverride()
    // runCommand prints errors, in both formats.
    .configureOutput({ writeOut: (text) => terminal.out.write(text), outputError: () => {} })
    // Arguments are optional for commander alone: `addCommand` asks for them.
    .configureHelp({
      subcommandTerm: (command) =>
        [
          command.name(),
          ...(command.options.length > 0 ? ['[options]'] : []),
          ...command.registeredArguments.map((one) =>
            command.name() === 'help' ? `[${one.name()}]` : `<${one.name()}>`
          )
        ].join(' ')
    })
    .showHelpAfterError(false)
  addServeCommands(program, terminal, parts)
  addStoreCommands(program, terminal, parts.settingsSections)
  addPlatformCommands(program, terminal, parts)
  addKeyCommands(program, terminal)
  addTeamCommands(program, terminal)
  addPlanCommands(program, terminal)
  addPricingCommands(program, terminal)
  addMemberCommands(program, terminal)
  addLoyaltyCommands(program, terminal)
  addChurnCommands(program, terminal)
  addSubscriptionCommands(program, terminal)
  addMetafieldCommands(program, terminal)
  addStorefrontSettingCommands(program, terminal)
  addTagCommands(program, terminal)
  addAttemptCommands(program, terminal)
  addEventCommands(program, terminal)
  addWebhookCommands(program, terminal)
  addListenCommand(program, terminal)
  addTriggerCommand(program, terminal)
  addCreditCommands(program, terminal)
  addImportCommands(program, terminal)
  addOrderCommands(program, terminal)
  addRewardCommands(program, terminal)
  addWalletCommands(program, terminal)
  addAlertCommands(program, terminal)
  addPrivacyCommands(program, terminal)
  addDeadLetterCommands(program, terminal)
  addClockCommands(program, terminal)
  addSandboxCommands(program, terminal)
  addStatusCommand(program, terminal)
  addDoctorCommand(program, terminal)
  addExportCommand(program, terminal, parts)
  addTapCommand(program, terminal, parts)
  addBackupCommands(program, terminal, parts)
  addSeedCommand(program, terminal)
  // Accepted on groups too, so that the error is about the missing command.
  for (const group of [program, ...program.commands]) {
    if (group.commands.length > 0) group.addOption(new Option('--json').hideHelp())
  }
  return program
}

/** The thrown error as a code and a message. Anything unexpected is a bug and keeps its stack. */
function reported(err: unknown): CommandError {
  if (err instanceof CommandError) return err
  if (err instanceof CommanderError) return badUsage(inOneLine(err))
  return new CommandError('internal_error', (err as Error).stack ?? String(err))
}

function inOneLine(err: CommanderError): string {
  if (err.code === 'commander.help') return 'a command is missing; `perennial help` lists them'
  return err.message.replace(/^error: /, '').replace(/\s*\n\s*/g, ' ')
}
