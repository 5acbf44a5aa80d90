import type { Command } from 'commander'
import { Refusal } from '#kit/refusal'
import type { Document } from '../admin-api.ts'
import { addCommand, type Terminal } from '../command.ts'
import { badUsage, CommandError } from '../command-error.ts'
import { argument, optional, text, toggle } from '../flags.ts'
import { facts } from '../print.ts'

/** What works on the database itself; passed in, because the command line imports nothing of the service. */
export type BackupParts = {
  backUp(given: { path: string; withSandbox: boolean }): Promise<Document>
  restore(given: { path: string }, say: (line: string) => void): Promise<Document>
  markAsRestored(): Promise<Document>
}

const NEXT = `
Every store is on hold: nothing is charged, changed on its platform or sent to webhook endpoints until its platform has been read.
That begins with the start of the service and ends by itself. To follow it:
  perennial store list
`

export function addBackupCommands(program: Command, terminal: Terminal, parts: BackupParts): void {
  addCommand(program, terminal, {
    name: 'backup',
    summary: 'write all data to a file, while the service runs or not; needs no tools of PostgreSQL',
    flags: {
      file: argument('<file>', text('the file to write, which must not exist')),
      withoutSandbox: toggle('--without-sandbox', 'leave the sandbox platform out: its shops, orders and cards')
    },
    run: ({ file, withoutSandbox }) => expected(parts.backUp({ path: file, withSandbox: !withoutSandbox })),
    show: facts
  })

  addCommand(program, terminal, {
    name: 'restore',
    summary: 'load a backup into an empty database; or, with --mark, say that another tool has restored the database',
    flags: {
      file: optional('<file>', text('a file of `perennial backup`')),
      mark: toggle(
        '--mark',
        'the database was restored by pg_restore, a snapshot or a copy of its files: put all stores on hold'
      )
    },
    run: ({ file, mark }, { err }) => {
      if ((file === undefined) === (mark === undefined)) throw badUsage('Either a file or --mark is required')
      if (file === undefined) return expected(parts.markAsRestored())
      return expected(parts.restore({ path: file }, (line) => void err.write(`${line}\n`)))
    },
    show: (document) => `${facts(document)}${NEXT}`
  })
}

/** What the database or the file does not allow is reported as errors of the server are. */
async function expected(work: Promise<Document>): Promise<Document> {
  return work.catch((err: unknown) => {
    throw err instanceof Refusal ? new CommandError(err.code, err.message) : err
  })
}
