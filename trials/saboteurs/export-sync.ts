import { type Edit, type Saboteur, slice } from './saboteur.ts'

const without = (failsWith: string, ...edits: Edit[]): Saboteur => ({
  trial: 'export-sync',
  run: slice('export-sync-trial'),
  trialThen: { failsWith },
  edits
})

const notReadAgain: Edit = {
  file: 'src/exports/pages/plan-cursor-page.ts',
  from: 'const settled = await find(last)',
  to: 'const settled = found'
}

export const exportSyncSaboteurs: Record<string, Saboteur> = {
  'a page of the Data API does not wait for those who write': without('missed, repeated or moved', {
    file: 'src/exports/pages/plan-cursor-page.ts',
    from: 'if (await waitForWriters(ctx, table, WRITERS_MS)) {',
    to: 'if (WRITERS_MS > 0 || (await waitForWriters(ctx, table, WRITERS_MS))) {'
  }),
  // The page is a range of ids then whose end comes too late: it has too many rows, which `cursor-guard.test.ts` notices, and misses none.
  'a page of the Data API that has waited is not read again; that it begins behind the page before holds': {
    trial: 'export-sync',
    run: slice('export-sync-trial'),
    trialThen: 'passes',
    edits: [notReadAgain]
  }
}
