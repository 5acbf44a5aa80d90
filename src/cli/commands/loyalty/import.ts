import type { Command } from 'commander'
import { addCommand, type Terminal } from '../../command.ts'
import { toggle } from '../../flags.ts'
import { facts } from '../../print.ts'
import { formatOf, rowsFileFlags, sendRows } from '../../rows-file.ts'
import { storeFlag, storePath } from '../store-flag.ts'

/** What customers have of loyalty from before. */
export function addLoyaltyImportCommand(loyalty: Command, terminal: Terminal): void {
  addCommand(loyalty, terminal, {
    name: 'import',
    summary:
      'import points, tiers and birth dates of customers from a CSV or NDJSON file; repeat the command to continue an interrupted import',
    flags: {
      path: rowsFileFlags.path,
      store: storeFlag,
      format: rowsFileFlags.format,
      dryRun: toggle('--dry-run', 'only report what the import would do')
    },
    run: async ({ path, store, format, dryRun = false }, { api, failed }) => {
      const target = storePath(store, `/loyalty/import?${new URLSearchParams({ dry_run: String(dryRun) })}`)
      const report = await sendRows(api(), target, path, formatOf(path, format))
      if (Number(report.refused) > 0) failed()
      return report
    },
    show: facts
  })
}
