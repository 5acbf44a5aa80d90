import type { Command } from 'commander'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { optional, text } from '../flags.ts'
import { facts, lines, table } from '../print.ts'
import { listProblems } from './list-problems.ts'

const CHECKED = 'Checks, and how many rows each has read (docs/operations.md, "The auditor", explains them):'

/** The auditor, whose checks are in audit/rule-list.ts. The exit code is 1 when there are findings, so that scripts notice. */
export function addDoctorCommand(program: Command, terminal: Terminal): void {
  addCommand(program, terminal, {
    name: 'doctor',
    summary: 'run the auditor, which checks the data for errors; the exit code is 1 when it finds any',
    flags: { store: optional('--store <store>', text("a store's domain or id (default: all stores)")) },
    run: async ({ store }, { api, failed }) => {
      const diagnosis = await api().post('/doctor', { store })
      if ((diagnosis.findings as unknown[]).length > 0) failed()
      return diagnosis
    },
    show: ({ checked, findings, warnings, not_checked, problems }) => {
      const listed = (data: unknown, none: string) => table(['store', 'check', 'subject', 'message'], none)({ data })
      const wanted = (warnings as unknown[]).length > 0 ? `\nWarnings:\n${listed(warnings, '')}` : ''
      const left = not_checked as Document[]
      const unseen =
        left.length === 0
          ? ''
          : lines(['', 'Not looked at:', ...left.map(({ store, message }) => `  ${store}: ${message}`)])
      const broken = problems as Document[]
      const none = broken.length === 0 ? 'No findings.' : 'No findings in the data.'
      const working = broken.length === 0 ? '' : lines(['Not working now:', ...listProblems(broken), ''])
      return `${working}${CHECKED}\n${facts(checked as Document)}\n${listed(findings, none)}${wanted}${unseen}`
    }
  })
}
