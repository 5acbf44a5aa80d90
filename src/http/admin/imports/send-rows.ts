import type { Static } from 'typebox'
import { receiveFile } from '#imports'
import { idInPath } from '../../shared/path-ids.ts'
import type { Surface } from '../../shared/surface.ts'
import type { AdminDeps } from '../deps.ts'
import { acceptFiles, receiveSent } from '../sent-file.ts'
import { storeOf } from '../store.ts'
import { ImportBody, ImportParams, presentImport } from './present-import.ts'

const FILE_TYPES = {
  'text/csv': 'contract_id,next_billing_date\n9264106591,2030-01-31\n',
  'application/x-ndjson': '{"contract_id":"9264106591","next_billing_date":"2030-01-31"}\n'
}

/** PUT /stores/{store}/imports/{import}/rows */
export function sendRowsRoute(admin: Surface, { db }: AdminDeps): void {
  admin.register(async (files) => {
    acceptFiles(files)
    files.put(
      '/stores/:store/imports/:import/rows',
      {
        config: { allow: 'manage', mayTakeLong: true },
        schema: {
          operationId: 'sendImportRows',
          summary: 'Send the file of an import',
          description:
            'The body is the file itself, of at most 512 MiB, and may take six hours to arrive. The import begins to run when it is complete. When the connection breaks, send it again from its beginning: rows that were read are skipped. A file without the header that is needed is 400; another file than before is 409.',
          consumes: FILE_TYPES,
          params: ImportParams,
          response: { 200: ImportBody }
        }
      },
      async (request) => {
        const { import: id } = request.params as Static<typeof ImportParams>
        const received = await receiveSent(request, (file) =>
          receiveFile(db, storeOf(request).storeId, idInPath('imp', id), file)
        )
        return presentImport(received)
      }
    )
  })
}
