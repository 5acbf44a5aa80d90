import type { Command } from 'commander'
import type { Terminal } from '../../command.ts'
import { addOfferCommands } from './offers.ts'
import { addOfferPreviewCommand } from './preview.ts'
import { addReasonCommands } from './reasons.ts'
import { addReportCommand } from './report.ts'

/** For what people who cancel are asked and offered. */
export function addChurnCommands(program: Command, terminal: Terminal): void {
  const churn = program
    .command('churn')
    .description('what people who cancel are asked and offered, and what comes of it')
  addReasonCommands(churn, terminal)
  addOfferCommands(churn, terminal)
  addOfferPreviewCommand(churn, terminal)
  addReportCommand(churn, terminal)
}
